import WalletAuthWire

@testable import WalletAuthVerifier

/// The part of the authorization server that a backend's operations go to, scripted on a ``TestIssuer``.
struct OperationsServer {
    static let event = "7b1f9d52-1111-4ed4-8f6e-4c2f8e6d7a22"

    let server: TestIssuer
    let clientID: ClientID
    let person: VerifiedAccess.Person

    init() throws {
        server = try TestIssuer()
        clientID = try ClientID("backend")
        person = VerifiedAccess.Person(
            account: try AccountID(TestIssuer.account), session: try SessionID(TestIssuer.session))
        server.on("POST", Endpoints.token.path) { _ in
            let body = #"{"access_token":"backend-token","token_type":"Bearer","expires_in":300}"#
            return OutboundResponse(status: 200, body: Array(body.utf8))
        }
    }

    func client(
        _ credential: BackendCredential? = nil, proofKey: P256Signer? = nil, issuer: TrustedIssuer? = nil
    ) throws -> WalletOperations {
        WalletOperations(
            issuer: issuer ?? server.trusted(),
            credential: try credential ?? .secret(clientID, ClientSecret("s:e c/ret")), proofKey: proofKey)
    }

    func payment(_ amount: Int64 = 1250, to name: String = "Bakery") throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: amount, currency: Currency("EUR")),
            payee: Payee(name: name, account: "DE02120300000000202051"))
    }

    var details: SCADetails {
        get throws { SCADetails(eventID: try SCAEventID(Self.event), operationID: try WalletOperationID("op-1")) }
    }

    /// What the server says of a new operation.
    func created(_ id: WalletOperationID, _ status: WalletOperationStatus) throws -> OutboundResponse {
        let response = WalletOperationResponse(
            id: id, status: status, eventID: status == .exempt ? nil : try SCAEventID(Self.event),
            availableVerifications: [AvailableVerification(.sms, destination: "+49 ••• 11")],
            exemption: status == .exempt ? .lowValue : nil, findings: [],
            expiresAt: server.clock.now().advanced(by: .seconds(300)))
        return OutboundResponse(status: 201, body: response.json.bytes)
    }

    /// A code as the server makes them, but for what a test changes.
    func code(
        for operation: WalletOperation, id: String = "op-1",
        _ change: (inout AuthenticationCodeClaims) throws -> Void = { _ in }, type: String = "wallet-operation+jwt",
        by signer: P256Signer? = nil
    ) throws -> AuthenticationCode {
        let signer = signer ?? server.key
        var claims = AuthenticationCodeClaims(
            issuer: server.issuer, clientID: clientID, account: person.account, id: "code-1",
            issuedAt: server.clock.now(), operationID: try WalletOperationID(id), operation: operation,
            basis: .verified(
                AuthenticationCodeClaims.Consent(
                    eventID: try SCAEventID(Self.event), payloadHash: .operation(Array("payload".utf8)),
                    methods: ["pwd", "otp"], at: server.clock.now())))
        try change(&claims)
        var header = JSONObject()
        header.set("typ", type)
        header.set("alg", "ES256")
        header.set("kid", signer.keyID)
        return try AuthenticationCode(TestIssuer.compact(header, claims.json, by: signer))
    }

    func answer(_ code: AuthenticationCode) -> OutboundResponse {
        OutboundResponse(status: 200, body: OperationAuthorization(authenticationCode: code).json.bytes)
    }

    func problem(_ status: Int, _ code: String) -> OutboundResponse {
        OutboundResponse(status: status, body: Problem(status: status, code: code, title: code).json.bytes)
    }

    static let consumption = "/v1/wallet-operations/op-1/consume"
}

/// What an operation came to.
enum Outcome {
    case decision(OperationDecision)
    case refusal(OperationRefusal)

    var refusal: OperationRefusal? { if case .refusal(let refusal) = self { refusal } else { nil } }
    var isAuthorized: Bool { if case .decision(.authorized) = self { true } else { false } }
}

extension WalletOperations {
    func outcome(
        of operation: WalletOperation, by person: VerifiedAccess.Person, _ details: SCADetails?,
        attempt: IdempotencyKey? = nil
    ) async -> Outcome {
        do {
            return .decision(try await authorize(operation, by: person, scaDetails: details, attempt: attempt))
        } catch { return .refusal(error) }
    }
}
