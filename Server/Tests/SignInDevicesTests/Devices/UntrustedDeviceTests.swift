import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("A sign-out before a revocation")
struct UntrustedDeviceTests {
    private static let ada = AccountReference.username("ada", brand: nil)
    private static let byPasskey = AuthenticationStrength.passkey

    /// A server, an account that a code by e-mail reaches, and a client.
    private func open() async throws -> (TestServer, AccountID, TestClient) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        return (server, account, try await server.bearerClient())
    }

    /// Signs in by an app's own key, and out again at once.
    private func comeAndGo(_ app: TestApp, _ account: AccountID, by methods: [String]) async throws {
        let tokens = try await app.client.signIn(account, proof: app.key, methods: methods)
        app.client.server.clock.advance(by: .milliseconds(1))
        let token = try #require(tokens.refreshToken).reveal()
        let request = TokenStateRequest(client: app.client.authentication, token: try PresentedToken(token))
        let outcome = try await app.client.server.flows.tokens.revocation.revoke(
            request, proof: .none, origin: TestServer.origin)
        guard case .success = outcome else {
            Issue.record("the revocation was refused: \(String(describing: outcome))")
            return
        }
        app.client.server.clock.advance(by: .milliseconds(1))
    }

    private func removePasskey(_ server: TestServer) async throws {
        let shown = try await server.administer(AdminRequest(["passkey", "list"] + Self.ada.words))["passkeys"]?
            .array?
            .compactMap(\.object)
        let id = try #require(try shown?.first?.string("passkeyId"))
        try await server.administer(["passkey", "remove", id])
        // Past the wait between two codes by e-mail as well.
        server.clock.advance(by: .seconds(31))
    }

    @Test(
        "attack: a stolen passkey signs in and out by a key of the thief's; removed, it leaves that key neither linked nor known"
    )
    func passkey() async throws {
        let (server, account, client) = try await open()
        var passkey = try SoftwarePasskey()
        _ = try await TestBrowser(server).add(&passkey)
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: Self.byPasskey)
        try await removePasskey(server)
        #expect(try await thief.signIn().errorCode == "mfa_required")
        try await thief.expectNoHarm(to: account)
    }

    @Test(
        "attack: a seen PIN and a stolen mailbox sign in and out by a key; the PIN gone, the key is neither linked nor known"
    )
    func pin() async throws {
        let (server, account, client) = try await open()
        try await server.offerPINs()
        try await server.setPIN(of: account)
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: ["pin", "otp"])
        try await server.administer(AdminRequest(["account", "remove-pin"] + Self.ada.words))
        server.clock.advance(by: .milliseconds(1))
        #expect(try await thief.signIn().errorCode == "mfa_required")
        try await thief.expectNoHarm(to: account)
    }

    @Test(
        "attack: a stolen password signs in and out by a key; expired by its operator, it leaves that key untrusted")
    func expiredPassword() async throws {
        let (server, account, client) = try await open()
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: ["pwd"])
        try await server.administer(AdminRequest(["account", "expire-password"] + Self.ada.words))
        server.clock.advance(by: .milliseconds(1))
        try await thief.expectNoHarm(to: account)
    }

    /// What is taken away, and by whom.
    enum Removal: CaseIterable, Sendable {
        case passkeyByHolder
        case passkeyByOperator
        case pinByHolder
        case pinByOperator
        case passwordByOperator

        /// What the thief signs in with.
        var methods: [String] {
            switch self {
            case .passkeyByHolder, .passkeyByOperator: AuthenticationStrength.passkey
            case .pinByHolder, .pinByOperator: ["pin", "otp"]
            case .passwordByOperator: ["pwd"]
            }
        }
    }

    @Test(
        "attack: a key that signs in while a removal waits for its write is neither linked nor known, signed out or not",
        arguments: Removal.allCases)
    func meanwhile(removal: Removal) async throws {
        let (server, account, client) = try await open()
        try await server.offerPINs()
        try await server.setPIN(of: account)
        let browser = TestBrowser(server)
        var passkey = try SoftwarePasskey()
        let passkeys = try await browser.add(&passkey)
        server.clock.advance(by: .seconds(31))
        // One signs out in time; the removal ends the other's session.
        let thieves = [TestApp(client: client), TestApp(client: client, address: "192.0.2.2")]
        let meanwhile: @Sendable () async throws -> Void = {
            server.clock.advance(by: .milliseconds(1))
            _ = try await client.signIn(account, proof: thieves[1].key, methods: removal.methods)
            try await comeAndGo(thieves[0], account, by: removal.methods)
        }
        switch removal {
        case .passkeyByHolder:
            let id = try #require(passkeys.passkeys?.passkeys.first?.id)
            server.beforeNextWrite(meanwhile)
            let page = try await browser.press(.changePasskeys(.remove(id: id)), on: passkeys).accountPage()
            #expect(page.notice == .passkeyRemoved)
        case .passkeyByOperator:
            server.beforeNextWrite(meanwhile)
            try await removePasskey(server)
        case .pinByHolder:
            let pin = try await browser.openPIN()
            server.beforeNextWrite(meanwhile)
            #expect(try await browser.press(.changePIN(.remove), on: pin).accountPage().notice == .pinRemoved)
        case .pinByOperator:
            server.beforeNextWrite(meanwhile)
            try await server.administer(AdminRequest(["account", "remove-pin"] + Self.ada.words))
        case .passwordByOperator:
            server.beforeNextWrite(meanwhile)
            try await server.administer(AdminRequest(["account", "expire-password"] + Self.ada.words))
        }
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL") == 0)
        #expect(try await server.rows(of: "sessions WHERE revoked_at < created_at") == 0)
        for thief in thieves {
            server.clock.advance(by: .seconds(31))
            #expect(try await thief.signIn().errorCode == "mfa_required")
        }
        for thief in thieves { try await thief.expectNoHarm(to: account) }
    }

    /// All ends by which something was taken away.
    private static let takenAway = SessionEnd.allCases.filter {
        ![.signedOut, .passwordChanged, .accountClosed, .clientDeleted, .limitReached].contains($0)
    }

    @Test(
        "attack: a device that signs out in time has no session to revoke, and is untrusted all the same",
        arguments: takenAway)
    func inTime(why: SessionEnd) async throws {
        let (server, account, client) = try await open()
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: Self.byPasskey)
        let id = try #require(try await server.record(of: account)?.id)
        let now = server.clock.now()
        _ = try await server.context.database.write { connection in
            try Sessions.endAll(of: id, because: why, now: now, on: connection)
        }
        server.clock.advance(by: .milliseconds(1))
        #expect(try await thief.signIn().errorCode == "mfa_required")
        try await thief.expectNoHarm(to: account)
    }

    @Test("attack: a revocation that began earlier and is written later makes no device known again")
    func writtenLate() async throws {
        let (server, account, client) = try await open()
        let earlier = server.clock.now()
        server.clock.advance(by: .milliseconds(1))
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: Self.byPasskey)
        let id = try #require(try await server.record(of: account)?.id)
        let now = server.clock.now()
        for (why, moment) in [(SessionEnd.passkeyRemoved, now), (SessionEnd.refreshReuse, earlier)] {
            _ = try await server.context.database.write { connection in
                try Sessions.endAll(of: id, because: why, now: moment, on: connection)
            }
        }
        server.clock.advance(by: .milliseconds(1))
        #expect(try await thief.signIn().errorCode == "mfa_required")
        try await thief.expectNoHarm(to: account)
    }

    @Test(
        "A phone that is signed in stays linked when a passkey is removed, and one whose holder typed the password stays known"
    )
    func holder() async throws {
        let (server, account, client) = try await open()
        var passkey = try SoftwarePasskey()
        _ = try await TestBrowser(server).add(&passkey)
        let (phone, tablet) = (TestApp(client: client), TestApp(client: client))
        _ = try await client.signIn(account, proof: phone.key, methods: ["pwd", "otp"])
        try await comeAndGo(tablet, account, by: ["pwd"])
        try await removePasskey(server)
        _ = try await phone.signIn().code()
        server.clock.advance(by: .milliseconds(1))
        for _ in 0..<5 { _ = try await tablet.signIn(password: "a wrong one") }
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test("attack: a browser that a stolen passkey opened cannot deactivate the wallet once the passkey is removed")
    func browserByPasskey() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.bearerClient()
        let account = try #require(try await server.accountID())
        let thief = TestBrowser(server)
        _ = try await thief.signIn(to: client, with: passkey).code()
        thief.cookies.session = nil
        server.clock.advance(by: .milliseconds(1))
        try await removePasskey(server)
        try await thief.expectNoHarm(at: client, to: account)
    }

    @Test(
        "attack: a browser that a seen PIN and a stolen mailbox opened cannot deactivate the wallet once the PIN is gone"
    )
    func browserByPIN() async throws {
        let (server, account, client) = try await open()
        try await server.offerPINs()
        try await server.setPIN(of: account)
        let thief = TestBrowser(server)
        let asked = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        _ = try await thief.submit(asked, .answerFactor(Password(server.sentCode()))).code()
        thief.cookies.session = nil
        server.clock.advance(by: .milliseconds(1))
        try await server.administer(AdminRequest(["account", "remove-pin"] + Self.ada.words))
        server.clock.advance(by: .milliseconds(1))
        try await thief.expectNoHarm(at: client, to: account)
    }

    @Test("A browser in which the password was typed stays known when a PIN is taken away")
    func browserByPassword() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        browser.cookies.session = nil
        server.clock.advance(by: .milliseconds(1))
        try await server.administer(AdminRequest(["account", "remove-pin"] + Self.ada.words))
        server.clock.advance(by: .milliseconds(1))
        for _ in 0..<5 { _ = try await browser.signIn(client.request(), password: "a wrong one").page() }
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    /// What an app brings about by presenting it twice.
    enum Twice: CaseIterable, Sendable {
        case code
        case refreshToken
    }

    /// Signs in to an app, which then presents something twice, so that its session ends.
    private func present(_ twice: Twice, by app: TestClient, _ account: AccountID) async throws {
        let code = try await app.code(for: account)
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        let token = try #require(try await app.token(grant).tokens().refreshToken)
        switch twice {
        case .code: #expect(try await app.token(grant).refusal == .invalidGrant)
        case .refreshToken:
            let attempts = try [UInt8(1), 2].map {
                try RefreshAttempt(Base64URL.encode([UInt8](repeating: $0, count: 16)))
            }
            _ = try await app.refresh(token, attempt: attempts[0]).tokens()
            #expect(try await app.refresh(token, attempt: attempts[1]).refusal == .invalidGrant)
        }
        #expect(try await app.server.rows(of: "sessions WHERE revoked_reason LIKE '%_reuse'") == 1)
        app.server.clock.advance(by: .milliseconds(1))
    }

    @Test(
        "attack: an app that is not the operator's own, and presents its code or token twice, distrusts no key that signed out",
        .threat("Locking the holder out"),
        arguments: Twice.allCases)
    func relyingApp(twice: Twice) async throws {
        let (server, account, client) = try await open()
        let phone = TestApp(client: client)
        try await comeAndGo(phone, account, by: Self.byPasskey)
        try await present(twice, by: try await server.publicClient("relying-app") { $0.firstParty = false }, account)
        _ = try await phone.signIn().code()
        #expect(try await server.record(of: account)?.devicesDistrustedAt == nil)
    }

    @Test(
        "attack: an app that is not the operator's own distrusts no browser that a passkey alone opened",
        arguments: Twice.allCases)
    func relyingAppAgainstBrowser(twice: Twice) async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.bearerClient()
        let account = try #require(try await server.accountID())
        let holder = TestBrowser(server)
        _ = try await holder.signIn(to: client, with: passkey).code()
        holder.cookies.session = nil
        server.clock.advance(by: .milliseconds(1))
        try await present(twice, by: try await server.publicClient("relying-app") { $0.firstParty = false }, account)
        for _ in 0..<5 { _ = try await holder.signIn(client.request(), password: "a wrong one").page() }
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test(
        "attack: a code or token of the operator's own app that comes twice leaves a key that signed out untrusted",
        arguments: Twice.allCases)
    func ownApp(twice: Twice) async throws {
        let (_, account, client) = try await open()
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: Self.byPasskey)
        try await present(twice, by: client, account)
        #expect(try await thief.signIn().errorCode == "mfa_required")
        try await thief.expectNoHarm(to: account)
    }

    @Test(
        "attack: a token of the backend that redeems for the operator's own app counts as that app's when it comes twice"
    )
    func ownAppsRedeemer() async throws {
        let (server, account, client) = try await open()
        let thief = TestApp(client: client)
        try await comeAndGo(thief, account, by: Self.byPasskey)
        let backend = try await server.confidentialClient()
        let app = try await server.publicClient("app-with-backend") { $0.redeemer = backend.id.rawValue }
        let grant = TokenRequest.Grant.authorizationCode(
            try await app.code(for: account, scope: "wallet"), redirectURI: nil, verifier: TestClient.verifier)
        _ = try await backend.token(grant).tokens()
        #expect(try await backend.token(grant).refusal == .invalidGrant)
        server.clock.advance(by: .milliseconds(1))
        #expect(try await thief.signIn().errorCode == "mfa_required")
    }

    @Test(
        "attack: an app that is not the operator's own distrusts nothing by a code that the operator's own backend redeems twice"
    )
    func relyingAppsRedeemer() async throws {
        let (server, account, client) = try await open()
        let phone = TestApp(client: client)
        try await comeAndGo(phone, account, by: Self.byPasskey)
        let backend = try await server.confidentialClient { $0.firstParty = true }
        let app = try await server.publicClient("relying-app") {
            $0.firstParty = false
            $0.redeemer = backend.id.rawValue
        }
        let grant = TokenRequest.Grant.authorizationCode(
            try await app.code(for: account, scope: "wallet"), redirectURI: nil, verifier: TestClient.verifier)
        _ = try await backend.token(grant).tokens()
        #expect(try await backend.token(grant).refusal == .invalidGrant)
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'code_reuse'") == 1)
        server.clock.advance(by: .milliseconds(1))
        _ = try await phone.signIn().code()
        #expect(try await server.record(of: account)?.devicesDistrustedAt == nil)
    }

    @Test("Leaving a merchant ends the session there, and a phone that had signed out stays linked")
    func employment() async throws {
        let (server, account, client) = try await open()
        let phone = TestApp(client: client)
        try await comeAndGo(phone, account, by: Self.byPasskey)
        let person = AccountReference.id(account.rawValue)
        try await server.administer(["merchant", "create", "m1", "--name", "Merchant"])
        try await server.administer(["merchant", "install-client", "m1", "--client", client.id.rawValue])
        try await server.administer(
            AdminRequest(["merchant", "add-employee", "m1"] + person.words))
        let token = try #require(try await client.signIn(account, merchant: try MerchantID("m1")).refreshToken)
        try await server.administer(
            AdminRequest(["merchant", "remove-employee", "m1"] + person.words))
        #expect(try await client.refresh(token).refusal == .invalidGrant)
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'administrator'") == 1)
        server.clock.advance(by: .milliseconds(1))
        _ = try await phone.signIn().code()
    }
}
