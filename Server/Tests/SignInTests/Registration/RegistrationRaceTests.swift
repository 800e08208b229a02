import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Two registrations at once")
struct RegistrationRaceTests {
    private static let brand = BrandSettings.defaultBrand
    private static let password = "a phrase of my own 7"

    /// A registration whose code was entered.
    private func proved(_ address: String, at server: TestServer) throws -> Registrations.Begun {
        let random = server.context.random
        return Registrations.Begun(
            id: try random.uniqueID().uuid, account: try random.uniqueID().uuid,
            address: .email(try EmailAddress(address)), brand: try BrandID(Self.brand),
            grant: try random.uniqueID().uuid,
            provenAt: server.clock.now())
    }

    private func finish(
        _ begun: Registrations.Begun, _ name: String, at server: TestServer
    ) async throws -> Registrations.Finish {
        let details = Registrations.Details(
            username: try Username(name), credential: .password(try Password(Self.password)),
            client: try ClientID("wallet"), origin: TestServer.origin)
        return try await server.flows.signIn.native.registrations.finish(begun, details, now: server.clock.now())
    }

    private func isMade(_ finish: Registrations.Finish) -> Bool { if case .made = finish { true } else { false } }

    private func isTaken(_ finish: Registrations.Finish) -> Bool { if case .nameTaken = finish { true } else { false } }

    @Test(
        "attack: of two registrations of one name, or of two that look alike, one wins", arguments: Deployment.allCases)
    func names(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await one.administer(["brand", "update", Self.brand, "--registration", "on"])
            for round in 0..<10 {
                let (first, second) =
                    round % 2 == 0 ? ("ada\(round)", "Ada\(round)") : ("paypal\(round)x", "paypa1\(round)x")
                async let mine = finish(proved("one\(round)@example.com", at: one), first, at: one)
                async let theirs = finish(proved("two\(round)@example.com", at: other), second, at: other)
                let outcomes = try await [mine, theirs]
                #expect(outcomes.count(where: isMade) == 1, "\(round): \(outcomes)")
                #expect(outcomes.count(where: isTaken) == 1, "\(round): \(outcomes)")
            }
            #expect(try await one.rows(of: "accounts") == 10)
        }
    }

    @Test("race: a passkey makes no account once the brand takes none")
    func passkeysTurnedOff() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", Self.brand, "--registration", "passkey"])
        let begun = try proved("ada@example.com", at: server)
        let registrations = server.flows.signIn.native.registrations
        let place = Registrations.PasskeyPlace.page(browser: [UInt8](repeating: 7, count: 32))
        let options = try #require(
            try registrations.passkeyOptions(
                for: "ada", of: begun, at: "Example", in: place, now: server.clock.now()))
        let made = try SoftwarePasskey().register(options.challenge, on: .own)
        let details = Registrations.Details(
            username: try Username("ada"), credential: .passkey(made, in: place),
            client: try ClientID("wallet"), origin: TestServer.origin)
        server.beforeNextWrite {
            try await server.administer(["brand", "update", Self.brand, "--registration", "on"])
        }
        let finish = try await registrations.finish(begun, details, now: server.clock.now())
        guard case .passkeyRefused = finish else {
            Issue.record("\(finish)")
            return
        }
        #expect(try await server.rows(of: "accounts") == 0)
    }

    @Test("attack: one address that two registrations prove at once has one account", arguments: Deployment.allCases)
    func address(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await one.administer(["brand", "update", Self.brand, "--registration", "on"])
            for round in 0..<10 {
                async let mine = finish(proved("ada\(round)@example.com", at: one), "ada\(round)", at: one)
                async let theirs = finish(proved("ada\(round)@example.com", at: other), "eve\(round)", at: other)
                let outcomes = try await [mine, theirs]
                #expect(outcomes.count(where: isMade) == 1, "\(round): \(outcomes)")
            }
            #expect(try await one.rows(of: "accounts") == 10)
        }
    }

    @Test(
        "One end that arrives twice at once makes one account, and both are signed in", arguments: Deployment.allCases)
    func twice(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await one.administer(["brand", "update", Self.brand, "--registration", "on"])
            for round in 0..<10 {
                let begun = try proved("ada\(round)@example.com", at: one)
                async let first = finish(begun, "ada\(round)", at: one)
                async let second = finish(begun, "ada\(round)", at: other)
                let outcomes = try await [first, second]
                #expect(outcomes.count(where: isMade) == 2, "\(round): \(outcomes)")
            }
            #expect(try await one.rows(of: "accounts") == 10)
        }
    }

    @Test(
        "An operator who creates an account of the name while a newcomer finishes: one wins, and the other is told",
        arguments: Deployment.allCases)
    func operators(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await one.administer(["brand", "update", Self.brand, "--registration", "on"])
            for round in 0..<10 {
                async let mine = finish(proved("ada\(round)@example.com", at: one), "ada\(round)", at: one)
                async let theirs = created("ada\(round)", at: other)
                let (outcome, isCreated) = try await (mine, theirs)
                #expect(isMade(outcome) != isCreated, "\(round)")
                #expect(isMade(outcome) || isTaken(outcome), "\(round): \(outcome)")
            }
            #expect(try await one.rows(of: "accounts") == 10)
        }
    }

    private func created(_ name: String, at server: TestServer) async throws -> Bool {
        do {
            _ = try await server.account(name, password: nil)
            return true
        } catch is TestServer.Refused { return false }
    }

    @Test("A code that was entered a quarter of an hour ago makes no account any more")
    func late() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", Self.brand, "--registration", "on"])
        let begun = try proved("ada@example.com", at: server)
        server.clock.advance(by: Registrations.patience)
        let outcome = try await finish(begun, "ada", at: server)
        guard case .over = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await server.rows(of: "accounts") == 0)
    }

    @Test("What was begun while registration was on makes no account once it is off")
    func turnedOff() async throws {
        let server = try await TestServer.start()
        let outcome = try await finish(proved("ada@example.com", at: server), "ada", at: server)
        guard case .off = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await server.rows(of: "accounts") == 0)
    }

    @Test("A hundred codes by SMS an hour in a brand, while registration by e-mail goes on")
    func messageLimit() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", Self.brand, "--registration", "on"])
        let registrations = server.flows.signIn.native.registrations
        func begin(_ address: RegistrationAddress, _ number: Int) async throws -> Registrations.Beginning {
            try await registrations.begin(
                address, brand: try BrandID(Self.brand), origin: RequestOrigin(address: "10.1.\(number + 1).1"),
                now: server.clock.now())
        }
        for number in 0..<100 {
            guard case .begun(_, sent: true, resendAfter: _) = try await begin(.phone("+359212340\(number)"), number)
            else {
                Issue.record("\(number)")
                return
            }
        }
        guard case .held = try await begin(.phone("+35921235678"), 100) else {
            Issue.record("the hundred and first")
            return
        }
        guard case .begun = try await begin(.email(try EmailAddress("ada@example.com")), 101) else {
            Issue.record("by e-mail")
            return
        }
    }

    @Test("A thousand registrations an hour in a brand, then one at a time, which the audit log says once")
    func brandLimit() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", Self.brand, "--registration", "on"])
        let registrations = server.flows.signIn.native.registrations
        func begin(_ number: Int) async throws -> Registrations.Beginning {
            try await registrations.begin(
                .email(try EmailAddress("n\(number)@example.com")), brand: try BrandID(Self.brand),
                origin: RequestOrigin(address: "10.\(number / 200 + 1).\(number % 200 + 1).1"), now: server.clock.now())
        }
        for number in 0..<1000 {
            guard case .begun(_, sent: true, resendAfter: _) = try await begin(number) else {
                Issue.record("\(number)")
                return
            }
        }
        for number in 1000..<1004 {
            let beginning = try await begin(number)
            if number > 1000 {
                guard case .held = beginning else {
                    Issue.record("\(number): \(beginning)")
                    return
                }
            }
        }
        #expect(try await server.rows(of: "security_events WHERE kind = 'registration.held'") == 1)
    }
}
