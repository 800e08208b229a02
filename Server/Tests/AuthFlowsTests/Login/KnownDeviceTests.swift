import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthAdministration
@testable import AuthFoundation
@testable import AuthSignIn

@Suite("Devices that an account knows")
struct KnownDeviceTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    @Test("attack: a device that was known under the old password cannot deactivate the wallet under the new one")
    func oldKey() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(client: try await server.publicClient())
        try await thief.becomeKnown()
        server.clock.advance(by: .seconds(1))
        try await server.administer(.account(.setPassword(Self.ada, password: "another phrase 9")))
        for _ in 0..<6 {
            #expect(try await thief.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    @Test("attack: a browser's cookie from under the old password cannot deactivate the wallet under the new one")
    func oldCookie() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let thief = TestBrowser(server)
        _ = try await thief.signIn(client.request()).code()
        thief.cookies.session = nil
        server.clock.advance(by: .seconds(1))
        try await server.administer(.account(.setPassword(Self.ada, password: "another phrase 9")))
        for _ in 0..<6 {
            #expect(
                try await thief.signIn(client.request(), password: "a wrong one").page().notice == .invalidCredentials)
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    /// A key that another app keeps, with a session of the account there.
    private func relyingApp(
        _ server: TestServer, _ account: AccountID, methods: [String]
    ) async throws -> TestKey {
        let key = TestKey()
        let other = try await server.publicClient("relying-app") { $0.firstParty = false }
        _ = try await other.signIn(account, proof: key, methods: methods)
        return key
    }

    @Test(
        "attack: an app that the person once signed in to cannot deactivate the wallet by its own key",
        arguments: [
            ["pwd"], ["pwd", "otp"],
        ])
    func keyOfAnotherApp(methods: [String]) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(
            client: try await server.publicClient(), key: try await relyingApp(server, account, methods: methods))
        for _ in 0..<6 {
            #expect(try await thief.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    @Test("attack: a second factor in another app leaves none out for the same key in the operator's own")
    func secondFactorInAnotherApp() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let thief = TestApp(client: client, key: try await relyingApp(server, account, methods: ["pwd", "otp"]))
        #expect(try await thief.signIn().errorCode == "mfa_required")
        // The same key, linked in the app itself: what is refused above is refused for the client's sake alone.
        _ = try await client.signIn(account, proof: thief.key, methods: ["pwd", "otp"])
        _ = try await thief.signIn().code()
    }

    @Test("attack: who came in by a login nonce cannot deactivate the wallet by their key")
    func keyOfANonce() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(client: try await server.publicClient())
        let backend = try await TestBackend.registered(at: server)
        _ = try await thief.redeem(thief.signIn(nonce: backend.nonce(app: thief.client)).code()).tokens()
        for _ in 0..<6 {
            #expect(try await thief.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    /// The ends that say nothing of a key. Under a new password none is known, whatever ended it.
    private static let sparing: [SessionEnd] = [.signedOut, .passwordChanged, .accountClosed]
    /// All others: by them a session was taken away.
    private static let takenAway = SessionEnd.allCases.filter { !sparing.contains($0) }

    @Test(
        "attack: a key whose session was taken away, for whatever reason, is untrusted, and cannot deactivate the wallet",
        arguments: takenAway)
    func keyThatWasTakenAway(why: SessionEnd) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(client: try await server.publicClient())
        try await thief.becomeKnown()
        let id = try #require(try await server.record(of: account)?.id)
        let now = server.clock.now()
        _ = try await server.context.database.write { connection in
            try Sessions.endAll(of: id, because: why, now: now, on: connection)
        }
        server.clock.advance(by: .milliseconds(1))
        for _ in 0..<6 {
            #expect(try await thief.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
    }

    @Test(
        "A key whose session its holder signed out of, or that ended with the account, stays known", arguments: sparing)
    func keyThatStays(why: SessionEnd) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        let id = try #require(try await server.record(of: account)?.id)
        let now = server.clock.now()
        _ = try await server.context.database.write { connection in
            try Sessions.endAll(of: id, because: why, now: now, on: connection)
        }
        server.clock.advance(by: .milliseconds(1))
        for _ in 0..<5 { _ = try await holder.signIn(password: "a wrong one") }
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test("attack: many known devices do not multiply the guesses; ten failures on all of them deactivate")
    func ceiling() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let devices = [TestApp(client: client), TestApp(client: client), TestApp(client: client)]
        for device in devices { try await device.becomeKnown() }
        var answers: [String?] = []
        for device in devices {
            for _ in 0..<4 { answers.append(try await device.signIn(password: "a wrong one").errorCode) }
        }
        #expect(answers.prefix(9).allSatisfy { $0 == "invalid_credentials" })
        #expect(answers.suffix(3).allSatisfy { $0 == "wallet_deactivated" })
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test("A deactivation that a crash cut off is carried out by the next attempt, whatever its password")
    func healing() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<5 { _ = try await holder.signIn(password: "a wrong one") }
        // As if the process had ended between the last wrong answer and the deactivation.
        try await server.context.database.write { connection in
            _ = try connection.execute("UPDATE accounts SET state = 'active', security_version = 1", [])
        }
        #expect(try await holder.signIn().errorCode == "wallet_deactivated")
        #expect(try await server.record(of: account)?.state == .deactivated)
    }
}
