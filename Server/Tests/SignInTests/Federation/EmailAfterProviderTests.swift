import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "A code by e-mail after a provider's word",
    .threat("A changed mailbox or number", "A forged or misused provider identity"))
struct EmailAfterProviderTests {
    /// A person who came by a provider, and whose account has a confirmed address and nothing else.
    private struct Setting {
        let provider: TestProvider
        let server: TestServer
        let app: TestApp

        /// A sign-in from a device that is not linked.
        func elsewhere(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> NativeSignInOutcome {
            try await TestApp(client: app.client).signIn(at: provider, change)
        }
    }

    private static func told(_ address: String?) -> (inout JSONObject) -> Void {
        return {
            guard let address else { return }
            $0.set("email", address)
            $0["email_verified"] = .bool(true)
        }
    }

    /// - Parameters:
    ///   - emailIsSecondFactor: whether the operator lets a code by e-mail be a second factor.
    ///   - address: what the provider tells.
    ///   - own: the account's own address.
    private func setUp(emailIsSecondFactor: Bool, told address: String?, own: String) async throws -> Setting {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider, emailIsSecondFactor: emailIsSecondFactor)
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: provider, Self.told(address)).guest()
        let made = try await app.createAccount(guest) { $0.email = try EmailAddress(own) }
        let session = try #require(made.refusal?.session)
        _ = try await app.proceed(session, .emailCode(server.emailedCode())).code()
        return Setting(provider: provider, server: server, app: app)
    }

    @Test("attack: the provider's own mailbox under another name is asked for as a second factor")
    func byDefault() async throws {
        let setting = try await setUp(emailIsSecondFactor: false, told: "ada@example.com", own: "ada@elsewhere.example")
        let tokens = try await setting.app.redeem(setting.app.signIn(at: setting.provider).code()).tokens()
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.amr == ["fed"])
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        _ = try await setting.elsewhere().code()
        #expect(try await setting.server.codesSent() == 0)
    }

    @Test("Where the operator says that it counts, a mailbox that the provider never told is a factor of its own")
    func permitted() async throws {
        let setting = try await setUp(emailIsSecondFactor: true, told: "ada@example.com", own: "ada@elsewhere.example")
        let other = TestApp(client: setting.app.client)
        let asked = try await other.signIn(at: setting.provider, Self.told("ada@example.com")).asked()
        let code = try await setting.server.sentCode()
        let tokens = try await other.redeem(other.answer(code, to: asked).code()).tokens()
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.amr == ["fed", "otp"])
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        // Named once, it is the provider's for good, also where another one is named afterwards.
        _ = try await setting.elsewhere(Self.told("ada@elsewhere.example")).code()
        _ = try await setting.elsewhere(Self.told("ada@example.com")).code()
    }

    @Test(
        "attack: a mailbox that an operator set may be the provider's own, so it is not a second factor after a provider sign-in"
    )
    func setByOperator() async throws {
        let setting = try await setUp(emailIsSecondFactor: true, told: nil, own: "ada@elsewhere.example")
        let before = try await setting.elsewhere()
        #expect(before.errorCode == "mfa_required")
        let codes = try await setting.server.codesSent()
        try await setting.server.administer(
            ["account", "set-email", "ada", "--email", "ada@third.example", "--verified"])
        _ = try await setting.elsewhere().code()
        let after = try await setting.server.codesSent()
        #expect(after == codes)
    }

    @Test(
        "attack: another spelling of the mailbox that the provider tells is a second factor, where e-mail counts",
        arguments: [
            ("ada.lovelace@gmail.com", "adalovelace@gmail.com"),
            ("adalovelace@gmail.com", "a.d.a.lovelace@googlemail.com"),
            ("ada@gmail.com", "Ada+wallet@GoogleMail.com"), ("x7f@privaterelay.appleid.com", "ada@elsewhere.example"),
            ("ada@icloud.com", "x7f@privaterelay.appleid.com"), ("ada@icloud.com", "ada@me.com"),
            ("ada@example.com", "ADA+x@Example.COM"), ("ada.l@proton.me", "adal@protonmail.com"),
            ("ada-l_b@pm.me", "adalb@proton.me"), ("ada@b\u{FC}cher.example", "ada@xn--bcher-kva.example"),
            // What no account may have, and mail reaches all the same.
            ("\"ada\"@example.com", "ada@example.com"), ("ada@example.com.", "ada@example.com"),
            ("ada..l@gmail.com", "adal@gmail.com"),
        ])
    func spellings(address: String, own: String) async throws {
        let setting = try await setUp(emailIsSecondFactor: true, told: address, own: own)
        _ = try await setting.elsewhere(Self.told(address)).code()
        _ = try await setting.elsewhere().code()
        #expect(try await setting.server.codesSent() == 0)
    }

    @Test(
        "Two mailboxes stay two",
        arguments: [
            ("ada.l@example.com", "adal@example.com"), ("ada-l@gmail.com", "adal@gmail.com"),
            ("ada@gmail.com", "ada@example.com"),
            ("ada@gmail.com", "eve@gmail.com"),
            ("ada@icloud.com", "ada@gmail.com"),
        ])
    func apart(one: String, other: String) { #expect(!ContactDetails.mayBeOneMailbox(one, other)) }

    @Test("attack: another provider under the name of one whose e-mail counts lends its word to the former's accounts")
    func renamed() async throws {
        let (first, second) = (TestProvider(), TestProvider(issuer: "https://other.example.net"))
        let server = try await TestServer.start(providers: TestProvider.http(first, second))
        try await server.add(first)
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: first).guest()
        let made = try await app.createAccount(guest) { $0.email = try EmailAddress("ada@elsewhere.example") }
        _ = try await app.proceed(try #require(made.refusal?.session), .emailCode(server.emailedCode())).code()
        try await server.administer(["provider", "remove", "example"])
        try await server.add(second, emailIsSecondFactor: true)
        let counts = try await server.context.database.read { connection in
            let account = try #require(try Accounts.find(named: "ada", brand: "default", on: connection))
            return try EmailAfterProvider(sealing: server.context.sealing, vendors: server.context.vendors).counts(
                for: account, on: connection)
        }
        #expect(!counts)
    }

    @Test("Of two providers that an account is joined to the stricter one holds")
    func stricter() async throws {
        let (first, second) = (TestProvider(), TestProvider(issuer: "https://other.example.net"))
        let server = try await TestServer.start(providers: TestProvider.http(first, second))
        try await server.add(first, emailIsSecondFactor: true)
        try await server.add(second, as: "strict")
        let app = TestApp(client: try await server.publicClient())
        let account = try await server.reachableAccount("ada")
        for (provider, name) in [(first, "example"), (second, "strict")] {
            let session = try await app.signIn(at: provider, named: name).guest()
            let device = TestDevice(
                app: app, tokens: try await app.client.signIn(account, proof: app.key, methods: ["pwd", "otp"]))
            let joined = try await server.flows.signIn.federation.identities.join(
                IdentityJoining(session: session), call: device.call(.put, Endpoints.accountIdentities.path))
            _ = try joined.get()
            let outcome = try await TestApp(client: app.client).signIn(at: first)
            #expect((outcome.errorCode == "mfa_required") == (name == "example"))
        }
    }

    @Test("attack: a sign-in by a provider agrees to a payment by a code to its mailbox")
    func consent() async throws {
        for (emailIsSecondFactor, isOffered) in [(false, false), (true, true)] {
            let setting = try await setUp(
                emailIsSecondFactor: emailIsSecondFactor, told: "ada@example.com", own: "ada@elsewhere.example")
            let account = try #require(try await setting.server.accountID())
            let shop = TestShop(
                server: setting.server, client: try await setting.server.confidentialClient("shop"), account: account,
                device: try await TestDevice.signedIn(account, setting.app.client, methods: ["fed"]))
            let offered = try await shop.ask(TestShop.transfer()).get().availableVerifications
            #expect(offered.map(\.verification).contains(.email) == isOffered)
        }
    }

    @Test("attack: a session that a provider's word opened gets e-mail back by taking the identity away")
    func taken() async throws {
        let setting = try await setUp(emailIsSecondFactor: true, told: nil, own: "ada@elsewhere.example")
        let account = try #require(try await setting.server.accountID())
        _ = try await setting.server.context.database.write { connection in
            try FederatedIdentities.removeAll(of: try #require(UniqueID(uuid: account.rawValue)), on: connection)
        }
        let shop = TestShop(
            server: setting.server, client: try await setting.server.confidentialClient("shop"), account: account,
            device: try await TestDevice.signedIn(account, setting.app.client, methods: ["fed"]))
        let offered = try await shop.ask(TestShop.transfer()).get().availableVerifications
        #expect(!offered.map(\.verification).contains(.email))
    }

    @Test("An account with nothing but its mailbox has one factor, and can set up a second one")
    func lockedOut() async throws {
        let setting = try await setUp(emailIsSecondFactor: false, told: "ada@example.com", own: "ada@elsewhere.example")
        let device = TestDevice(
            app: setting.app,
            tokens: try await setting.app.redeem(setting.app.signIn(at: setting.provider).code()).tokens())
        let setup = try await device.authenticator()
        setting.server.clock.advance(by: .minutes(1))
        let other = TestApp(client: setting.app.client)
        let asked = try await other.signIn(at: setting.provider).asked()
        _ = try await other.redeem(other.answer(device.code(of: setup), to: asked).code()).tokens()
    }

    @Test("attack: the account at a provider is enough to replace an expired password, and to have two factors by it")
    func expiredPassword() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider)
        let app = TestApp(client: try await server.publicClient())
        let account = try await server.reachableAccount("ada")
        let device = TestDevice(
            app: app, tokens: try await app.client.signIn(account, proof: app.key, methods: ["pwd", "otp"]))
        let guest = try await app.signIn(at: provider).guest()
        let joined = try await server.flows.signIn.federation.identities.join(
            IdentityJoining(session: guest), call: device.call(.put, Endpoints.accountIdentities.path))
        _ = try joined.get()
        try await server.administer(["account", "expire-password", "ada"])
        let outcome = try await TestApp(client: app.client).signIn(at: provider)
        #expect(outcome.errorCode == nil)
        #expect(try await app.signIn("ada").errorCode != nil)
    }

    @Test("An operator who lets e-mail count is warned of what it means, when it is set, shown and checked")
    func operators() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        var registration = OpenIDRegistration(id: "example", issuer: provider.issuer, clientID: provider.clientID)
        registration.emailIsSecondFactor = true
        let added = await server.flows.administration.execute { try await ProviderAdministration($0).add(registration) }
        #expect(added.lines.contains { $0.hasPrefix("WARNING: a code by e-mail counts as a second factor") })
        let shown = await server.flows.administration.execute(["provider", "show", "example"])
        #expect(
            shown.lines.contains { $0.contains("a code by e-mail counts as a second factor after a sign-in with it") })
        let examined = try await server.administer(["provider", "examine"])
        #expect(examined["providers"]?.array?.first?.object?["emailIsSecondFactor"] == .bool(true))
    }
}
