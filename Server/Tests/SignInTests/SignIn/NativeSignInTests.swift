import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Native sign-in", .threat("Password guessing", "Account enumeration", "Locking the holder out"))
struct NativeSignInTests {
    @Test(
        "A wrong password, an unknown name and an erased account get the same response, after equal work"
    )
    func enumeration() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("erased")
        _ = try await server.account("closed")
        _ = try await server.account("without", password: nil)
        try await server.administer(["account", "erase", "erased"])
        try await server.administer(["account", "deactivate", "closed"])
        let client = try await server.publicClient()
        for (name, password) in [
            ("ada", "not the password"), ("nobody", "correct horse battery"), ("erased", "correct horse battery"),
            ("closed", "not the password"), ("without", "correct horse battery"),
        ] {
            let app = TestApp(client: client)
            let before = server.context.passwords.hashesComputed
            let refusal = try #require(try await app.signIn(name, password: password).refusal)
            #expect(refusal.errorCode == "invalid_credentials", "\(name)")
            #expect(refusal.status == 401)
            #expect(refusal.session == nil)
            #expect(server.context.passwords.hashesComputed - before == 1, "\(name)")
        }
    }

    @Test("The sixth guess at an account, right or wrong, is refused like a wrong one, after the same work")
    func lockedLooksWrong() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        for _ in 0..<5 {
            #expect(
                try await TestApp(client: client).signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        let before = server.context.passwords.hashesComputed
        #expect(try await TestApp(client: client).signIn().errorCode == "invalid_credentials")
        #expect(server.context.passwords.hashesComputed - before == 1)
        server.clock.advance(by: .seconds(31))
        _ = try await TestApp(client: client).signIn().code()
    }

    @Test("Of a thousand parallel guesses five are compared, and the others are refused alike")
    func parallelGuesses() async throws {
        let server = try await TestServer.start {
            // An eighth of the places is one name's: all thousand get one.
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, queueLimit: 10_000)
            $0.lockout.network.failures = 10_000
        }
        _ = try await server.account()
        let client = try await server.publicClient()
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let outcome = try await TestApp(client: client).signIn(password: "a wrong one")
                    return outcome.errorCode != "invalid_credentials"
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 0)
        // Each one that is compared is a failure.
        let subject = try await server.attempts()
        #expect(subject.contains { $0.failures == 5 && $0.tries == 1000 })
    }

    @Test("A stranger's guesses never lock the holder's known device, nor deactivate the wallet")
    func strangerCannotLock() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        for number in 0..<40 {
            var stranger = TestApp(client: client)
            stranger.address = "198.51.100.\(number)"
            #expect(try await stranger.signIn(password: "guess \(number)").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
        _ = try await holder.signIn().code()
    }

    @Test("After a stranger's thousand wrong guesses from ten places, the holder's phone signs in")
    func thousandGuesses() async throws {
        let server = try await TestServer.start {
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, queueLimit: 2000)
        }
        let account = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        let stranger = TestApp(client: client)
        for place in 0..<10 {
            let told = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        var guess = stranger
                        guess.address = "198.51.100.\(place)"
                        return try await guess.signIn(password: "guess \(place) \(number)").errorCode
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            // Told apart from a wrong password is only that a place asks too often, whatever account it asks about.
            #expect(told.isSubset(of: ["invalid_credentials", "server_error"]), "\(told)")
        }
        #expect(try await server.record(of: account)?.state == .active)
        _ = try await holder.signIn().code()
    }

    @Test("The fifth consecutive failure on a known device deactivates the wallet, and only that device learns of it")
    func knownDeviceDeactivates() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        let tokens = try await holder.becomeKnown()
        for _ in 0..<4 {
            #expect(try await holder.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        let refusal = try #require(try await holder.signIn(password: "a wrong one").refusal)
        #expect(refusal.errorCode == "wallet_deactivated")
        #expect(refusal.statusCode == 421)
        #expect(try await server.record(of: account)?.state == .deactivated)
        #expect(try await server.messages().contains { $0.kind == "wallet_deactivated" })
        // Its sessions end with it.
        let refresh = try #require(tokens.refreshToken)
        #expect(try await client.refresh(refresh, proof: holder.key).refusal == .invalidGrant)
        // The right password is not compared any more.
        #expect(try await holder.signIn().errorCode == "wallet_deactivated")
        #expect(try await TestApp(client: client).signIn().errorCode == "invalid_credentials")
    }

    @Test("What an operator deactivated says so on any device, but only after the right password")
    func deactivatedElsewhere() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        try await server.administer(["account", "deactivate", "ada"])
        let stranger = TestApp(client: client)
        #expect(try await stranger.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        #expect(try await stranger.signIn().errorCode == "wallet_deactivated")
        #expect(try await stranger.signIn("nemo").errorCode == "invalid_credentials")
    }

    @Test("A success in between resets the count of a known device")
    func consecutive() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<3 {
            for _ in 0..<4 { _ = try await holder.signIn(password: "a wrong one") }
            _ = try await holder.signIn().code()
        }
    }

    @Test("A reactivated wallet begins with a clean count")
    func reactivated() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<5 { _ = try await holder.signIn(password: "a wrong one") }
        try await server.administer(["account", "reactivate", "ada"])
        // One failure fewer than those that deactivate it.
        for _ in 0..<4 { _ = try await holder.signIn(password: "a wrong one") }
        _ = try await holder.signIn().code()
    }

    @Test("A full queue says so, and counts no failure")
    func busy() async throws {
        let server = try await TestServer.start {
            $0.passwordHashing = PasswordHashing(memoryKiB: 64, passes: 1, concurrency: 1, queueLimit: 0)
        }
        let holder = TestApp(client: try await server.publicClient())
        let account = try await server.account()
        try await holder.becomeKnown()
        let slot = try #require(server.context.passwords.slot(for: .administrator))
        for _ in 0..<10 {
            let refusal = try #require(try await holder.signIn().refusal)
            #expect(refusal.status == 503)
            #expect(refusal.retryAfter != nil)
        }
        withExtendedLifetime(slot) {}
        #expect(try await server.record(of: account)?.state == .active)
        #expect(try await server.attempts().allSatisfy { $0.failures == 0 })
    }

    @Test("A hash of yesterday's cost is replaced at a sign-in, and the password goes on")
    func upgrade() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let old = try await server.record(of: account)?.password
        let stronger = try await server.restarted { $0.passwordHashing = PasswordHashing(memoryKiB: 128, passes: 2) }
        let app = TestApp(client: try await stronger.publicClient())
        _ = try await app.signIn().code()
        let record = try #require(try await stronger.record(of: account))
        #expect(record.password != old)
        #expect(record.securityVersion == 1)
        let phc = try #require(stronger.flows.signIn.passwords.phc(of: record))
        #expect(phc.hasPrefix("$argon2id$v=19$m=128,t=2,p=1$"))
        _ = try await app.signIn().code()
    }

    @Test("A rotated pepper is taken at the next sign-in")
    func pepper() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        try await server.administer(["keys", "rotate", "pepper"])
        _ = try await app.signIn().code()
        let sealed = try #require(try await server.record(of: account)?.password)
        #expect(Sealing.keyID(of: sealed) == KeyID(2))
    }

    @Test("Without a proof, by a confidential client or one that is not first-party, nothing is compared")
    func clients() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let before = server.context.passwords.hashesComputed
        let app = TestApp(client: try await server.publicClient())
        let naked = PresentedProof(header: nil, method: "POST", path: Endpoints.authorizeChallenge.path)
        let outcome = try await app.signIn(proof: naked)
        guard case .invalid(.invalidDPoPProof) = outcome else {
            Issue.record("signed in without a proof: \(String(describing: outcome))")
            return
        }
        let third = TestApp(client: try await server.publicClient("third") { $0.firstParty = false })
        let found = try await third.signIn()
        guard case .invalid(.unauthorizedClient) = found else {
            Issue.record("signed in by a third party's client: \(String(describing: found))")
            return
        }
        #expect(server.context.passwords.hashesComputed == before)
    }

    @Test("The same proof is not taken twice, so a recorded sign-in cannot be replayed")
    func proofReplay() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let proof = try app.proof()
        _ = try await app.signIn(proof: proof).code()
        let answer = try await app.signIn(proof: proof)
        guard case .invalid(.invalidDPoPProof) = answer else {
            Issue.record("the proof was taken twice: \(String(describing: answer))")
            return
        }
    }

    @Test("A code is bound to the key that signed in: another app's key does not redeem it")
    func codeBoundToKey() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let code = try await TestApp(client: client).signIn().code()
        #expect(try await TestApp(client: client).redeem(code).refusal == .invalidGrant)
        #expect(
            try await client.token(.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)).refusal
                == .invalidGrant)
    }

    @Test("A security version raised between code and token opens nothing")
    func securityVersion() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let code = try await app.signIn().code()
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 9"))
        #expect(try await app.redeem(code).refusal == .invalidGrant)
    }
}
