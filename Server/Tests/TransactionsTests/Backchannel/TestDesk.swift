import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

/// A bank's desk that has Ada sign in on her phone.
struct TestDesk: Sendable {
    typealias Outcome = Result<TokenResponse, OAuthRefusal>

    let till: TestTill
    let client: TestClient

    var server: TestServer { till.server }

    static func open(
        _ mode: BackchannelMode = .poll, _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestDesk {
        let till = try await TestTill.open()
        return try await TestDesk(till: till, client: register("desk", mode, at: till.server, adjust))
    }

    static func register(
        _ id: String, _ mode: BackchannelMode? = .poll, at server: TestServer,
        _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        try await server.confidentialClient(id) {
            $0.name = "Desk"
            $0.scopes = ["openid", "profile", "wallet", "offline_access"]
            $0.firstParty = true
            $0.backchannelMode = mode?.rawValue
            adjust(&$0)
        }
    }

    /// Asks for Ada, unless a test says otherwise.
    func ask(
        _ hint: BackchannelAuthenticationRequest.Hint = .login("ada"), scope: String = "openid profile",
        message: String? = nil, expiry: Int64? = nil, token: ClientNotificationToken? = nil, key: TestKey? = nil,
        details: AuthorizationDetails? = nil,
        as client: TestClient? = nil
    ) async throws -> Result<BackchannelAuthenticationResponse, OAuthRefusal> {
        let request = BackchannelAuthenticationRequest(
            client: (client ?? self.client).authentication, hint: hint, scope: try Scope(scope),
            bindingMessage: message,
            requestedExpiry: expiry, notificationToken: token,
            authorizationDetails: details)
        let proof = try key.map { try $0.present(to: server, at: Endpoints.backchannelAuthentication.path) }
        return try await till.flows.backchannel.begin(request, proof: proof ?? .none, origin: TestServer.origin)
    }

    /// Asks for tokens.
    func poll(
        _ answer: BackchannelAuthenticationResponse, key: TestKey? = nil, as client: TestClient? = nil
    ) async throws -> Outcome {
        try await (client ?? self.client).token(.backchannel(answer.requestID), proof: key)
    }

    /// Lets the interval pass, and asks for tokens.
    func wait(_ answer: BackchannelAuthenticationResponse) async throws -> Outcome {
        server.clock.advance(by: .seconds(5))
        return try await poll(answer)
    }

    /// What Ada's phone shows of the latest request.
    func claimed(as client: TestClient? = nil) async throws -> DeviceTransaction {
        let now = server.clock.now()
        let registered = try #require(try await server.context.clients.find((client ?? self.client).id, now: now))
        let call = BackendCaller(client: registered, origin: TestServer.origin, now: now)
        let page = try await till.flows.ofBackends.list(TransactionQuery(), call: call)
        let latest = try #require(page.transactions.last)
        let link = try await till.flows.ofBackends.link(of: latest.transactionID, call: call).get()
        return try await till.claim(link).get()
    }

    /// Ada reads the latest request and signs it.
    @discardableResult
    func approve(as client: TestClient? = nil) async throws -> DeviceTransaction {
        let transaction = try await till.confirm(claimed(as: client)).get()
        return try await till.sign(transaction, till.byBiometrics(transaction)).get()
    }

    /// Ada refuses the latest request.
    func refuse(because reason: RejectionReason = .other) async throws {
        _ = try await till.reject(claimed(), because: reason).get()
    }

    /// The sessions of the desk.
    func sessions() async throws -> Int64 { try await server.rows(of: "sessions WHERE client_id = 'desk'") }
}

extension Result<BackchannelAuthenticationResponse, OAuthRefusal> {
    /// Why it was refused; `nil` where it was not.
    var refusal: OAuthRefusal? { if case .failure(let refusal) = self { refusal } else { nil } }

    /// Whether it was refused for now.
    var isHeld: Bool { if case .failure(.temporarilyUnavailable) = self { true } else { false } }
}
