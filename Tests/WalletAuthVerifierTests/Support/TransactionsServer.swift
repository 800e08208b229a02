import Crypto
import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

/// The part of the authorization server that a backend's transactions go to, scripted on a ``TestIssuer``, and the phone that
/// signs them.
struct TransactionsServer {
    static let id = "0190b3f2-0000-7000-8000-00000000002a"
    static let otherID = "0190b3f2-0000-7000-8000-00000000002b"
    static let path = "/v1/transactions/\(id)"

    let server: TestIssuer
    let auditKey = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
    private let deviceKey = P256Signer(P256.Signing.PrivateKey())
    private let pinKey = P256Signer(P256.Signing.PrivateKey())

    init() throws {
        server = try TestIssuer()
        server.on("POST", Endpoints.token.path) { _ in
            let body = #"{"access_token":"backend-token","token_type":"Bearer","expires_in":300}"#
            return OutboundResponse(status: 200, body: Array(body.utf8))
        }
    }

    var keys: JWKSet { JWKSet([auditKey].compactMap(\.publicJWK)) }

    func client() throws -> WalletTransactions {
        WalletTransactions(
            issuer: server.trusted(), credential: .secret(try ClientID("shop"), try ClientSecret("s:e c/ret")))
    }

    func request(
        _ cents: Int64 = 1250, to name: String = "Café Zürich", order: String = "No. 42",
        reference: String? = "order-42",
        data: String = "terms", account: String? = nil, factor: RequiredSecondFactor = .any
    ) throws -> TransactionRequest {
        try TransactionRequest(
            account: account.map { try AccountID($0) }, type: WalletOperationType("PURCHASE"),
            amount: Money(minorUnits: cents, currency: Currency("EUR")),
            payee: Payee(name: name, account: "DE02120300000000202051"),
            lines: [TransactionLine(label: "Order", value: order)], data: Array(data.utf8), reference: reference,
            requiredSecondFactor: factor)
    }

    func created(link id: String = id, at issuer: String = "https://auth.example") throws -> TransactionCreated {
        TransactionCreated(
            transactionID: try TransactionID(Self.id), status: .created,
            link: TransactionLink(
                issuer: try Issuer(issuer), transactionID: try TransactionID(id),
                secret: try TransactionSecret(Base64URL.encode(Array(repeating: 7, count: 16)))),
            expiresAt: server.clock.now().advanced(by: .seconds(300)))
    }

    func report(_ status: TransactionStatus, of id: String = id) throws -> TransactionReport {
        TransactionReport(
            transactionID: try TransactionID(id), origin: .server, clientID: try ClientID("shop"), status: status,
            createdAt: ManualBackendClock.start, expiresAt: ManualBackendClock.start.advanced(by: .seconds(300)))
    }

    func answer(_ json: JSONObject, status: Int = 200) -> OutboundResponse {
        OutboundResponse(status: status, body: json.bytes)
    }

    func problem(_ status: Int, _ code: String, state: String? = nil, headers: [HeaderField] = []) -> OutboundResponse {
        var json = Problem(status: status, code: code, title: code, detail: "what \(code) is about").json
        json.set("state", state)
        return OutboundResponse(status: status, headers: headers, body: json.bytes)
    }

    /// The proof of a transaction as the server makes it, but for what a test changes.
    func evidence(
        of request: TransactionRequest, _ status: TransactionStatus = .signed, id: String = id,
        client: String = "shop", issuer: String = "https://auth.example", by key: P256Signer? = nil,
        _ change: (inout TransactionEvidenceClaims) -> Void = { _ in }
    ) async throws -> TransactionEvidence {
        let path: [TransactionStatus] = [.created, .claimed, .confirmed, .signed]
        let steps = Array(path.prefix { $0 != status }) + [status]
        let now = ManualBackendClock.start.secondsSince1970
        let (transactionID, clientID, issuer) = (try TransactionID(id), try ClientID(client), try Issuer(issuer))
        var claims = TransactionEvidenceClaims(
            issuer: issuer, transactionID: transactionID, origin: .server, clientID: clientID, status: status,
            createdAt: now * 1000, expiresAt: (now + 300) * 1000,
            steps: steps.enumerated().map { number, status in
                TransactionEvidenceClaims.Step(
                    status: status, at: now * 1000 + Int64(number) * 1000, circumstances: nil,
                    place: OperationEvidenceClaims.Place(
                        partition: 1, sequence: Int64(number) + 1, link: Array(repeating: 1, count: 32)))
            })
        let account = try AccountID(TestIssuer.account)
        if steps.contains(.claimed) {
            claims.account = account
            claims.payload =
                TransactionPayload(
                    transactionID: transactionID, clientID: clientID, account: account, content: request.content,
                    requiredSecondFactor: request.requiredSecondFactor, nonce: try Nonce("bm9uY2U"),
                    expiresAt: NumericDate(clamping: now + 300)
                ).bytes
        }
        if status == .signed, let payload = claims.payload {
            claims.endedAt = (now + 3) * 1000
            let assertion = DeviceAssertion(
                audience: issuer, account: account, deviceID: try DeviceID("device-1"),
                factor: .pin(try #require(PINEpoch(exactly: 1))),
                challengeID: try ChallengeID("0190b3f2-0000-7000-8000-0000000000aa"), nonce: try Nonce("bm9uY2U"),
                act: .transaction(transactionID, .transaction(payload)), issuedAt: NumericDate(clamping: now + 3))
            let signed = try await assertion.signed(by: deviceKey, pinKey).reveal()
            let first = try #require(try GeneralJWS(Array(signed.utf8)).signatures.first)
            claims.signature = TransactionEvidenceClaims.Signature(
                secondFactor: .pin,
                device: OperationEvidenceClaims.Device(
                    id: assertion.deviceID, key: try #require(deviceKey.publicJWK),
                    signature: String(decoding: first.signingInput, as: UTF8.self) + "."
                        + Base64URL.encode(first.signature)))
        }
        change(&claims)
        let key = key ?? auditKey
        return try await TransactionEvidence(
            CompactJWSEncoder(signer: key, type: .walletTransactionEvidence).encode(claims.json.bytes, signer: key))
    }

    /// Serves a proof for ``id``.
    func serve(_ document: String) {
        server.on("GET", Self.path + "/evidence") { _ in
            OutboundResponse(
                status: 200, headers: [HeaderField("Content-Type", TransactionEvidence.mediaType)],
                body: Array(document.utf8))
        }
    }
}

/// Why a call did not succeed; nil where it did.
func transactionError(_ call: () async throws -> Void) async throws -> TransactionCallError? {
    do {
        try await call()
        return nil
    } catch let error as TransactionCallError { return error }
}
