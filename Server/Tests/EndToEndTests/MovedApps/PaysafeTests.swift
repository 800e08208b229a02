import Foundation
import PaysafeCompat
import PaysafePage
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// The code of Paysafe's page against the running program. It uses the one wallet of the process, so the tests run in turn.
@Suite(
    "An app that moved from Paysafe", .onceForAllEngines,
    .covers("the flows as each page prints them", "walletSetupService"), .serialized)
@MainActor
struct PaysafeTests {
    private typealias Wallet = PaysafeCompat.Wallet

    private static let forgotten = "https://app.example.com/forgot"

    /// The app, its backend, and a shop at its end of the network.
    @MainActor
    private struct Setting {
        let server: RunningServer
        let person: Person
        let app: RegisteredClient
        let partner: StandardClient
        let shop: Shopfront
        let screens: PaysafeScreens
        let events: AsyncStream<PaysafeScreens.Event>

        /// Something else came back than the test is about.
        struct Unexpected: Error {
            let event: PaysafeScreens.Event?
        }

        /// What came back next.
        func next() async throws -> PaysafeScreens.Event {
            for await event in events { return event }
            throw Unexpected(event: nil)
        }

        func nextChallenge() async throws -> Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse {
            let event = try await next()
            guard case .challenge(let challenge) = event else { throw Unexpected(event: event) }
            return challenge
        }

        func nextAttempt() async throws -> Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse {
            let event = try await next()
            guard case .attempt(let attempt) = event else { throw Unexpected(event: event) }
            return attempt
        }

        func nextFailure() async throws -> Wallet.WalletError {
            let event = try await next()
            guard case .failed(let error) = event else { throw Unexpected(event: event) }
            return error
        }

        func nextResponse() async throws -> HTTPURLResponse {
            let event = try await next()
            guard case .done(let operation) = event else { throw Unexpected(event: event) }
            return operation.response
        }

        /// The page's steps: the details, the person at the page, the state compared, the code redeemed by the backend, and its
        /// token given to the SDK.
        func signIn() async throws {
            let (verifier, state) = (randomText(48), randomText(16))
            server.ledger.enter(verifier)
            screens.signIn(
                state: state, codeVerifier: verifier, clientIdentifier: app.id,
                resetCredentialsURL: PaysafeTests.forgotten, redirectURI: app.redirectURI, loginHint: person.username,
                loginStrategy: .password, brandIdentity: "default")
            let event = try await next()
            guard case .shownPage(let page) = event else { throw Unexpected(event: event) }
            let browser = HeadlessBrowser(ledger: server.ledger)
            let asked = try await browser.open(page, until: app.redirectURI).shown
            let second = try await browser.submit(
                browser.form(on: asked.answer, at: asked.url),
                typing: ["username": person.username, "password": person.password], until: app.redirectURI
            ).shown
            let arrival = try await browser.submit(
                browser.form(on: second.answer, at: second.url), typing: ["answer": try await server.newestCode()],
                until: app.redirectURI)
            guard case .callback(let callback) = arrival else {
                throw HeadlessBrowser.Stuck(description: "the sign-in led to no callback")
            }
            let items = queryItems(of: callback.absoluteString)
            #expect(items["state"] == state)
            let answer = try await partner.token([
                ("grant_type", "authorization_code"), ("code", try #require(items["code"])),
                ("redirect_uri", app.redirectURI), ("code_verifier", verifier),
            ])
            try await authenticate(try partner.tokens(answer).access)
        }

        func authenticate(_ token: String) async throws {
            try await withCheckedContinuation { continuation in
                Wallet.instance.authenticate(AuthenticationConfiguration(token)) { continuation.resume(returning: $0) }
            }.get()
        }

        /// Waits for a completion.
        func value<Value: Sendable>(_ call: (@escaping Wallet.Completion<Value>) -> Void) async throws -> Value {
            try await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }.get()
        }

        /// Pays, and is asked for consent.
        func event() async throws -> Wallet.SCAAuthenticationEventResponse {
            screens.perform(try Shopfront.payment())
            let error = try await nextFailure()
            guard case .scaRequired(let event, _) = error else { throw error }
            return event
        }
    }

    private func withSetting(_ body: @MainActor (Setting) async throws -> Void) async throws {
        try await withServer { @Sendable @MainActor server in
            let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
            server.ledger.enter(person.password)
            try await server.require(
                [
                    "account", "create", person.username, "--password-stdin", "--phone",
                    "+359888123456",
                ], input: person.password + "\n")
            let partner = try await server.makeConfidentialClient("partner")
            let app = try await server.makePublicClient(
                options: ["--redeemer", partner.id, "--reset-credentials-url", Self.forgotten])
            let device = Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
            let shop = try Shopfront(
                device.network, issuer: await server.issuer, client: try await server.makeConfidentialClient("shop"),
                selling: try WalletOperation(
                    type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 25_000, currency: .euro),
                    payee: Payee(name: "Blumen Huber", account: "DE02120300000000202051")))
            let ports = device.ports
            try Wallet.instance.configure(
                WalletAuth.Wallet.Configuration(
                    environment: .sandbox(issuer: await server.issuer), clientID: app.id,
                    signIn: .partial(codeResponse: nil),
                    resources: .only([try #require(URL(string: Shopfront.origin))]),
                    ports: WalletAuth.Wallet.Ports(
                        transport: shop, store: ports.store, userAgent: ports.userAgent, keys: ports.keys,
                        presence: ports.presence, time: ports.time)))
            let (events, continuation) = AsyncStream.makeStream(of: PaysafeScreens.Event.self)
            try await body(
                Setting(
                    server: server, person: person, app: app, partner: StandardClient(partner, at: server), shop: shop,
                    screens: PaysafeScreens { continuation.yield($0) }, events: events))
        }
    }

    /// A code that is not the right one.
    private func wrong(_ right: String) -> String { right == "123456" ? "654321" : "123456" }

    @Test("The person signs in on the page, agrees to a payment by a code, and the repetition is carried out once")
    func page() async throws {
        try await withSetting { setting in
            try await setting.signIn()
            let event = try await setting.event()
            #expect(event.availableVerifications.map(\.channel) == [.sms])
            let (id, operation) = (event.eventID, event.walletOperationID)
            setting.screens.sendChallenge(eventID: id, walletOperationID: operation)
            let challenge = try await setting.nextChallenge()
            #expect(challenge.wasSent)
            #expect(challenge.target != nil)
            let right = try await setting.server.newestCode()
            setting.screens.submitAttempt(eventID: id, walletOperationID: operation, value: wrong(right))
            let failed = try await setting.nextAttempt()
            #expect(failed.status == .failed)
            #expect(failed.statusReason == .invalidValue)
            #expect(failed.currentAttempts == 1)
            setting.screens.submitAttempt(eventID: id, walletOperationID: operation, value: right)
            #expect(try await setting.nextAttempt().status == .verified)
            #expect(setting.shop.receipts.isEmpty)
            setting.screens.perform(
                try Shopfront.payment(), scaDetails: .init(eventID: id, walletOperationID: operation))
            #expect(try await setting.nextResponse().statusCode == 201)
            #expect(setting.shop.receipts.count == 1)
        }
    }

    @Test("The password on the app's own screens, its second factor by the page's SCA calls, and the session goes on")
    func standalone() async throws {
        try await withSetting { setting in
            let person = setting.person
            func logIn(
                _ details: SCAAuthenticationEventRequest? = nil
            ) async -> Result<Wallet.TokenResponse, Wallet.WalletError> {
                await withCheckedContinuation { continuation in
                    Wallet.instance.standaloneAuthenticationService.loginWithPassword(
                        clientIdentifier: setting.app.id, brandIdentity: "default",
                        request: PasswordTokenRequest(username: person.username, password: person.password),
                        scaDetails: details
                    ) { continuation.resume(returning: $0) }
                }
            }
            guard case .failure(.scaRequired(let event, _)) = await logIn() else {
                Issue.record("no second factor was asked for")
                return
            }
            let (id, operation) = (event.eventID, event.walletOperationID)
            setting.screens.sendChallenge(eventID: id, walletOperationID: operation)
            #expect(try await setting.nextChallenge().wasSent)
            let right = try await setting.server.newestCode()
            setting.screens.submitAttempt(eventID: id, walletOperationID: operation, value: wrong(right))
            #expect(try await setting.nextAttempt().statusReason == .invalidValue)
            setting.screens.submitAttempt(eventID: id, walletOperationID: operation, value: right)
            #expect(try await setting.nextAttempt().status == .verified)
            let token = try await logIn(.init(eventID: id, walletOperationID: operation)).get()
            try await setting.authenticate(token.accessToken)
            let wallet = try #require(Wallet.instance.walletAuth)
            try await wallet.refresh()
            setting.screens.perform(URLRequest(url: await setting.server.url("/oauth2/userinfo")))
            #expect(try await setting.nextResponse().statusCode == 200)
        }
    }

    @Test("A new customer proves an address, chooses a password, and the session goes on")
    func newCustomer() async throws {
        try await withSetting { setting in
            try await setting.server.require(["brand", "update", "default", "--registration", "on"])
            let setup = Wallet.instance.walletSetupService
            let attribute = Wallet.CustomerDataVerificationAttribute(type: .email, value: "grace@example.com")
            let verification = try await setting.value {
                setup.initiateDataVerificationProcess(
                    request: .init(attribute: attribute, flow: .walletSetup), completion: $0)
            }
            let right = try await setting.server.newestCode(digits: 8)
            func submit(_ code: String) async throws -> Wallet.CustomerDataVerificationAttemptResponse {
                try await setting.value {
                    setup.submitDataVerificationAttempt(
                        verificationId: verification.verificationId, request: .init(attribute: attribute, value: code),
                        completion: $0)
                }
            }
            #expect(try await submit(right == "12345678" ? "87654321" : "12345678").status == .failed)
            #expect(try await submit(right).status == .verified)
            let password = "Pw-\(UUID().uuidString)"
            setting.server.ledger.enter(password)
            let request = Wallet.CustomerOnboardingRequest(
                customerIdentifiers: .init(
                    email: .init(value: attribute.value, verificationId: verification.verificationId)),
                customerCredentials: .init(password: password))
            let customer = try await setting.value { setup.onboardCustomer(request: request, completion: $0) }
            #expect(customer.id != nil)
            try await setting.authenticate(customer.authToken)
            setting.screens.perform(URLRequest(url: await setting.server.url("/oauth2/userinfo")))
            #expect(try await setting.nextResponse().statusCode == 200)
        }
    }
}
