import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("An account's own second factors", .threat("A stolen password"))
struct FactorManagementTests {
    private func setUp(
        methods: [String] = ["pwd", "otp"], reachable: Bool = true
    ) async throws -> (server: TestServer, device: TestDevice) {
        let server = try await TestServer.start()
        let account = try await reachable ? server.reachableAccount() : server.account()
        return (server, try await .signedIn(account, server.publicClient(), methods: methods))
    }

    @Test(
        "A colon in the brand's name does not reach the label of an authenticator app, which is split at the first one",
        arguments: [("Café: Club", "Caf%C3%A9%20Club"), ("Sun:Rise", "Sun%20Rise"), ("Sun Rise", "Sun%20Rise")])
    func colonInBrand(name: String, issuer: String) async throws {
        let (server, device) = try await setUp()
        try await server.administer(["brand", "update", "default", "--name", name])
        let uri = try await device.beginAuthenticator().get().uri.reveal()
        #expect(uri.hasPrefix("otpauth://totp/\(issuer):ada?"), "\(uri)")
        #expect(uri.contains("&issuer=\(issuer)&"), "\(uri)")
    }

    @Test("An authenticator app counts once a code has shown that it has the secret, and the holder is notified")
    func authenticator() async throws {
        let (server, device) = try await setUp()
        let setup = try await device.beginAuthenticator().get()
        #expect(setup.uri.reveal().hasPrefix("otpauth://totp/Wallet:ada?secret=\(setup.secret.reveal())&issuer=Wallet"))
        #expect("\(setup)".contains(setup.secret.reveal()) == false)
        let app = TestApp(client: device.app.client)
        #expect(try await app.signIn().asked().prompt.method == "otp")
        let wrong = try await device.confirmAuthenticator("000000")
        #expect(wrong.refusal == .invalidCode)
        _ = try await device.confirmAuthenticator(device.code(of: setup)).get()
        #expect(try await server.messages().contains { $0.kind == "totp_added" })

        server.clock.advance(by: .seconds(31))
        let asked = try await app.signIn().asked()
        #expect(asked.prompt.method == "totp")
        #expect(asked.prompt.alternatives.map(\.method) == ["otp"])
        let code = try await app.answer(device.code(of: setup), to: asked).code()
        let claims = try await server.claims(of: app.redeem(code).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test(
        "An authenticator app's code is accepted once (replay), even of a hundred at once, and none of an earlier step")
    func replay() async throws {
        let (server, device) = try await setUp()
        let setup = try await device.authenticator()
        // The code that confirmed the app is spent as well.
        let first = TestApp(client: device.app.client)
        let spent = try await first.answer(device.code(of: setup), to: first.signIn().asked())
        #expect(spent.errorCode == "invalid_credentials")
        let client = device.app.client
        server.clock.advance(by: .minutes(3))
        let second = TestApp(client: client)
        _ = try await second.answer(device.code(of: setup), to: second.signIn().asked()).code()
        let third = TestApp(client: client)
        let earlier = try await third.answer(device.code(of: setup, stepsAway: -1), to: third.signIn().asked())
        #expect(earlier.errorCode == "invalid_credentials")
        server.clock.advance(by: .minutes(3))
        let code = try device.code(of: setup)
        var waiting: [(TestApp, AskedFactor)] = []
        for _ in 0..<100 {
            let app = TestApp(client: client)
            waiting.append((app, try await app.signIn().asked()))
        }
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (app, asked) in waiting {
                group.addTask { try await app.answer(code, to: asked).isAuthorized }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 1)
    }

    @Test("Another secret replaces the one in use only when it is confirmed, by the session that asked for it")
    func replacement() async throws {
        let (server, device) = try await setUp()
        let old = try await device.authenticator()
        let new = try await device.beginAuthenticator().get()
        let other = try await TestDevice.signedIn(
            try #require(try await server.accountID()), device.app.client, methods: ["pwd", "otp"])
        let stolen = try await other.confirmAuthenticator(device.code(of: new))
        #expect(stolen.refusal == .nothingPending)
        server.clock.advance(by: .seconds(60))
        let app = TestApp(client: device.app.client)
        _ = try await app.answer(device.code(of: old), to: app.signIn().asked()).code()
        _ = try await device.confirmAuthenticator(device.code(of: new)).get()
        server.clock.advance(by: .seconds(60))
        let next = TestApp(client: device.app.client)
        let asked = try await next.signIn().asked()
        #expect(try await next.answer(device.code(of: old), to: asked).errorCode == "invalid_credentials")
        _ = try await next.answer(device.code(of: new), to: asked).code()
        let again = try await device.confirmAuthenticator(device.code(of: new))
        #expect(again.refusal == .nothingPending)
    }

    @Test("A secret not confirmed within ten minutes is of no use")
    func forgotten() async throws {
        let (server, device) = try await setUp()
        let setup = try await device.beginAuthenticator().get()
        #expect(setup.expiresIn == 600)
        server.clock.advance(by: .minutes(10))
        let late = try await TestDevice.signedIn(
            try #require(try await server.accountID()), device.app.client
        ).confirmAuthenticator(device.code(of: setup))
        #expect(late.refusal == .nothingPending)
    }

    @Test("One factor, or an old sign-in, changes no factor of an account that has two (a stolen session)")
    func weak() async throws {
        let (server, device) = try await setUp(methods: ["pwd"])
        let two = FactorRefusal.strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors)
        let begun = try await device.beginAuthenticator()
        #expect(begun.refusal == two)
        let codes = try await device.makeRecoveryCodes()
        #expect(codes.refusal == two)
        let removed = try await device.removeAuthenticator()
        #expect(removed.refusal == two)
        let fresh = try await TestDevice.signedIn(try #require(try await server.accountID()), device.app.client)
        server.clock.advance(by: .minutes(5))
        let old = try await fresh.beginAuthenticator()
        #expect(old.refusal == two)
        let oldCodes = try await fresh.makeRecoveryCodes()
        #expect(oldCodes.refusal == two)
    }

    @Test("An account without any factor sets up its first one after a fresh sign-in by password")
    func first() async throws {
        let (_, device) = try await setUp(methods: ["pwd"], reachable: false)
        _ = try await device.authenticator()
        let next = try await device.beginAuthenticator()
        #expect(
            next.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
        let other = try await TestServer.start()
        let account = try await other.account()
        let stale = try await TestDevice.signedIn(account, other.publicClient(), methods: ["pwd"])
        other.clock.advance(by: .minutes(5))
        let refused = try await stale.beginAuthenticator()
        #expect(
            refused.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.singleFactor))
    }

    @Test("An authenticator app that was taken away is asked for no more, and the holder hears of it")
    func removal() async throws {
        let (server, device) = try await setUp()
        let nothing = try await device.removeAuthenticator()
        #expect(nothing.refusal == .notFound)
        _ = try await device.authenticator()
        _ = try await device.removeAuthenticator().get()
        #expect(try await server.messages().contains { $0.kind == "totp_removed" })
        let app = TestApp(client: device.app.client)
        #expect(try await app.signIn().asked().prompt.method == "otp")
    }

    @Test("Ten recovery codes of eighty bits are shown once; each signs in once, and a new set voids the old")
    func recoveryCodes() async throws {
        let (server, device) = try await setUp()
        let codes = try await device.makeRecoveryCodes().get().codes
        #expect(Set(codes).count == 10)
        #expect(codes.allSatisfy { Base32.decode($0.reveal())?.count == 10 })
        let app = TestApp(client: device.app.client)
        let typed = codes[0].reveal().lowercased().replacing("-", with: " ")
        let outcome = try await NativeSignInOutcome.authorizedOrRefused(
            app: app, code: typed, first: app.signIn().asked())
        let claims = try await server.claims(of: app.redeem(outcome.code()).tokens())
        #expect(claims.amr == ["pwd", "otp"])
        #expect(try await server.messages().contains { $0.kind == "recovery_code_used" })
        let list = try await device.list(factors: ())
        #expect(list.recoveryCodes == 9)
        let stranger = TestApp(client: app.client)
        let again = try await NativeSignInOutcome.authorizedOrRefused(
            app: stranger, code: codes[0].reveal(), first: stranger.signIn().asked())
        #expect(again.errorCode == "invalid_credentials")
        _ = try await device.makeRecoveryCodes().get()
        let void = TestApp(client: app.client)
        let old = try await NativeSignInOutcome.authorizedOrRefused(
            app: void, code: codes[1].reveal(), first: void.signIn().asked())
        #expect(old.errorCode == "invalid_credentials")
    }

    @Test("A recovery code that is typed while another factor is chosen is not spent, and works afterwards")
    func switched() async throws {
        let (server, device) = try await setUp()
        let code = try #require(try await device.makeRecoveryCodes().get().codes.first)
        let app = TestApp(client: device.app.client)
        let first = try await app.signIn().asked()
        // Another factor is chosen between the charge of the try and the comparison: here, as the try is charged.
        try await server.context.database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER switched AFTER UPDATE OF tries ON open_factors WHEN NEW.kind = 'recovery_code' BEGIN
                    UPDATE open_factors SET kind = 'email' WHERE id = NEW.id;
                END
                """)
        }
        let outcome = try await NativeSignInOutcome.authorizedOrRefused(app: app, code: code.reveal(), first: first)
        #expect(outcome.errorCode == "invalid_credentials")
        let left = try await device.list(factors: ()).recoveryCodes
        #expect(left == 10)
        try await server.context.database.write { try $0.define("DROP TRIGGER switched") }
        let again = try await NativeSignInOutcome.authorizedOrRefused(app: app, code: code.reveal(), first: first)
        #expect(again.isAuthorized)
    }

    @Test("The database holds neither an authenticator's secret nor a recovery code")
    func sealed() async throws {
        let (server, device) = try await setUp()
        let setup = try await device.authenticator()
        let codes = try await device.makeRecoveryCodes().get().codes
        let stored = try await server.context.database.read { connection in
            try connection.query("SELECT sealed FROM totp_secrets", []).map { try $0.blob("sealed") }
                + connection.query("SELECT digest FROM recovery_codes", []).map { try $0.blob("digest") }
        }
        #expect(stored.count == 11)
        let secrets =
            try [setup.secret.reveal()].map { try #require(Base32.decode($0)) }
            + codes.map { try #require(Base32.decode($0.reveal())) }
        for secret in secrets {
            #expect(!stored.contains { row in row.indices.contains { row[$0...].starts(with: secret) } })
        }
    }

    @Test(
        "After a restore a code that the authenticator app has shown by then opens nothing, nor does a sign-in of before"
    )
    func restored() async throws {
        let (server, device) = try await setUp()
        let setup = try await device.authenticator()
        server.clock.advance(by: .minutes(2))
        let before = try await device.app.client.server.restarted(epoch: 7)
        let app = TestApp(
            client: TestClient(server: before, id: device.app.client.id, secret: nil))
        let asked = try await app.signIn().asked()
        #expect(try await app.answer(device.code(of: setup), to: asked).errorCode == "invalid_credentials")
        before.clock.advance(by: .minutes(1))
        _ = try await app.answer(device.code(of: setup), to: asked).code()
    }

    @Test("The factors of an account that is erased are gone")
    func erased() async throws {
        let (server, device) = try await setUp()
        _ = try await device.authenticator()
        _ = try await device.makeRecoveryCodes().get()
        try await server.administer(["account", "erase", "ada"])
        for table in ["totp_secrets", "recovery_codes", "open_factors", "secret_questions"] {
            let rows = try await server.rows(of: table)
            #expect(rows == 0, "\(table)")
        }
    }
}

extension NativeSignInOutcome {
    /// Whether a code came of it.
    var isAuthorized: Bool {
        if case .authorized = self { true } else { false }
    }

    /// What comes of a recovery code, chosen in the place of what was asked for first.
    static func authorizedOrRefused(app: TestApp, code: String, first: AskedFactor) async throws -> NativeSignInOutcome
    {
        let asked = try await app.proceed(first.session, .chooseFactor(.recoveryCode)).asked()
        return try await app.answer(code, to: asked)
    }
}
