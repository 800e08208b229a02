import Core
import Operations
import Testing
import WalletAuthWire
import Web

@testable import Kernel
@testable import Loyalty

@Suite("Attacks on enrollments", .threat("Integrators' backends"), .covers("setAccountFields.externalAccounts"))
struct LoyaltyEnrollmentAttackTests {
    @Test("64 identical enrollments at once create one account, and all of them get it")
    func equal() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<64 { group.addTask { try await integrator.enroll(request).get().accountID } }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(numbers.count == 1)
        #expect(server.vendor.redeemed.count == 1)
        for table in ["accounts", "federated_identities", "loyalty_accounts"] {
            #expect(try await server.rows(of: table) == 1, "\(table)")
        }
    }

    @Test("64 enrollments of one person at once, each with a code and a name of its own, make one account")
    func sameperson() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let requests = try (0..<64).map { try integrator.enrollment(of: "sub-1", username: "name-\($0)") }
        let codes = try await withThrowingTaskGroup(of: LoyaltyErrorCode?.self) { group in
            for request in requests { group.addTask { try await integrator.enroll(request).code } }
            return try await group.reduce(into: [LoyaltyErrorCode?]()) { $0.append($1) }
        }
        let made = codes.count { $0 == nil }
        #expect(made == 1)
        // At once, some find no room to hash, or more attempts of the guest under way than are free.
        #expect(codes.allSatisfy { [nil, .externalAccountLinked, .busy, .locked].contains($0) })
        #expect(try await server.rows(of: "accounts") == 1)
        #expect(try await server.rows(of: "account_names") == 1)
    }

    @Test(
        "attack: an identity that is linked to an account gets no second one, and its code stays unredeemed",
        .threat("Linking someone else's identity"))
    func linked() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1", username: "mallory")
        #expect(try await integrator.enroll(request).code == .externalAccountLinked)
        #expect(server.vendor.redeemed.isEmpty)
        #expect(try await server.rows(of: "accounts") == 1)
    }

    @Test("attack: an identity that is linked while the provider is asked makes no second account")
    func linkedMeanwhile() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1", username: "second")
        server.vendor.whileRedeeming { try await server.guest("sub-1") }
        #expect(try await integrator.enroll(request).code == .externalAccountLinked)
        #expect(try await server.rows(of: "accounts") == 1)
    }

    @Test("attack: token and code of two people, or a swapped identifier, make no account")
    func twoPeople() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let stolen = try integrator.enrollment(of: "victim") {
            $0.externalAccount.accessToken = try AuthorizationCode(server.vendor.code(of: "attacker"))
        }
        #expect(try await integrator.enroll(stolen).code == .externalAccountMismatch)
        let swapped = try integrator.enrollment(of: "attacker") {
            $0.externalAccount.code = try ExternalAccountCode("victim")
        }
        #expect(try await integrator.enroll(swapped).code == .externalAccountMismatch)
        #expect(try await server.rows(of: "accounts") == 0)
    }

    @Test("attack: a provider's address that another account has makes no link to it and opens nothing of it")
    func othersAddress() async throws {
        let server = try await LoyaltyServer.start()
        let victim = try await server.guest("victim") {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "attacker", username: "mallory", email: "ada@example.com")
        _ = try await integrator.enroll(request).get()
        let made = try await server.read { try Accounts.find(named: "mallory", brand: "default", on: $0) }
        #expect(made != nil && made?.id != victim)
    }

    @Test("attack: the same request by another client, or a changed one with the spent code, gets no account of others")
    func othersAnswer() async throws {
        let server = try await LoyaltyServer.start()
        let (integrator, other) = (try await server.integrator(), try await server.integrator("other"))
        var request = try integrator.enrollment(of: "sub-1")
        _ = try await integrator.enroll(request).get()
        #expect(try await other.enroll(request).code == .externalAccountLinked)
        request.password = try Password("another horse battery")
        #expect(try await integrator.enroll(request).code == .externalAccountLinked)
        #expect(try await server.rows(of: "accounts") == 1)
    }

    @Test("attack: trying names slows the guest who does it, and not other guests of the same backend")
    func names() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.sharedFailures = 4 }
        try await server.guest("sub-0")
        let integrator = try await server.integrator()
        for _ in 0..<4 {
            #expect(try await integrator.enroll(integrator.enrollment(of: "sub-1")).code == .usernameTaken)
        }
        #expect(try await integrator.enroll(integrator.enrollment(of: "sub-1")).code == .locked)
        #expect(try await integrator.enroll(integrator.enrollment(of: "sub-2", username: "bob")).code == nil)
    }

    /// An enrollment by an identifier alone.
    private func bare(
        _ subject: String, at integrator: Integrator, code: String? = nil, username: String = "ada"
    ) throws -> LoyaltyEnrollmentRequest {
        try integrator.enrollment(of: subject, username: username) {
            $0.externalAccount.code = try ExternalAccountCode(subject)
            if let code { $0.externalAccount.accessToken = try AuthorizationCode(code) }
        }
    }

    @Test("attack: made-up identifiers reveal no user name, and have no password hashed")
    func madeUpNames() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-0")
        let integrator = try await server.integrator()
        let hashes = server.context.passwords.hashesComputed
        for (number, username) in ["ada", "free", "ada", "free"].enumerated() {
            let request = try bare("made.up.\(number)", at: integrator, code: "junk", username: username)
            #expect(try await integrator.enroll(request).code == .externalCodeRefused)
        }
        // A password that is refused before it is hashed is not looked at either.
        let short = try integrator.enrollment(of: "made.up", username: "free", password: "short") {
            $0.externalAccount.code = try ExternalAccountCode("made.up")
            $0.externalAccount.accessToken = try AuthorizationCode("junk")
        }
        #expect(try await integrator.enroll(short).code == .externalCodeRefused)
        #expect(server.context.passwords.hashesComputed == hashes)
    }

    @Test(
        "attack: identifiers that are made up reach the provider a bounded number of times; guests with its token go on"
    )
    func madeUpFlood() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.sharedFailures = 4 }
        let (integrator, other) = (try await server.integrator(), try await server.integrator("other"))
        for number in 0..<12 {
            let request = try bare("made.up.\(number)", at: integrator, code: "junk")
            #expect(try await integrator.enroll(request).code == (number < 4 ? .externalCodeRefused : .locked))
        }
        #expect(server.vendor.redeemed.count == 4)
        #expect(try await integrator.enroll(integrator.enrollment(of: "sub-1")).code == nil)
        #expect(try await other.enroll(bare("sub-2", at: other, username: "bob")).code == nil)
        // New guests without one wait a minute at most, and a right code begins a clean count.
        server.clock.advance(by: .minutes(1))
        #expect(try await integrator.enroll(bare("sub-3", at: integrator, username: "eve")).code == nil)
        let wrong = try bare("made.up", at: integrator, code: "junk")
        #expect(try await integrator.enroll(wrong).code == .externalCodeRefused)
    }

    @Test("A guest whom an identifier names keeps the redeemed code for another name and password")
    func bareAgain() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-0")
        let integrator = try await server.integrator()
        var request = try bare("sub-1", at: integrator)
        #expect(try await integrator.enroll(request).code == .usernameTaken)
        request.username = try Username("ada2")
        request.password = try Password("short")
        #expect(try await integrator.enroll(request).code == .invalidFields)
        request.password = try Password("correct horse battery")
        #expect(try await integrator.enroll(request).get().tokens.username == "ada2")
        #expect(server.vendor.redeemed.count == 1)
    }

    @Test("attack: a provider that was replaced since it vouched enrolls none of its former guests")
    func providerReplaced() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        server.vendor.whileRedeeming {
            try await server.change("UPDATE identity_providers SET settings = 'team-9'")
        }
        #expect(try await integrator.enroll(request).code == .unknownIntegration)
        #expect(try await integrator.enroll(request).code == .externalCodeRefused)
        #expect(try await server.rows(of: "accounts") == 0)
    }
}
