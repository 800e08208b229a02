import Core
import FlowSupport
import Foundation
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Signing in by another provider's word", .threat("A forged or misused provider identity"),
    .covers("login_method=federated_identity, POST /v1/accounts"))
struct FederatedSignInTests {
    @Test("A first sign-in creates an account, and later ones sign straight in, by one factor")
    func firstAndSecondTime() async throws {
        let setting = try await ProviderApp.setUp()
        let (app, provider) = (setting.app, setting.provider)
        let first = try await app.signIn(at: provider)
        #expect(first.errorCode == "no_matching_guest")
        #expect(first.refusal?.error == "insufficient_authorization")
        let made = try await app.redeem(app.createAccount(first.guest()).code()).tokens()
        let again = try await app.redeem(app.signIn(at: provider).code()).tokens()
        let (one, other) = (try await setting.server.claims(of: made), try await setting.server.claims(of: again))
        #expect(one.subject == other.subject)
        #expect(other.amr == ["fed"])
        #expect(other.acr == AuthenticationStrength.singleFactor)
        // Another person there is another person here.
        #expect(try await app.signIn(at: provider, as: "sub-2").errorCode == "no_matching_guest")
    }

    @Test("attack: a session that was left open at the provider sets up no authenticator app in an app")
    func oldSession() async throws {
        let setting = try await ProviderApp.setUp()
        let (server, provider) = (setting.server, setting.provider)
        _ = try await setting.app.createAccount(setting.app.signIn(at: provider).guest()).code()
        let now = server.clock.now()
        let stronger = FactorRefusal.strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.singleFactor)
        for (time, refusal) in [(now - .days(30), stronger), (now, nil)] as [(Timestamp, FactorRefusal?)] {
            let app = TestApp(client: setting.app.client)
            let code = try await app.signIn(at: provider) { $0.set("auth_time", time.seconds) }.code()
            let tokens = try await app.redeem(code).tokens()
            #expect(try await server.claims(of: tokens).authenticatedAt?.secondsSince1970 == time.seconds)
            let begun = try await TestDevice(app: app, tokens: tokens).beginAuthenticator()
            #expect(begun.refusal == refusal)
        }
    }

    @Test("A code is redeemed at the provider, with the app's redirect URI and verifier and the server's own secret")
    func code() async throws {
        let setting = try await ProviderApp.setUp()
        let (app, provider) = (setting.app, setting.provider)
        let nonce = try await app.federatedNonce()
        let token = try provider.token(
            provider.claims(nonce: nonce.nonce.rawValue, now: setting.server.clock.now()))
        provider.answerCode(200, #"{"access_token":"at","token_type":"Bearer","id_token":"\#(token)"}"#)
        let outcome = try await app.step(
            .begin(
                .federatedIdentity(
                    FederatedLogin(
                        provider: ProviderID("example"),
                        credential: .authorizationCode(
                            AuthorizationCode("their-code"), redirectURI: "com.example.wallet:/idp",
                            verifier: TestClient.verifier, challenge: nonce.challengeID)))))
        #expect(outcome.errorCode == "no_matching_guest")
        let asked = try #require(provider.requests.first { $0.url.hasSuffix("/token") })
        let form = try FormParameters(parsing: asked.body)
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["code"] == "their-code")
        #expect(form["redirect_uri"] == "com.example.wallet:/idp")
        #expect(form["code_verifier"] == TestClient.verifier.reveal())
        let basic = try #require(asked.headers.first { $0.name == "Authorization" }?.value)
        let pair = try #require(Data(base64Encoded: String(basic.dropFirst("Basic ".count))))
        let halves = try String(decoding: pair, as: UTF8.self).split(separator: ":")
            .map { try FormParameters(parsing: "half=\($0)")["half"] }
        #expect(halves == ["wallet-server", "a secret: with marks/"])
        #expect(form["client_secret"] == nil)
    }

    @Test("A code that the provider calls spent is a wrong credential; whatever else it answers, it cannot be asked")
    func codeRefused() async throws {
        let setting = try await ProviderApp.setUp()
        let (app, provider) = (setting.app, setting.provider)
        for (status, body, code) in [
            (400, #"{"error":"invalid_grant"}"#, "invalid_credentials"),
            (400, #"{"error":"invalid_request"}"#, "server_error"),
            (401, #"{"error":"invalid_client"}"#, "server_error"), (500, "{}", "server_error"),
            (302, "", "server_error"), (200, "<html>", "server_error"),
            (200, #"{"access_token":"at"}"#, "server_error"),
        ] {
            provider.answerCode(status, body)
            let nonce = try await app.federatedNonce()
            let outcome = try await app.step(
                .begin(
                    .federatedIdentity(
                        FederatedLogin(
                            provider: ProviderID("example"),
                            credential: .authorizationCode(
                                AuthorizationCode("c"), redirectURI: nil, verifier: nil,
                                challenge: nonce.challengeID)))))
            #expect(outcome.errorCode == code, "\(status) \(body)")
            if code == "server_error" {
                #expect(outcome.refusal?.status == 503)
                #expect(outcome.refusal?.retryAfter == 10)
            }
        }
    }

    @Test("What comes of asking a provider is counted by brand and name: vouched for, refused, or not to be asked")
    func metrics() async throws {
        let setting = try await ProviderApp.setUp()
        let (app, provider) = (setting.app, setting.provider)
        #expect(setting.server.flows.context.providerActivity.metrics.isEmpty)
        for _ in 0..<2 { _ = try await app.signIn(at: provider) }
        #expect(
            try await app.signIn(at: provider) { $0.set("aud", "another-client") }.errorCode == "invalid_credentials")
        for _ in 0..<3 {
            provider.answerCode(401, #"{"error":"invalid_client"}"#)
            let nonce = try await app.federatedNonce()
            let login = FederatedLogin(
                provider: try ProviderID("example"),
                credential: .authorizationCode(
                    try AuthorizationCode("c"), redirectURI: nil, verifier: nil, challenge: nonce.challengeID))
            #expect(try await app.step(.begin(.federatedIdentity(login))).refusal?.status == 503)
        }
        let metrics = ProviderMetrics(brand: "default", provider: "example", ok: 2, refused: 1, unavailable: 3)
        #expect(setting.server.flows.context.providerActivity.metrics == [metrics])
    }

    @Test("Providers beyond a number are counted together, so that no series is added without end")
    func boundedFigures() throws {
        let activity = ProviderActivity()
        for number in 0..<(ProviderActivity.most + 5) {
            let provider = try IdentityProvider(
                id: ProviderID("provider-\(number)"), brand: BrandID("default"),
                kind: .repository(
                    RepositorySettings(
                        endpoint: WebURL("https://id.example.com"), trustsEmail: false, isInternal: false)))
            activity.count(.unavailable, of: provider)
        }
        let others = ProviderMetrics(brand: "other", provider: "other", unavailable: 5)
        #expect(activity.metrics.count == ProviderActivity.most + 1)
        #expect(activity.metrics.contains(others))
    }

    @Test(
        "A provider that does not answer is reported as such and not counted against the person; it gets a short pause")
    func down() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http) { $0.lockout.network.failures = 3 }
        try await server.add(provider)
        let app = TestApp(client: try await server.publicClient())
        provider.setDown(true)
        for _ in 0..<6 {
            let refusal = try #require(try await app.signIn(at: provider).refusal)
            #expect(refusal.status == 503)
            #expect(refusal.statusCode == 500, "503 would say that the device is suspended")
            #expect(refusal.error == "temporarily_unavailable")
        }
        #expect(provider.asked("/.well-known/openid-configuration") == 1)
        provider.setDown(false)
        server.clock.advance(by: .seconds(6))
        #expect(try await app.signIn(at: provider).errorCode == "no_matching_guest")
    }

    @Test(
        "Sign-ins that slow providers keep waiting are bounded, sixteen at each and sixty-four in all; one more is refused at once",
        .timeLimit(.minutes(5)))
    func slowProvider() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let http = ProviderHTTP { _ in
            enter.yield()
            try await hangUntilCancelled()
            return ProviderHTTP.Answer(status: 200, body: [])
        }
        @Sendable func ask(_ host: String) async throws {
            _ = try await http.answer(to: ProviderHTTP.Request(url: "https://\(host)/", reach: .publicInternet))
        }
        var waiting: [Task<Void, any Error>] = []
        var arrivals = entered.makeAsyncIterator()
        for host in ["a.example.com", "b.example.com", "c.example.com", "d.example.com"] {
            for _ in 0..<16 {
                waiting.append(Task { try await ask(host) })
                await arrivals.next()
            }
            await #expect(throws: ProviderFailure.self) { try await ask(host.uppercased()) }
        }
        await #expect(throws: ProviderFailure.self) { try await ask("e.example.com") }
        for task in waiting { task.cancel() }
        for task in waiting { _ = await task.result }
        // A cancelled request gives its place back.
        let last = Task { try await ask("e.example.com") }
        await arrivals.next()
        last.cancel()
    }

    @Test("A deactivated wallet stays shut, and a device that is not linked is asked for a second factor")
    func gate() async throws {
        let setting = try await ProviderApp.setUp(trustsEmail: true)
        let (server, app, provider) = (setting.server, setting.app, setting.provider)
        let verified: (inout JSONObject) -> Void = {
            $0.set("email", "ada@example.com")
            $0["email_verified"] = .bool(true)
        }
        let guest = try await app.signIn(at: provider, verified).guest()
        let device = TestDevice(app: app, tokens: try await app.redeem(app.createAccount(guest).code()).tokens())
        let setup = try await device.authenticator()
        server.clock.advance(by: .minutes(1))
        let asked = try await app.signIn(at: provider, verified).asked()
        let tokens = try await app.redeem(app.answer(device.code(of: setup), to: asked).code()).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.amr == ["fed", "otp"])
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        _ = try await app.signIn(at: provider, verified).code()
        #expect(try await TestApp(client: app.client).signIn(at: provider).errorCode == "mfa_required")
        try await server.administer(["account", "deactivate", "ada"])
        let shut = try await app.signIn(at: provider)
        #expect(shut.errorCode == "wallet_deactivated")
        #expect(shut.refusal?.statusCode == 421)
    }

    @Test("attack: one proof at a provider opens one session, however many choices of its merchant come at once")
    func oneSession() async throws {
        let setting = try await ProviderApp.setUp()
        let server = setting.server
        _ = try await setting.app.createAccount(setting.app.signIn(at: setting.provider).guest()).code()
        let client = try await server.publicClient("till") { $0.requiresMerchant = true }
        for id in ["kiosk", "shop"] {
            try await server.administer(["merchant", "create", id, "--name", id])
            try await server.administer([
                "merchant", "install-client", id, "--client", client.id.rawValue,
            ])
            try await server.administer(
                ["merchant", "add-employee", id, "ada"])
        }
        let app = TestApp(client: client)
        let session = try #require(try await app.signIn(at: setting.provider).refusal?.session)
        let refusals = try await withThrowingTaskGroup(of: OAuthRefusal?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let merchant = number.isMultiple(of: 2) ? "kiosk" : "shop"
                    var till = app
                    till.merchant = merchant
                    let code = try await till.proceed(session, .chooseMerchant(MerchantID(merchant))).code()
                    return try await till.redeem(code).refusal
                }
            }
            return try await group.reduce(into: [OAuthRefusal?]()) { $0.append($1) }
        }
        #expect(refusals.count { $0 == nil } == 1)
        #expect(refusals.count { $0 == .invalidGrant } == 15)
        let sessions = try await server.rows(of: "sessions WHERE revoked_at IS NULL")
        #expect(sessions == 1)
    }

    @Test(
        "attack: a code to the mailbox that the provider itself tells is no second factor on top of the provider's word"
    )
    func providersMailbox() async throws {
        let setting = try await ProviderApp.setUp(trustsEmail: true)
        let (server, app, provider) = (setting.server, setting.app, setting.provider)
        func told(_ address: String) -> (inout JSONObject) -> Void {
            return {
                $0.set("email", address)
                $0["email_verified"] = .bool(true)
            }
        }
        let guest = try await app.signIn(at: provider, told("ada@example.com")).guest()
        _ = try await app.createAccount(guest).code()
        // Not from another device either, nor where the provider leaves the address out, or spells it in another way.
        let other = TestApp(client: app.client)
        let changes: [(inout JSONObject) -> Void] = [
            told("ada@example.com"), { _ in }, told("Ada+wallet@example.com"),
        ]
        for change in changes {
            let tokens = try await other.redeem(other.signIn(at: provider, change).code()).tokens()
            let claims = try await server.claims(of: tokens)
            #expect(claims.acr == AuthenticationStrength.singleFactor)
        }
        #expect(try await server.codesSent() == 0)
        // Nor where the provider tells another one now: the attacker with the account there still reads the mailbox.
        _ = try await other.signIn(at: provider, told("other@example.com")).code()
    }

    @Test("A provider serves its own brand alone, and none once it was removed")
    func brands() async throws {
        let setting = try await ProviderApp.setUp()
        let (server, provider) = (setting.server, setting.provider)
        try await server.administer(["brand", "create", "acme", "--name", "Acme"])
        let acme = TestApp(client: try await server.publicClient("acme-app") { $0.brand = "acme" })
        let outcome = try await acme.signIn(at: provider)
        guard case .invalid(.invalidRequest) = outcome else {
            Issue.record("another brand's provider was asked: \(String(describing: outcome))")
            return
        }
        try await server.administer(["provider", "remove", "example"])
        let found = try await setting.app.signIn(at: provider)
        guard case .invalid(.invalidRequest) = found else {
            Issue.record("a removed provider was asked: \(String(describing: found))")
            return
        }
    }

    @Test("A provider's name that was given to another one finds none of the former's accounts")
    func renamed() async throws {
        let (first, second) = (TestProvider(), TestProvider(issuer: "https://other.example.net"))
        let server = try await TestServer.start(providers: TestProvider.http(first, second))
        try await server.add(first)
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.createAccount(app.signIn(at: first).guest()).code()
        try await server.administer(["provider", "remove", "example"])
        try await server.add(second)
        #expect(try await app.signIn(at: second).errorCode == "no_matching_guest")
    }

    @Test("Operators see providers without their secrets, and production takes https alone")
    func administration() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http) { $0.environment = .production }
        try await server.add(provider)
        let shown = await server.flows.administration.execute(["provider", "show", "example"])
        #expect(!shown.json.contains("a secret"))
        #expect(try JSONValue.object(parsing: Array(shown.json.utf8))["hasClientSecret"] == .bool(true))
        let kept = try await server.context.database.read {
            try IdentityProviders.find("example", brand: "default", on: $0)
        }
        #expect(kept?.secret != nil)
        #expect(kept.map { !String(decoding: $0.secret ?? [], as: UTF8.self).contains("a secret") } == true)
        let plain = OpenIDRegistration(id: "plain", issuer: "http://127.0.0.1:9000", clientID: "c")
        let refused = await server.flows.administration.execute { try await ProviderAdministration($0).add(plain) }
        #expect(refused.status == .refused)
        let repository = RepositoryRegistration(id: "plain", endpoint: "http://127.0.0.1:9000/verify")
        let alsoRefused = await server.flows.administration.execute {
            try await ProviderAdministration($0).add(repository)
        }
        #expect(alsoRefused.status == .refused)
    }
}
