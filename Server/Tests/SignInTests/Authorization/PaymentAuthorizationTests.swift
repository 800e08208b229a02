import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Authorization of a payment that another party's client asks for (RFC 9396)",
    .covers("payments in authorization_details"),
    .threat("Consent to something other than what was shown"))
struct PaymentAuthorizationTests {
    private static let payment = details(amount: "12.50")

    private static func details(amount: String, currency: String = "EUR") -> String {
        #"[{"type":"payment_initiation","instructedAmount":{"currency":"\#(currency)","amount":"\#(amount)"},"#
            + #""creditorName":"Bakery","creditorAccount":{"iban":"DE89370400440532013000"},"#
            + #""remittanceInformationUnstructured":"May"}]"#
    }

    private static func register(_ client: inout ClientRegistration) {
        client.name = "Ledger"
        client.firstParty = false
        client.redirectURIs = ["https://app.example.com/callback"]
        client.authorizationDetailsTypes = ["payment_initiation"]
    }

    /// Ada, who has an e-mail address, at a brand that lets a password do, and a client that may ask for payments.
    private func setUp(
        _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> (server: TestServer, client: TestClient, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let client = try await server.confidentialClient("ledger") {
            Self.register(&$0)
            adjust(&$0)
        }
        return (server, client, TestBrowser(server))
    }

    private func request(
        _ client: TestClient, _ details: String = Self.payment, _ adjust: (inout [String: String?]) -> Void = { _ in }
    ) throws -> FormParameters {
        try client.request {
            $0["scope"] = "openid"
            $0["authorization_details"] = details
            adjust(&$0)
        }
    }

    /// Signs in with both factors.
    private func prove(_ form: FormParameters, in browser: TestBrowser) async throws -> SignInPage {
        let asked = try await browser.signIn(form).page()
        guard case .secondFactor = asked.step else {
            throw NativeSignInOutcome.Unexpected(what: "no second factor: \(asked.step)")
        }
        let code = try Password(try await browser.server.sentCode())
        return try await browser.submit(asked, .answerFactor(code)).page()
    }

    private func authorize(_ form: FormParameters, in browser: TestBrowser) async throws -> AuthorizationCode {
        try await browser.submit(prove(form, in: browser), .allow).code()
    }

    @Test func `The payment is in the answer, in the access token, at introspection and after a refresh`() async throws
    {
        let (server, client, browser) = try await setUp()
        let granted = try AuthorizationDetails(Self.payment)
        let tokens = try await client.redeem(authorize(request(client), in: browser)).tokens()
        #expect(tokens.authorizationDetails == granted)
        #expect(try TokenResponse(JSONValue.object(parsing: tokens.bytes)).authorizationDetails == granted)
        let claims = try await server.claims(of: tokens)
        #expect(claims.authorizationDetails == granted)
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        #expect(claims.scope.tokens == ["openid"])
        let renewed = try await client.refresh(#require(tokens.refreshToken)).tokens()
        #expect(renewed.authorizationDetails == granted)
        #expect(try await server.claims(of: renewed).authorizationDetails == granted)
        for token in [renewed.accessToken.reveal(), try #require(renewed.refreshToken).reveal()] {
            let state = TokenStateRequest(client: client.authentication, token: try PresentedToken(token))
            let answer = try await server.flows.tokens.introspection.introspect(state).get().json
            #expect(answer["authorization_details"] == granted.json)
        }
    }

    @Test func `Tokens of a payment have one sid after refresh and exchange, and its session ends within 15 minutes`()
        async throws
    {
        let (api, core) = ("https://bank.example.com", "https://core.example.com")
        let (server, client, browser) = try await setUp { $0.resources = [api] }
        let bank = try await server.confidentialClient("bank") {
            $0.resources = [api, core]
            $0.tokenExchange = true
        }
        let tokens = try await client.redeem(authorize(request(client), in: browser)).tokens()
        let session = try #require(try await server.claims(of: tokens).sessionID)
        let renewed = try await client.refresh(#require(tokens.refreshToken)).tokens()
        #expect(try await server.claims(of: renewed).sessionID == session)
        let exchanged = try await bank.token(.accessTokenExchange(renewed.accessToken, audiences: [core])).tokens()
        let passedOn = try await server.claims(of: exchanged)
        #expect(passedOn.sessionID == session)
        #expect(passedOn.authorizationDetails == (try AuthorizationDetails(Self.payment)))
        let last = try #require(renewed.refreshToken)
        server.clock.advance(by: .minutes(15))
        #expect(try await client.refresh(last).refusal == .invalidGrant)
    }

    @Test func `A payment in a currency that ended since is renewed and introspected`() async throws {
        let (server, client, browser) = try await setUp()
        let tokens = try await client.redeem(authorize(request(client), in: browser)).tokens()
        let session = try #require(try await server.claims(of: tokens).sessionID)
        let id = try #require(UniqueID(uuid: session.rawValue))
        let granted = try AuthorizationDetails(recorded: Self.details(amount: "12.50", currency: "HRK"))
        let sealed = try SessionVault(server.context.sealing).seal(granted, of: id)
        try await server.context.database.write {
            _ = try $0.execute("UPDATE sessions SET authorization_details = $1", [.optional(sealed)])
        }
        let renewed = try await client.refresh(#require(tokens.refreshToken)).tokens()
        #expect(renewed.authorizationDetails == granted)
        #expect(try await server.claims(of: renewed).authorizationDetails == granted)
        let state = TokenStateRequest(
            client: client.authentication, token: try PresentedToken(renewed.accessToken.reveal()))
        let answer = try await server.flows.tokens.introspection.introspect(state).get().json
        #expect(answer["authorization_details"] == granted.json)
    }

    @Test func `Every page of the sign-in names the payment, and the last one asks for it alone`() async throws {
        let (_, client, browser) = try await setUp()
        let form = try request(client)
        let first = try await browser.open(form).page()
        #expect(first.payment?.amount.minorUnits == 1250)
        let asked = try await browser.signIn(form).page()
        #expect(asked.payment == first.payment)
        let code = try Password(try await browser.server.sentCode())
        let page = try await browser.submit(asked, .answerFactor(code)).page()
        #expect(page.payment == first.payment)
        #expect(page.consent?.new == ["openid"])
    }

    @Test func `attack: a browser that is signed in, and an earlier consent, authorize no payment`() async throws {
        let (server, client, browser) = try await setUp()
        _ = try await authorize(request(client), in: browser)
        #expect(try await server.consents() == ["ledger"])
        let silent = try request(client) { $0["prompt"] = "none" }
        #expect(try await browser.open(silent).redirect()["error"] == "login_required")
        server.clock.advance(by: .minutes(2))
        let page = try await prove(request(client), in: browser)
        #expect(page.consent?.new == ["openid"])
        #expect(page.consent?.isRepeated == false)
    }

    @Test func `attack: one factor authorizes no payment, whatever class the client asks for`() async throws {
        let (server, client, browser) = try await setUp()
        _ = try await server.account("grace")
        let weak = try request(client) { $0["acr_values"] = AuthenticationStrength.singleFactor }
        let refused = try await browser.signIn(weak, "grace").redirect()
        #expect(refused["error"] == "unmet_authentication_requirements")
        _ = try await prove(weak, in: TestBrowser(server))
    }

    @Test(arguments: ["en", "de", "fr", "es", "bg"])
    func `The code for a payment names amount and payee, in each language; a sign-in's code does not`(
        locale: String
    ) async throws {
        let (server, client, browser) = try await setUp()
        let ada = try #require(try await server.accountID())
        let account = try await server.record(of: ada)
        let brand = BrandRecord(id: "default", name: "Example Bank", settings: "{}", createdAt: server.clock.now())
        /// What the newest message says.
        func text(by channel: OutboxChannel) async throws -> String {
            let found = try await server.context.database.read { try Outbox.recent(limit: 1, on: $0) }.first
            var record = try #require(found)
            record.channel = channel
            let facts = MessageRendering.Facts(account: account, brand: brand)
            let rendered = server.context.rendering.render(record, facts)
            return try #require(rendered).text
        }
        let signIn = try client.request {
            $0["ui_locales"] = locale
            $0["acr_values"] = AuthenticationStrength.twoFactors
        }
        _ = try await TestBrowser(server).signIn(signIn).page()
        let usual = try await text(by: .email)
        let usualCode = try await server.sentCode()
        #expect(usual.contains(usualCode))
        #expect(!usual.contains("Bakery"))
        server.clock.advance(by: .minutes(2))
        _ = try await browser.signIn(request(client) { $0["ui_locales"] = locale }).page()
        let line = PaymentLine.text(
            try Money(minorUnits: 1250, currency: .euro), to: "Bakery", in: BrandLanguage(.choose([locale]), nil))
        let code = try await server.sentCode()
        for channel in [OutboxChannel.email, .sms] {
            let said = try await text(by: channel)
            #expect(said.contains(line), "\(said)")
            #expect(said.contains(code))
            #expect(channel == .email || said.unicodeScalars.count <= 240, "\(said)")
        }
    }

    @Test func `attack: a recovery code authorizes no payment, neither offered nor typed`() async throws {
        let (server, client, browser) = try await setUp()
        let code = [UInt8](repeating: 7, count: RecoveryCodeFormat.length)
        let typed = try Password(RecoveryCodeFormat.text(of: code))
        let ada = try #require(try await server.accountID())
        for person in [ada, try await server.account("grace")] {
            let account = try #require(UniqueID(uuid: person.rawValue))
            try await server.context.database.write {
                try RecoveryCodes.replace(
                    of: account, with: [RecoveryCodeFormat.digest(of: code, account: account)],
                    now: server.clock.now(), on: $0)
            }
        }
        // A sign-in offers it.
        let signIn = try client.request { $0["acr_values"] = AuthenticationStrength.twoFactors }
        guard case .secondFactor(let usual) = try await TestBrowser(server).signIn(signIn).page().step else {
            throw NativeSignInOutcome.Unexpected(what: "no second factor")
        }
        #expect(usual.alternatives == [.recoveryCode])
        server.clock.advance(by: .minutes(2))
        let asked = try await browser.signIn(request(client)).page()
        guard case .secondFactor(let factor) = asked.step else {
            throw NativeSignInOutcome.Unexpected(what: "no second factor: \(asked.step)")
        }
        #expect(factor.kind == .email)
        #expect(factor.alternatives.isEmpty)
        #expect(try await browser.submit(asked, .chooseFactor(.recoveryCode)).fault == .stalePage)
        // Not even where one is open.
        try await server.context.database.write { connection in
            for row in try connection.query("SELECT id FROM open_factors", []) {
                _ = try OpenFactors.choose(.recoveryCode, for: row.id("id"), now: server.clock.now(), on: connection)
            }
        }
        let answered = try await browser.submit(asked, .answerFactor(typed))
        #expect((try? answered.page())?.consent == nil)
        #expect((try? answered.code()) == nil)
        #expect(try await server.rows(of: "recovery_codes") == 2)
        // Who has nothing else authorizes none.
        let refused = try await TestBrowser(server).signIn(request(client), "grace").redirect()
        #expect(refused["error"] == "unmet_authentication_requirements")
    }

    @Test func `attack: an approval that is sent twice is one payment`() async throws {
        let (server, client, browser) = try await setUp()
        _ = try await authorize(request(client), in: browser)
        server.clock.advance(by: .minutes(2))
        let page = try await prove(request(client), in: browser)
        let twin = TestBrowser(server)
        twin.cookies = browser.cookies
        let codes = [try await browser.submit(page, .allow).code(), try await twin.submit(page, .allow).code()]
        _ = try await client.redeem(codes[0]).tokens()
        #expect(try await client.redeem(codes[1]).refusal == .invalidGrant)
    }

    @Test func `attack: the URL of a pushed payment changes nothing of it, and it authorizes once`() async throws {
        let (_, client, browser) = try await setUp()
        var link = try await client.push(request(client)).response().form(of: client.id)
        link.append("authorization_details", Self.details(amount: "9999.00"))
        let page = try await prove(link, in: browser)
        #expect(page.payment?.amount.minorUnits == 1250)
        let tokens = try await client.redeem(browser.submit(page, .allow).code()).tokens()
        #expect(tokens.authorizationDetails == (try AuthorizationDetails(Self.payment)))
        #expect(try await browser.open(link).fault == .unusableRequestURI)
    }

    @Test func `A payment in a signed request is read as JSON`() async throws {
        let (server, _, browser) = try await setUp()
        let signer = try await TestSigner(server, Self.register)
        let object = try signer.object {
            $0.set("scope", "openid")
            $0["authorization_details"] = try? JSONValue(parsing: Array(Self.payment.utf8))
        }
        #expect(try await browser.open(signer.form(object)).page().payment?.creditorName == "Bakery")
    }

    @Test(arguments: [
        #"[{"type":"account_deletion"}]"#, #"[{"type":"payment_initiation"}]"#, "[]", "{}", "no JSON",
        "[" + String(repeating: " ", count: 5_000) + "]", "[[[[[[]]]]]]",
        #"[{"type":"payment_initiation","type":"payment_initiation"}]"#, details(amount: "0.00"),
    ])
    func `Details that are unknown, malformed, huge, deep or doubled are refused, pushed or not`(
        details: String
    ) async throws {
        let (_, client, browser) = try await setUp()
        let form = try request(client, details)
        #expect(try await browser.open(form).redirect()["error"] == "invalid_authorization_details")
        #expect(try await client.push(form).error == "invalid_authorization_details")
    }

    @Test func `A client that is not registered for the type, or is so no more, gets no payment`() async throws {
        let (server, client, browser) = try await setUp()
        let other = try await server.confidentialClient("other") {
            Self.register(&$0)
            $0.authorizationDetailsTypes = []
        }
        #expect(
            try await browser.open(request(other)).redirect()["error"] == "invalid_authorization_details")
        let page = try await prove(request(client), in: browser)
        try await server.administer([
            "client", "update", "ledger", "--remove-authorization-details-type", "payment_initiation",
        ])
        #expect(try await browser.submit(page, .allow).redirect()["error"] == "invalid_authorization_details")
    }

    @Test func `A payment goes with no scope but openid`() async throws {
        let (_, client, browser) = try await setUp()
        let form = try request(client) { $0["scope"] = "openid wallet" }
        #expect(try await browser.open(form).redirect()["error"] == "invalid_scope")
    }

    @Test func `Only other parties' confidential clients are registered for payments, and of a known type`()
        async throws
    {
        let server = try await TestServer.start()
        let faults: [@Sendable (inout ClientRegistration) -> Void] = [
            { $0.firstParty = true }, { $0.kind = .public }, { $0.authorizationDetailsTypes = ["account_deletion"] },
        ]
        for adjust in faults {
            await #expect(throws: (any Error).self) {
                _ = try await server.confidentialClient("ledger") {
                    Self.register(&$0)
                    adjust(&$0)
                }
            }
        }
    }

    @Test func `The audit log binds the session to the payment by its hash, with the factors, once for all its tokens`()
        async throws
    {
        let (server, client, browser) = try await setUp()
        let tokens = try await client.redeem(authorize(request(client), in: browser)).tokens()
        _ = try await client.refresh(#require(tokens.refreshToken)).tokens()
        let session = try #require(try await server.claims(of: tokens).sessionID).rawValue
        let entries = try await server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE kind = 'session.details_granted'", [])
                .map { try $0.text("details") }
        }
        let entry = try JSONValue.object(parsing: Array(try #require(entries.first).utf8))
        #expect(entries.count == 1)
        #expect(entry["session_id"]?.string == session)
        #expect(entry["amr"]?.strings?.contains("otp") == true)
        let granted = try AuthorizationDetails(Self.payment).rawValue
        #expect(
            entry["authorization_details_sha256"]?.string
                == Base64URL.encode(Digests.of("authorization-details", Array(granted.utf8))))
        #expect(entries.first?.contains("Bakery") == false)
    }

    @Test func `The audit log says that a payment was granted, and neither amount nor payee`() async throws {
        let (server, client, browser) = try await setUp()
        _ = try await authorize(request(client), in: browser)
        let details = try await server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE kind = 'client_consent.granted'", [])
                .map { try $0.text("details") }
        }
        #expect(details.count == 1)
        #expect(details.first?.contains("payment_initiation") == true)
        #expect(details.first?.contains(#""otp""#) == true)
        #expect(details.first?.contains("Bakery") == false)
    }
}
