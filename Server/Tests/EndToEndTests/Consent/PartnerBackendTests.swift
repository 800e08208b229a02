import Crypto
import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// A wallet that lives in a partner's app: the app leads the person to the hosted page, the partner's backend redeems the code
/// and keeps the refresh token, and the SDK has nothing but an access token. It agrees to payments all the same.
@Suite(
    "A partner's backend redeems the code, and the app agrees to payments",
    .covers("the backend's access token into the SDK"))
struct PartnerBackendTests {
    private static let forgotten = "https://app.example.com/forgot"

    /// The partner's side of a running server.
    private struct Setting: Sendable {
        let server: RunningServer
        let person: Person
        let app: RegisteredClient
        let partner: StandardClient
        let device: Device
        let shop: Shopfront
        let wallet: Wallet

        /// What the app sends; with what it agreed to, when it comes again.
        func payment(_ details: SCA.Details? = nil) throws -> URLRequest {
            var request = URLRequest(url: try #require(URL(string: Shopfront.origin + Shopfront.path)))
            request.httpMethod = "POST"
            request.setValue("basket-17-of-friday", forHTTPHeaderField: "Idempotency-Key")
            let agreed = details.map {
                #","scaDetails":{"eventId":"\#($0.eventID)","walletOperationId":"\#($0.walletOperationID)"}"#
            }
            request.httpBody = Data(#"{"basket":17\#(agreed ?? "")}"#.utf8)
            return request
        }

        /// Asks for the page, has the person sign in there by password and by the code in their mailbox, and has the partner
        /// redeem what came back: the token, and the one that renews it.
        func signIn() async throws -> (access: String, refresh: String) {
            let verifier = randomText(32)
            server.ledger.enter(verifier)
            let pair = OAuthCodeChallenge(verifier: try CodeVerifier(verifier))
            let details = try await wallet.authentication.getAuthenticationDetails(
                brandIdentity: "default",
                request: .init(
                    clientIdentifier: app.id, codeChallenge: pair.challenge.rawValue,
                    resetCredentialsURL: PartnerBackendTests.forgotten, state: randomText(16),
                    redirectURI: app.redirectURI, locale: "en-GB", loginHint: person.username, loginStrategy: .password)
            )
            let browser = HeadlessBrowser(ledger: server.ledger)
            guard
                case .page(let url, let page) = try await browser.open(
                    details.authenticationURL, until: app.redirectURI),
                case .page(let next, let asked) = try await browser.submit(
                    browser.form(on: page, at: url),
                    typing: ["username": person.username, "password": person.password],
                    until: app.redirectURI),
                case .callback(let callback) = try await browser.submit(
                    browser.form(on: asked, at: next), typing: ["answer": try await server.newestCode()],
                    until: app.redirectURI)
            else { throw HeadlessBrowser.Stuck(description: "the sign-in led to no callback") }
            let code = try await wallet.authentication.callback(callback)
            let answer = try await partner.token([
                ("grant_type", "authorization_code"), ("code", code.code.reveal()),
                ("redirect_uri", app.redirectURI), ("code_verifier", verifier),
            ])
            let tokens = try partner.tokens(answer)
            #expect(tokens.type == "Bearer")
            return (tokens.access, tokens.refresh)
        }
    }

    private static func transfer() throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 25_000, currency: .euro),
            payee: Payee(name: "Blumen Huber", account: "DE02120300000000202051"))
    }

    private func withPartner(_ body: (Setting) async throws -> Void) async throws {
        try await withServer { server in
            let person = try await server.makeReachableAccount("ada")
            let partner = try await server.makeConfidentialClient("partner")
            let app = try await server.makePublicClient(
                options: ["--redeemer", partner.id, "--reset-credentials-url", Self.forgotten])
            let device = Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
            let shop = try Shopfront(
                device.network, issuer: await server.issuer, client: try await server.makeConfidentialClient("shop"),
                selling: try Self.transfer())
            let redirectURI = try #require(URL(string: app.redirectURI))
            let origin = try #require(URL(string: Shopfront.origin))
            let ports = device.ports
            // A bearer token goes where the app lists it, and nowhere else.
            let wallet = try Wallet(
                configuration: .init(
                    environment: .sandbox(issuer: await server.issuer), clientID: app.id,
                    signIn: .full(redirectURI: redirectURI), resources: .only([origin]),
                    ports: Wallet.Ports(
                        transport: shop, store: ports.store, userAgent: ports.userAgent, keys: ports.keys,
                        presence: ports.presence, time: ports.time)))
            try await body(
                Setting(
                    server: server, person: person, app: app, partner: StandardClient(partner, at: server),
                    device: device, shop: shop, wallet: wallet))
        }
    }

    @Test(
        "Each step by hand: challenged, resent in vain, answered wrongly, answered correctly, and the operation repeated"
    )
    func byHand() async throws {
        try await withPartner { setting in
            let (wallet, server) = (setting.wallet, setting.server)
            try await wallet.authenticate(accessToken: setting.signIn().access)
            let (data, response) = try await wallet.perform(setting.payment())
            let required = try #require(SCA.Required(data: data, response: response))
            #expect(required.availableVerifications.map(\.verification) == [.email], "no key of a device is there")

            let authentication = wallet.authentication
            let challenge = try await authentication.sendSCAChallenge(
                eventID: required.eventID,
                request: .init(walletOperationID: required.walletOperationID, verification: .email))
            #expect(challenge.operation.amount?.minorUnits == 25_000)
            let right = try await server.newestCode()
            // However long this took, it was sent a moment ago.
            try await server.write("UPDATE wallet_operations SET sent_at = sent_at + 600000")
            let again = try await authentication.sendSCAChallenge(
                eventID: required.eventID,
                request: .init(walletOperationID: required.walletOperationID, verification: .email))
            #expect(challenge.wasSent)
            #expect(!again.wasSent, "too soon for another code")
            #expect(again.resendAfter != nil)
            #expect(try await server.newestCode() == right)

            func attempt(_ code: String) async throws -> SCA.Attempt {
                try await authentication.submitSCAAttempt(
                    eventID: required.eventID,
                    request: .init(
                        walletOperationID: required.walletOperationID, verification: .email, value: code))
            }
            let wrong = try await attempt(right == "123456" ? "654321" : "123456")
            #expect(wrong.status == .failed)
            #expect(wrong.statusReason == .invalidValue)
            #expect(setting.shop.receipts.isEmpty)
            #expect(try await attempt(right).status == .verified)

            let details = SCA.Details(eventID: required.eventID, walletOperationID: required.walletOperationID)
            let (_, paid) = try await wallet.perform(setting.payment(details))
            #expect(paid.statusCode == 201)
            #expect(setting.shop.receipts.map(\.operation) == [try Self.transfer()])
        }
    }

    @Test("In one call, and with the token that the partner renewed meanwhile", .onceForAllEngines)
    func inOneCall() async throws {
        try await withPartner { setting in
            let tokens = try await setting.signIn()
            try await setting.wallet.authenticate(accessToken: tokens.access)
            let renewed = try setting.partner.tokens(await setting.partner.refresh(tokens.refresh))
            let (_, response) = try await setting.wallet.perform(
                setting.payment(),
                onSCA: { _ in
                    try await setting.wallet.updateToken(renewed.access)
                    return .code(try await setting.server.newestCode())
                })
            #expect(response.statusCode == 201)
            #expect(setting.shop.receipts.count == 1)
        }
    }

    @Test(
        "attack: the app's own client, or a stranger's backend, does not get the partner's code redeemed",
        .onceForAllEngines)
    func strangers() async throws {
        try await withPartner { setting in
            let tokens = try await setting.signIn()
            let stranger = StandardClient(
                try await setting.server.makeConfidentialClient("stranger"), at: setting.server)
            #expect(try await stranger.refresh(tokens.refresh).members["error"] == "invalid_grant")
            let app = StandardClient(setting.app, at: setting.server, key: P256.Signing.PrivateKey())
            #expect(try await app.refresh(tokens.refresh).members["error"] == "invalid_grant")
        }
    }

    @Test("attack: a bearer token enrolls no device, and puts no second factor in", .onceForAllEngines)
    func keyless() async throws {
        try await withPartner { setting in
            try await setting.wallet.authenticate(accessToken: setting.signIn().access)
            let error = await #expect(throws: WalletError.self) {
                try await setting.wallet.devices.enroll(name: "A phone")
            }
            #expect(error != nil)
            let list = try await setting.server.require(["device", "list", setting.person.username])
            #expect(!list.contains("A phone"))
        }
    }
}
