import Crypto
import Foundation
import Synchronization
import Testing
import WalletAuthVerifier
import WalletAuthWire

/// The authorization server's transactions in memory, with the phone that signs them. End to end the real server takes its place.
final class ShopServer: BackendTransport {
    struct Transaction {
        var request: TransactionRequest
        var created: TransactionCreated
        var status = TransactionStatus.created
        var reason: RejectionReason?
        /// What was signed; the request unless a test changes it.
        var signed: TransactionContent?
    }

    private struct State {
        var order: [TransactionID] = []
        var transactions: [TransactionID: Transaction] = [:]
        var keys: [String: TransactionID] = [:]
        var requests: [OutboundRequest] = []
        var isDown = false
        var underWay = 0
        var mostAtOnce = 0
        /// Reports transactions as signed that are not.
        var isLying = false
        /// Transactions for which it answers 500.
        var broken: Set<TransactionID> = []
    }

    let issuer: Issuer
    let clock = StillClock()
    /// Closed, it holds up requests for a transaction.
    let gate = Gate()
    let account: AccountID
    private let auditKey = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
    private let deviceKey = P256Signer(P256.Signing.PrivateKey())
    private let pinKey = P256Signer(P256.Signing.PrivateKey())
    private let state = Mutex(State())

    init() throws {
        issuer = try Issuer("https://auth.example")
        account = try AccountID("0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11")
    }

    var auditKeys: JWKSet { JWKSet([auditKey].compactMap(\.publicJWK)) }
    /// The transactions in the order of their creation.
    var transactions: [Transaction] {
        state.withLock { state in state.order.compactMap { state.transactions[$0] } }
    }
    var requests: [OutboundRequest] { state.withLock { $0.requests } }

    /// What happens to a transaction on the phone.
    func change(_ id: TransactionID, _ change: @Sendable (inout Transaction) -> Void) {
        state.withLock { state in
            if var transaction = state.transactions[id] {
                change(&transaction)
                state.transactions[id] = transaction
            }
        }
    }

    /// The account was erased, or the server restored from a backup.
    func remove(_ id: TransactionID) { state.withLock { $0.transactions[id] = nil } }

    func go(down isDown: Bool) { state.withLock { $0.isDown = isDown } }
    func lie() { state.withLock { $0.isLying = true } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    func breakDown(for id: TransactionID) { state.withLock { _ = $0.broken.insert(id) } }

    func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        let isDown = state.withLock { state in
            state.requests.append(request)
            return state.isDown
        }
        if isDown { throw OutboundFailure(.notSent, reason: "connection refused") }
        let base = issuer.url(path: Endpoints.transactions.path)
        switch request.url {
        case issuer.oauthMetadataURL:
            var metadata = ServerMetadata(issuer: issuer)
            metadata.keysURL = try WebURL(issuer.url(path: Endpoints.keys.path))
            metadata.tokenEndpoint = try WebURL(issuer.url(path: Endpoints.token.path))
            return OutboundResponse(status: 200, body: metadata.json.bytes)
        case issuer.url(path: Endpoints.token.path):
            let body = #"{"access_token":"backend-token","token_type":"Bearer","expires_in":300}"#
            return OutboundResponse(status: 200, body: Array(body.utf8))
        case base: return try create(request)
        case _ where request.url.hasPrefix(base + "/"):
            let path = request.url.dropFirst(base.count + 1).split(separator: "?")[0].split(separator: "/")
            state.withLock { state in
                state.underWay += 1
                state.mostAtOnce = max(state.mostAtOnce, state.underWay)
            }
            defer { state.withLock { $0.underWay -= 1 } }
            await gate.pass()
            return try await one(TransactionID(String(path[0])), path.count > 1 ? String(path[1]) : "")
        default: return OutboundResponse(status: 404)
        }
    }

    private func create(_ request: OutboundRequest) throws -> OutboundResponse {
        let asked = try TransactionRequest(JSONValue.object(parsing: request.body ?? []))
        if let named = asked.account, named != account { return problem(404, "account_not_found") }
        let key = request.headers.first { $0.name == IdempotencyKey.headerName }?.value ?? ""
        let id = try TransactionID(UUID().uuidString.lowercased())
        let created = TransactionCreated(
            transactionID: id, status: .created,
            link: TransactionLink(
                issuer: issuer, transactionID: id,
                secret: try TransactionSecret(Base64URL.encode(Array(repeating: 7, count: 16)))),
            expiresAt: clock.now().advanced(by: .seconds(300)))
        let answer = state.withLock { state in
            if let known = state.keys[key].flatMap({ state.transactions[$0] }) { return known.created }
            state.keys[key] = id
            state.order.append(id)
            state.transactions[id] = Transaction(request: asked, created: created)
            return created
        }
        return OutboundResponse(status: 201, body: answer.json.bytes)
    }

    private func one(_ id: TransactionID, _ part: String) async throws -> OutboundResponse {
        guard let transaction = state.withLock({ $0.transactions[id] }) else {
            return problem(404, "transaction_not_found")
        }
        if state.withLock({ $0.broken.contains(id) }) { return problem(500, "server_error") }
        switch part {
        case "": return OutboundResponse(status: 200, body: try report(transaction).json.bytes)
        case "qr.svg":
            guard transaction.status == .created else { return problem(409, "transaction_over") }
            return OutboundResponse(
                status: 200, body: Array("<svg viewBox=\"0 0 9 9\"><path d=\"M4 4h1v1h-1z\"/></svg>".utf8))
        case "evidence":
            return OutboundResponse(status: 200, body: Array(try await evidence(of: transaction).rawValue.utf8))
        default: return OutboundResponse(status: 404)
        }
    }

    private func report(_ transaction: Transaction) throws -> TransactionReport {
        let isLying = state.withLock { $0.isLying }
        var report = TransactionReport(
            transactionID: transaction.created.transactionID, origin: .server, clientID: try ClientID("wallet-backend"),
            status: isLying ? .signed : transaction.status, createdAt: clock.now(),
            expiresAt: transaction.created.expiresAt)
        report.reason = transaction.reason
        return report
    }

    private func problem(_ status: Int, _ code: String) -> OutboundResponse {
        OutboundResponse(status: status, body: Problem(status: status, code: code, title: code).json.bytes)
    }

    /// The proof as the server makes it of the present state.
    private func evidence(of transaction: Transaction) async throws -> TransactionEvidence {
        let path: [TransactionStatus] = [.created, .claimed, .confirmed, .signed]
        let steps = Array(path.prefix { $0 != transaction.status }) + [transaction.status]
        let id = transaction.created.transactionID
        let expiresAt = transaction.created.expiresAt
        let start = expiresAt.secondsSince1970 - 300
        let client = try ClientID("wallet-backend")
        var claims = TransactionEvidenceClaims(
            issuer: issuer, transactionID: id, origin: .server, clientID: client, status: transaction.status,
            createdAt: start * 1000, expiresAt: expiresAt.secondsSince1970 * 1000,
            steps: steps.enumerated().map { number, status in
                TransactionEvidenceClaims.Step(
                    status: status, at: start * 1000 + Int64(number) * 1000, circumstances: nil,
                    place: OperationEvidenceClaims.Place(
                        partition: 1, sequence: Int64(number) + 1, link: Array(repeating: 1, count: 32)))
            })
        if steps.contains(.claimed) {
            claims.account = account
            claims.payload =
                TransactionPayload(
                    transactionID: id, clientID: client, account: account,
                    content: transaction.signed ?? transaction.request.content,
                    requiredSecondFactor: transaction.request.requiredSecondFactor, nonce: try Nonce("bm9uY2U"),
                    expiresAt: expiresAt
                ).bytes
        }
        if transaction.status == .signed, let payload = claims.payload {
            claims.endedAt = (start + 3) * 1000
            claims.signature = try await signature(over: payload, of: id, at: start + 3)
        }
        return try await TransactionEvidence(
            CompactJWSEncoder(signer: auditKey, type: .walletTransactionEvidence)
                .encode(claims.json.bytes, signer: auditKey))
    }

    private func signature(
        over payload: [UInt8], of id: TransactionID, at seconds: Int64
    ) async throws -> TransactionEvidenceClaims.Signature {
        let assertion = DeviceAssertion(
            audience: issuer, account: account, deviceID: try DeviceID("device-1"),
            factor: .pin(try #require(PINEpoch(exactly: 1))),
            challengeID: try ChallengeID("0190b3f2-0000-7000-8000-0000000000aa"), nonce: try Nonce("bm9uY2U"),
            act: .transaction(id, .transaction(payload)), issuedAt: NumericDate(clamping: seconds))
        let signed = try await assertion.signed(by: deviceKey, pinKey).reveal()
        let first = try #require(try GeneralJWS(Array(signed.utf8)).signatures.first)
        return TransactionEvidenceClaims.Signature(
            secondFactor: .pin,
            device: OperationEvidenceClaims.Device(
                id: assertion.deviceID, key: try #require(deviceKey.publicJWK),
                signature: String(decoding: first.signingInput, as: UTF8.self) + "."
                    + Base64URL.encode(first.signature)))
    }
}
