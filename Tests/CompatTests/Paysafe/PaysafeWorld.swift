import Foundation
import PaysafeCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A device with an app that moved from Paysafe, a server, and a shop whose payments need alice's consent.
@MainActor
struct PaysafeWorld {
    typealias Wallet = PaysafeCompat.Wallet
    typealias Failure = PaysafeCompat.WalletError

    static let alice = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
    static let shop = "/payments"
    static let code = "123456"

    let clock = ManualClock()
    let server: ScriptedServer
    let store = InMemoryStore()
    let keys = InMemoryDeviceKeys()
    let wallet = Wallet()

    init(by ways: [SCA.Verification] = [.sms], proofs: Int = 1) throws {
        server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: "correct horse", subject: Self.alice)
        let operation = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
            payee: Payee(name: "Blumen Huber", account: "DE02120300000000202051"))
        server.requireConsent(.init(operation, by: ways, proofs: proofs, code: Self.code), at: Self.shop)
        try wallet.configure(configuration)
    }

    var configuration: WalletAuth.Wallet.Configuration {
        WalletAuth.Wallet.Configuration(
            environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
            signIn: .partial(codeResponse: nil),
            ports: WalletAuth.Wallet.Ports(
                transport: server, store: store, userAgent: server.browser(of: "alice"), keys: keys,
                presence: ScriptedUserPresence(), time: clock))
    }

    /// Begins a session with a token from the app's backend.
    func authenticate() async throws {
        let token = try server.accessToken(for: "alice").reveal()
        try await result { wallet.authenticate(.init(token), completion: $0) }.get()
    }

    func payment(key: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://auth.example.com" + Self.shop)))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"amount":12.50}"#.utf8)
        if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        return request
    }

    func pay(
        _ details: Wallet.SCAAuthenticationEventRequest? = nil
    ) async throws -> Result<Wallet.OperationResponse, Failure> {
        let request = try payment()
        return await result { wallet.perform(request, scaDetails: details, completion: $0) }
    }

    /// Pays, and expects to be asked for consent.
    func event() async throws -> Wallet.SCAAuthenticationEventResponse {
        try event(await pay())
    }

    func event<Value>(_ result: Result<Value, Failure>) throws -> Wallet.SCAAuthenticationEventResponse {
        guard case .failure(.scaRequired(let event, _)) = result else {
            throw Unexpected(what: "\(result)")
        }
        return event
    }

    func challenge(
        _ event: Wallet.SCAAuthenticationEventResponse,
        by way: Wallet.SCAAuthenticationEventAttemptVerification = .init(method: .otp, channel: .sms),
        returningTo url: String? = nil
    ) async -> Result<Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse, Failure> {
        await result {
            wallet.authenticationService.sendSCAChallenge(
                eventID: event.eventID,
                request: .init(
                    walletOperationID: event.walletOperationID, verification: way,
                    action: url.flatMap { .init(returnURL: $0) }), completion: $0)
        }
    }

    func attempt(
        _ value: String, at event: Wallet.SCAAuthenticationEventResponse,
        by way: Wallet.SCAAuthenticationEventAttemptVerification = .init(method: .otp, channel: .sms)
    ) async -> Result<Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse, Failure> {
        await result {
            wallet.authenticationService.submitSCAAttempt(
                eventID: event.eventID,
                request: .init(walletOperationID: event.walletOperationID, verification: way, value: value),
                completion: $0)
        }
    }

    func logIn(
        _ password: String = "correct horse", repeating event: Wallet.SCAAuthenticationEventResponse? = nil,
        client: String = "com.example.wallet"
    ) async -> Result<Wallet.TokenResponse, Failure> {
        await result {
            wallet.standaloneAuthenticationService.loginWithPassword(
                clientIdentifier: client, brandIdentity: "default",
                request: PaysafeCompat.PasswordTokenRequest(username: "alice", password: password),
                scaDetails: event.map { .init(eventID: $0.eventID, walletOperationID: $0.walletOperationID) },
                completion: $0)
        }
    }

    /// Something else came back than the test is about.
    struct Unexpected: Error {
        let what: String
    }

    /// Waits for a completion. A second one would end the test.
    func result<Value: Sendable>(
        _ call: (@escaping Wallet.Completion<Value>) -> Void
    ) async -> Result<Value, Failure> {
        await withCheckedContinuation { continuation in
            call { result in
                MainActor.assertIsolated()
                continuation.resume(returning: result)
            }
        }
    }
}

extension Result {
    /// The error; nil after a success.
    var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
