import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Signing in by a login nonce", .threat("Locking the holder out"))
struct LoginNonceTests {
    private struct Setting {
        let server: TestServer
        let account: AccountID
        let app: TestApp
        let backend: TestBackend
    }

    private func setUp() async throws -> Setting {
        let server = try await TestServer.start()
        let account = try await server.account()
        return Setting(
            server: server, account: account, app: TestApp(client: try await server.publicClient()),
            backend: try await TestBackend.registered(at: server))
    }

    @Test("A nonce that a backend had issued signs its person in, by a method that proves no category of factor")
    func signsIn() async throws {
        let setting = try await setUp()
        let nonce = try await setting.backend.nonce(app: setting.app.client, key: setting.app.key)
        let tokens = try await setting.app.redeem(setting.app.signIn(nonce: nonce).code()).tokens()
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.subject == setting.account.rawValue)
        #expect(claims.amr == ["nonce"])
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        #expect(AuthenticationStrength.category(of: "nonce") == nil)
    }

    @Test("It is never a factor of strong authentication: with a code as well it stays one factor, and links no device")
    func neverAFactor() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        let backend = try await TestBackend.registered(at: server)
        let asked = try await app.signIn(nonce: backend.nonce(app: app.client)).asked()
        let tokens = try await app.redeem(app.answer(server.sentCode(), to: asked).code()).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.amr == ["nonce", "otp"])
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        server.clock.advance(by: .seconds(31))
        // Where two categories are required, no answer with a nonce reaches them.
        let wanting = try await app.step(
            .begin(.nonce(NonceLogin(nonce: backend.nonce(app: app.client)))),
            acrValues: [AuthenticationStrength.twoFactors])
        let again = try wanting.asked()
        let outcome = try await app.answer(server.sentCode(), to: again)
        #expect(outcome.refusal?.error == "redirect_to_web")
    }

    @Test("An enrolled device proves itself by its key, as with a password, and is asked for nothing more")
    func enrolledDevice() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let backend = try await TestBackend.registered(at: server)
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        // With a DPoP key of its own, which has no session: nothing but the enrolled key makes it known.
        let app = TestApp(client: client)
        let code = try await app.signIn(nonce: backend.nonce(app: client), from: device, as: enrolled.id).code()
        let claims = try await server.claims(of: app.redeem(code).tokens())
        #expect(claims.amr == ["nonce", KeyStorage.software.method])
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        // It is the device's session: a suspended one does not sign in.
        try await server.administer(["device", "suspend", enrolled.id.rawValue])
        let suspended = try await app.signIn(nonce: backend.nonce(app: client), from: device, as: enrolled.id)
        #expect(suspended.errorCode == "device_suspended")
    }

    @Test("attack: a proof by another key, or by another account's device, adds nothing to a nonce")
    func foreignProof() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let other = try await server.reachableAccount("grace")
        let client = try await server.publicClient()
        let backend = try await TestBackend.registered(at: server)
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        let theirs = try await TestDevice.signedIn(other, client)
        let foreign = try await theirs.enrolled(other, name: "Grace's phone")
        _ = try await TestApp(client: client).signIn(
            nonce: backend.nonce(app: client), from: device, as: enrolled.id, provedBy: TestKey()
        ).asked()
        _ = try await TestApp(client: client).signIn(
            nonce: backend.nonce(app: client), from: theirs, as: foreign.id
        ).asked()
    }

    @Test("A second factor after a nonce links no device: with the device's key, too, it stays one category")
    func linksNothing() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let backend = try await TestBackend.registered(at: server)
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        server.clock.advance(by: .hours(25))
        let app = TestApp(client: client)
        let outcome = try await app.signIn(
            nonce: backend.nonce(app: client), from: device, as: enrolled.id,
            acrValues: [AuthenticationStrength.twoFactors])
        let asked = try outcome.asked()
        let answered = try await app.answer(server.sentCode(), to: asked)
        #expect(answered.refusal?.error == "redirect_to_web")
        // The newest of two codes is found by the time that it was sent.
        server.clock.advance(by: .seconds(1))
        let unlinked = TestApp(client: client)
        let question = try await unlinked.signIn(nonce: backend.nonce(app: client)).asked()
        let tokens = try await unlinked.redeem(unlinked.answer(server.sentCode(), to: question).code()).tokens()
        let phone = TestDevice(app: unlinked, tokens: tokens)
        let enrolling = try await phone.enroll(phone.enrollment(account, over: phone.challenge()))
        guard case .strongerSignIn? = enrolling.refusal else {
            Issue.record("a nonce and a code linked a device: \(String(describing: enrolling.refusal))")
            return
        }
    }

    @Test("attack: a nonce that was seen in transit takes over no account, not even one with a single factor")
    func takesNothingOver() async throws {
        let setting = try await setUp()
        let app = setting.app
        let thief = TestDevice(
            app: app,
            tokens: try await app.redeem(app.signIn(nonce: setting.backend.nonce(app: app.client)).code()).tokens())
        let stronger = FactorRefusal.strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.singleFactor)
        let password = try await thief.changePassword(from: nil, to: "a fresh phrase 7")
        #expect(password.refusal == stronger)
        let known = try await thief.changePassword(from: "correct horse battery", to: "a fresh phrase 7")
        #expect(known.refusal == stronger)
        let begun = try await thief.beginAuthenticator()
        #expect(begun.refusal == stronger)
        let confirmed = try await thief.confirmAuthenticator("123456")
        #expect(confirmed.refusal == stronger)
        let questions = try await thief.setSecretQuestions([])
        #expect(questions.refusal == stronger)
        // Knowing the password is what counts.
        let holder = try await TestDevice.signedIn(setting.account, app.client, methods: ["pwd"])
        _ = try await holder.authenticator()
    }

    @Test("attack: the answer to a secret question makes a nonce no factor that an account is changed by")
    func withSecretQuestion() async throws {
        let setting = try await setUp()
        let thief = try await TestDevice.signedIn(setting.account, setting.app.client, methods: ["nonce", "kba"])
        let password = try await thief.changePassword(from: nil, to: "a fresh phrase 7")
        #expect(
            password.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.singleFactor))
    }

    @Test("Replay: of 64 uses of one nonce at once, exactly one signs in")
    func replay() async throws {
        let setting = try await setUp()
        let nonce = try await setting.backend.nonce(app: setting.app.client)
        let app = setting.app
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { try await app.signIn(nonce: nonce).errorCode == nil }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 1)
        let left = try await setting.server.rows(of: "login_nonces")
        #expect(left == 0)
    }

    @Test(
        "attack: one nonce opens one session, however often the merchant of its sign-in is chosen, to the last moment",
        .threat("Login nonces"))
    func oneSession() async throws {
        let server = try await TestServer.start()
        let person = AccountReference.id(try await server.account().rawValue)
        let client = try await server.publicClient { $0.requiresMerchant = true }
        for id in ["kiosk", "shop"] {
            try await server.administer(["merchant", "create", id, "--name", id])
            try await server.administer([
                "merchant", "install-client", id, "--client", client.id.rawValue,
            ])
            try await server.administer(
                AdminRequest(["merchant", "add-employee", id] + person.words))
        }
        let backend = try await TestBackend.registered(at: server)
        var app = TestApp(client: client)
        let session = try #require(try await app.signIn(nonce: backend.nonce(app: client)).refusal?.session)
        app.merchant = "shop"
        let choice = Continuation.chooseMerchant(try MerchantID("shop"))
        let codes = [
            try await app.proceed(session, choice).code(), try await app.proceed(session, choice).code(),
        ]
        let tokens = try await app.redeem(codes[0]).tokens()
        #expect(try await app.redeem(codes[1]).refusal == .invalidGrant)
        server.clock.advance(by: PendingSignIn.lifetime - .seconds(1))
        let last = try await app.proceed(session, choice).code()
        server.clock.advance(by: AuthorizationGrant.lifetime - .milliseconds(1))
        _ = try await Sweep.run(server.context.database, now: server.clock.now())
        #expect(try await app.redeem(last).refusal == .invalidGrant)
        // The session that the first one opened goes on.
        _ = try await client.refresh(try #require(tokens.refreshToken), proof: app.key).tokens()
        #expect(try await server.rows(of: "sessions") == 1)
    }

    @Test("Another client, another key, another purpose: refused like any wrong nonce, and the nonce stays usable")
    func bindings() async throws {
        let setting = try await setUp()
        let (app, backend) = (setting.app, setting.backend)
        let nonce = try await backend.nonce(app: app.client, purpose: "handover", key: app.key)
        let otherApp = TestApp(client: try await setting.server.publicClient("other-app"))
        let otherClient = try await otherApp.signIn(nonce: nonce, purpose: "handover")
        let otherKey = try await TestApp(client: app.client).signIn(nonce: nonce, purpose: "handover")
        let otherPurpose = try await app.signIn(nonce: nonce)
        for outcome in [otherClient, otherKey, otherPurpose] {
            #expect(outcome.errorCode == "invalid_credentials")
            #expect(outcome.refusal?.status == 401)
        }
        _ = try await app.signIn(nonce: nonce, purpose: "handover").code()
    }

    @Test("It is over after a minute, and the sweep takes it away")
    func expired() async throws {
        let setting = try await setUp()
        let nonce = try await setting.backend.nonce(app: setting.app.client)
        setting.server.clock.advance(by: .seconds(60))
        let outcome = try await setting.app.signIn(nonce: nonce)
        #expect(outcome.errorCode == "invalid_credentials")
        let kept = try await setting.server.rows(of: "login_nonces")
        #expect(kept == 1)
        _ = try await Sweep.run(setting.server.context.database, now: setting.server.clock.now())
        let left = try await setting.server.rows(of: "login_nonces")
        #expect(left == 0)
    }

    @Test("Only its hash is kept")
    func onlyTheHash() async throws {
        let setting = try await setUp()
        let nonce = try await setting.backend.nonce(app: setting.app.client)
        let kept = try await setting.server.context.database.read { connection in
            try connection.row("SELECT digest FROM login_nonces", [])?.blob("digest")
        }
        #expect(kept == LoginNonceIssuer.digest(of: nonce))
        #expect(nonce.reveal().utf8.count == 43)
    }

    @Test("An account that changes between issue and use is not signed in: a new password, deactivation, erasure")
    func changedBetween() async throws {
        let setting = try await setUp()
        let (server, app, backend) = (setting.server, setting.app, setting.backend)
        let ada = AccountReference.username("ada", brand: nil)
        let beforePassword = try await backend.nonce(app: app.client)
        try await server.administer(
            AdminRequest(["account", "set-password"] + ada.words, input: "another phrase 8"))
        #expect(try await app.signIn(nonce: beforePassword).errorCode == "invalid_credentials")
        let beforeClosing = try await backend.nonce(app: app.client)
        try await server.administer(AdminRequest(["account", "deactivate"] + ada.words))
        let closed = try await app.signIn(nonce: beforeClosing)
        #expect(closed.errorCode == "wallet_deactivated")
        #expect(closed.refusal?.statusCode == 421)
        try await server.administer(AdminRequest(["account", "reactivate"] + ada.words))
        let beforeErasure = try await backend.nonce(app: app.client)
        try await server.administer(AdminRequest(["account", "erase"] + ada.words))
        #expect(try await app.signIn(nonce: beforeErasure).errorCode == "invalid_credentials")
    }

    @Test("A backend that was deleted since it issued the nonce no longer vouches for the person")
    func issuerDeleted() async throws {
        let setting = try await setUp()
        let nonce = try await setting.backend.nonce(app: setting.app.client)
        try await setting.server.administer(["client", "delete", setting.backend.client.id.rawValue])
        let outcome = try await setting.app.signIn(nonce: nonce)
        #expect(outcome.errorCode == "invalid_credentials")
    }

    @Test("A suspended device stays closed, even if a backend vouches for its holder")
    func suspendedDevice() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        let backend = try await TestBackend.registered(at: server)
        let phone = TestDevice(app: app, tokens: try await app.redeem(app.signInWithCode().code()).tokens())
        let enrolled = try await phone.enrolled(account)
        try await server.administer(["device", "suspend", enrolled.id.rawValue])
        let outcome = try await app.signIn(nonce: backend.nonce(app: app.client))
        #expect(outcome.errorCode == "device_suspended")
    }

    @Test("Guesses are counted by the address, and the right nonce washes none of them away")
    func guesses() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let backend = try await TestBackend.registered(at: server)
        for number in 0..<4 {
            let outcome = try await app.signIn(nonce: LoginNonce("a-wrong-one-\(number)"))
            #expect(outcome.errorCode == "invalid_credentials")
        }
        _ = try await app.signIn(nonce: backend.nonce(app: app.client)).code()
        _ = try await app.signIn(nonce: LoginNonce("another-wrong-one"))
        let refused = try await app.signIn(nonce: backend.nonce(app: app.client))
        #expect(refused.refusal?.status == 429)
    }

    @Test("Wrong nonces from its network do not hold up a device of the account")
    func knownDevice() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        try await app.becomeKnown()
        let backend = try await TestBackend.registered(at: server)
        let other = TestApp(client: app.client)
        for number in 0..<5 { _ = try await other.signIn(nonce: LoginNonce("a-wrong-one-\(number)")) }
        let refused = try await other.signIn(nonce: backend.nonce(app: app.client))
        #expect(refused.refusal?.status == 429)
        _ = try await app.signIn(nonce: backend.nonce(app: app.client)).code()
    }
}

@Suite("Having login nonces issued")
struct LoginNonceIssuerTests {
    @Test("Without the scope, with a person's token, or with none, nothing is issued")
    func scopeMissing() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let backend = try await TestBackend.registered(at: server)
        let person = LoginNonceRequest.Person.account(ada)
        await #expect(throws: OAuthRefusal.insufficientScope("login_nonces")) {
            try await backend.ask(for: person, app: app.client, scope: "wallet_operations")
        }
        let other = TestBackend(client: try await server.confidentialClient("other-backend"))
        await #expect(throws: OAuthRefusal.insufficientScope("login_nonces")) {
            try await other.ask(for: person, app: app.client)
        }
        let own = try await app.becomeKnown().accessToken
        for shown in [nil, PresentedAccessToken.bearer(own), .dpop(own)] {
            await #expect(throws: shown == nil ? OAuthRefusal.invalidToken : .unusableToken(.ofPerson)) {
                try await backend.ask(for: person, app: app.client, authorization: shown)
            }
        }
    }

    @Test(
        "A backend speaks for its own brand: another brand's people look like unknown ones to it, and another's apps too"
    )
    func otherBrand() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "create", "acme", "--name", "Acme"])
        let stranger = try await server.account("eve") { $0.brand = "acme" }
        let ada = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let acmeApp = TestApp(client: try await server.publicClient("acme-app") { $0.brand = "acme" })
        let backend = try await TestBackend.registered(at: server)
        let nobody = LoginNonceRequest.Person.username(try Username("nobody"))
        for person in [LoginNonceRequest.Person.account(stranger), .username(try Username("eve")), nobody] {
            let refused = try await backend.ask(for: person, app: app.client)
            #expect(refused == .failure(.accountNotFound))
        }
        let abroad = try await backend.ask(for: .account(ada), app: acmeApp.client)
        #expect(abroad == .failure(.clientNotFound))
        try await server.administer(["account", "erase", "--account", ada.rawValue])
        let erased = try await backend.ask(for: .account(ada), app: app.client)
        #expect(erased == .failure(.accountNotFound))
    }

    @Test("No nonce is issued for a client that is not the operator's own app")
    func thirdParty() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        let backend = try await TestBackend.registered(at: server)
        let partner = try await server.publicClient("partner") { $0.firstParty = false }
        for client in [partner, backend.client] {
            let refused = try await backend.ask(for: .account(ada), app: client)
            #expect(refused == .failure(.clientNotFound))
        }
    }

    @Test("Issuing is written down, with the app and the purpose")
    func auditLog() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let backend = try await TestBackend.registered(at: server)
        _ = try await backend.nonce(app: app.client, purpose: "handover")
        let details = try await server.context.database.read { connection in
            try connection.row(
                "SELECT details FROM security_events WHERE kind = 'login_nonce.issued'", [])?.text("details")
        }
        let entry = try JSONValue.object(parsing: Array((details ?? "").utf8))
        #expect(entry["properties"]?.object?["purpose"]?.string == "handover")
        #expect(entry["properties"]?.object?["app"]?.string == "app")
    }
}
