import FlowSupport
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Devices that an account knows", .threat("Password guessing", "Locking the holder out"))
struct KnownDeviceTests {
    private static let ada = AccountReference.username("ada", brand: nil)
    private static let new = "another phrase 9"

    @Test("attack: a device that was known under the old password cannot deactivate the wallet under the new one")
    func oldKey() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(client: try await server.publicClient())
        try await thief.becomeKnown()
        server.clock.advance(by: .seconds(1))
        try await server.administer(
            AdminRequest(["account", "set-password"] + Self.ada.words, input: Self.new))
        try await thief.expectNoHarm(to: account)
    }

    @Test(
        """
        attack: a session that a server with a clock ahead opened with the old password makes no device known under the new one
        """)
    func clockAhead() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let thief = TestApp(client: try await server.publicClient())
        server.clock.advance(by: .seconds(1))
        try await thief.becomeKnown()
        server.clock.advance(by: .seconds(-1))
        try await server.administer(
            AdminRequest(["account", "set-password"] + Self.ada.words, input: Self.new))
        server.clock.advance(by: .seconds(2))
        try await thief.expectNoHarm(to: account)
    }

    /// The ways to another password.
    enum Change: CaseIterable, Sendable {
        case byOperator
        case byHolder
        case required
        case recovery
    }

    /// Prepares a change.
    /// - Returns: its last request.
    private func prepare(
        _ change: Change, of account: AccountID, at client: TestClient
    ) async throws -> @Sendable () async throws -> Void {
        let server = client.server
        let holder = TestApp(client: client)
        switch change {
        case .byOperator:
            return {
                try await server.administer(
                    AdminRequest(["account", "set-password"] + Self.ada.words, input: Self.new))
            }
        case .byHolder:
            let phone = try await TestDevice.signedIn(account, client)
            return { try await phone.changePassword(from: nil, to: Self.new).get() }
        case .required:
            try await server.administer(AdminRequest(["account", "expire-password"] + Self.ada.words))
            let asked = try await holder.signIn().asked()
            let session = try await holder.answer(server.sentCode(), to: asked).passwordSession()
            return { _ = try await holder.choose(Self.new, in: session).code() }
        case .recovery:
            let session = try await holder.recoverByCode().passwordSession()
            return { _ = try await holder.choose(Self.new, in: session).code() }
        }
    }

    @Test(
        "attack: a key that signs in while another password waits for its write is not known under the new one",
        arguments: Change.allCases)
    func keyMeanwhile(change: Change) async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let thief = TestApp(client: client)
        let finish = try await prepare(change, of: account, at: client)
        server.beforeNextWrite {
            _ = try await client.signIn(account, proof: thief.key, methods: ["pwd", "otp"])
            server.clock.advance(by: .seconds(1))
        }
        try await finish()
        #expect(try await server.record(of: account)?.passwordChangedAt == server.clock.now())
        // No session ended before it began.
        #expect(try await server.rows(of: "sessions WHERE revoked_at < created_at") == 0)
        try await thief.expectNoHarm(to: account)
    }

    @Test("attack: a browser that signs in while another password waits for its write is not known under the new one")
    func browserMeanwhile() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let kept = Mutex<BrowserCookies?>(nil)
        server.beforeNextWrite {
            let thief = TestBrowser(server)
            _ = try await thief.signIn(client.request()).code()
            let cookies = thief.cookies
            kept.withLock { $0 = cookies }
            server.clock.advance(by: .seconds(1))
        }
        try await server.administer(
            AdminRequest(["account", "set-password"] + Self.ada.words, input: Self.new))
        let thief = TestBrowser(server)
        thief.cookies = try #require(kept.withLock { $0 })
        thief.cookies.session = nil
        try await thief.expectNoHarm(at: client, to: account)
    }

    /// Has something happen before a write, counted from the next one.
    private func before(
        write number: Int, at server: TestServer, _ body: @escaping @Sendable () async throws -> Void
    ) {
        guard number > 1 else { return server.beforeNextWrite(body) }
        server.beforeNextWrite { before(write: number - 1, at: server, body) }
    }

    @Test(
        "attack: a password set between a browser's check and its sign-in keeps that browser unknown",
        arguments: [3, 4])
    func refusedBrowser(write: Int) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let thief = TestBrowser(server)
        let page = try await thief.open(client.request()).page()
        let typed = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        // The first two are of the comparison, the third is the gate's, the fourth begins the browser's session.
        before(write: write, at: server) {
            try await server.administer(
                AdminRequest(["account", "set-password"] + Self.ada.words, input: Self.new))
        }
        _ = try await thief.submit(page, typed).code()
        #expect(thief.cookies.session == nil)
        #expect(thief.cookies.device == nil)
        try await thief.expectNoHarm(at: client, to: account)
    }

    @Test("The browser in which a required password was set is known, however long its write waited")
    func ownBrowser() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let browser = TestBrowser(server)
        try await server.administer(AdminRequest(["account", "expire-password"] + Self.ada.words))
        let page = try await browser.signIn(client.request()).page()
        server.beforeNextWrite { server.clock.advance(by: .seconds(1)) }
        _ = try await browser.submit(page, .setPassword(Password(Self.new))).code()
        browser.cookies.session = nil
        for _ in 0..<5 { _ = try await browser.signIn(client.request(), password: "a wrong one").page() }
        #expect(try await server.record(of: account)?.state == .deactivated)
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
        try await server.administer(
            AdminRequest(["account", "set-password"] + Self.ada.words, input: Self.new))
        try await thief.expectNoHarm(at: client, to: account)
    }

    @Test("A browser is known for 180 days after its last sign-in, and no longer")
    func cookieAge() async throws {
        for (age, state) in [
            (KnownDeviceCookie.lifetime - .seconds(1), AccountState.deactivated), (KnownDeviceCookie.lifetime, .active),
        ] {
            let server = try await TestServer.start()
            let account = try await server.account()
            let client = try await server.publicClient()
            let browser = TestBrowser(server)
            _ = try await browser.signIn(client.request()).code()
            browser.cookies.session = nil
            server.clock.advance(by: age)
            for _ in 0..<5 { _ = try await browser.signIn(client.request(), password: "a wrong one").page() }
            #expect(try await server.record(of: account)?.state == state)
        }
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
        try await thief.expectNoHarm(to: account)
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
        try await thief.expectNoHarm(to: account)
    }

    /// The ends that say nothing of a key. Under a new password none is known, whatever ended it.
    private static let sparing: [SessionEnd] = [
        .signedOut, .passwordChanged, .accountClosed, .clientDeleted, .limitReached,
    ]
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
        try await thief.expectNoHarm(to: account)
    }

    @Test(
        "A key whose session its holder signed out of, or that ended with the account or the app, stays known",
        arguments: sparing)
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

    @Test(
        "attack: an account that a directory or an operator closes over a lock still compares no password",
        arguments: [[DeactivationCause.directory], [.operator], [.directory, .operator]])
    func closedOverLock(causes: [DeactivationCause]) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let id = try #require(UniqueID(bytes: account.bytes))
        let client = try await server.publicClient()
        for cause in [.failures] + causes {
            #expect(try await server.context.database.write { try Accounts.deactivate(id, by: cause, on: $0) })
        }
        #expect(try await server.record(of: account)?.deactivatedBy == causes.last)
        #expect(try await TestApp(client: client).signIn().errorCode == "invalid_credentials")
        // An operator ends both.
        try await server.administer(["account", "reactivate", "ada"])
        #expect(try await server.record(of: account)?.closedOver == nil)
        _ = try await TestApp(client: client).signIn().code()
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
            _ = try connection.execute(
                "UPDATE accounts SET state = 'active', security_version = 1, attempts_version = 1", [])
        }
        #expect(try await holder.signIn().errorCode == "wallet_deactivated")
        #expect(try await server.record(of: account)?.state == .deactivated)
    }
}
