import Foundation
import WalletAuth
import WalletAuthWire

/// Transactions, from the QR code to the signature (protocol section 6).
extension ServerCore {
    struct ServerTransaction: Sendable {
        let id: TransactionID
        let number: Int
        var status: TransactionStatus = .created
        var reason: RejectionReason?
        var request: TransactionRequest?
        var secret: TransactionSecret?
        var changing: (@Sendable ([UInt8]) -> [UInt8])?
        var draft: TransactionDraftRequest?
        var device: DeviceID?
        var payload: [UInt8] = []
        var expiresAt: NumericDate
        var challenge: ChallengeResponse?
        var challengeEndsAt: NumericDate?
        var assertion: SignedAssertion?
        var signatures = 0
        /// A sign-in elsewhere; nil for any other transaction.
        var signIn: SignInElsewhere?

        /// The hash that the device signs.
        var hash: PayloadHash { signIn == nil ? .transaction(payload) : .scannedSignIn(payload) }
    }

    mutating func createTransaction(
        _ request: TransactionRequest, changing: (@Sendable ([UInt8]) -> [UInt8])?, now: NumericDate
    ) throws -> String {
        let secret = try TransactionSecret(String(Self.randomText().prefix(21) + "A"))
        let transaction = ServerTransaction(
            id: try nextTransactionID(), number: transactionNumber, request: request, secret: secret,
            changing: changing, expiresAt: now.advanced(by: .seconds(request.expiresIn)))
        transactions[transaction.id] = transaction
        return TransactionLink(issuer: try Issuer(issuer), transactionID: transaction.id, secret: secret).reveal()
    }

    mutating func nextTransactionID() throws -> TransactionID {
        transactionNumber += 1
        let digits = String(transactionNumber)
        return try TransactionID("0190b3f2-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    }

    /// Answers a request about transactions.
    mutating func transaction(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let body = try request.json
        let path = request.url.path
        if path == Endpoints.transactions.path { return try storeDraft(try SignedDraft(body), now: now) }
        if path.hasSuffix("/sign"), let id = transactions.keys.first(where: { path.contains($0.rawValue) }) {
            return try sign(id, TransactionSignature(body).assertion, now: now)
        }
        let device = try DeviceID(body.required("deviceId", body.string("deviceId")))
        try requireSignature(of: device, on: request, now: now)
        if path == Endpoints.transactionDrafts.path { return try begin(TransactionDraftRequest(body), now: now) }
        if path == Endpoints.transactionClaim.path { return try claim(TransactionClaim(body), now: now) }
        guard let id = transactions.keys.first(where: { path.contains($0.rawValue) }),
            transactions[id]?.device == device
        else { return problem(404, "transaction_not_found") }
        if path.hasSuffix("/confirm") {
            return try step(id, TransactionConfirmation(body).payloadHash, to: .confirmed, now: now)
        }
        return try reject(id, TransactionRejection(body), now: now)
    }

    /// The open transactions of the devices of the signed-in account.
    mutating func openTransactions(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let subject = try authorize(request, now: now).subject
        let open = transactions.values.filter { transaction in
            transaction.device.flatMap { devices[$0]?.subject } == subject && over(transaction, now: now) == nil
        }
        return .json(
            TransactionPage(transactions: open.sorted { $0.number < $1.number }.map(view), cursor: nil).json)
    }

    // MARK: - Steps

    private mutating func claim(_ claim: TransactionClaim, now: NumericDate) throws -> HTTPResponse {
        let id = claim.link.transactionID
        guard var transaction = transactions[id], transaction.secret == claim.link.secret,
            let request = transaction.request,
            let account = try devices[claim.deviceID].map({ try AccountID($0.subject) }),
            request.account == nil || request.account == account
        else { return problem(404, "transaction_not_found") }
        if let over = over(transaction, now: now) { return over }
        guard transaction.device == nil || transaction.device == claim.deviceID else {
            return problem(409, "already_claimed")
        }
        guard request.requiredSecondFactor != .pin else { return Self.noPIN }
        if transaction.device == nil {
            transaction.device = claim.deviceID
            transaction.status = .claimed
            let bytes = TransactionPayload(
                transactionID: id, clientID: try ClientID("com.example.backend"), account: account,
                content: request.content, requiredSecondFactor: request.requiredSecondFactor,
                nonce: try Nonce(Self.randomText()), expiresAt: transaction.expiresAt
            ).bytes
            transaction.payload = transaction.changing?(bytes) ?? bytes
            transactions[id] = transaction
        }
        return .json(view(transaction).json)
    }

    private mutating func reject(
        _ id: TransactionID, _ rejection: TransactionRejection, now: NumericDate
    ) throws -> HTTPResponse {
        // Sent again, because the answer was lost.
        if let rejected = transactions[id], rejected.status == .rejected, rejected.reason == rejection.reason {
            return .json(view(rejected).json)
        }
        return try step(id, rejection.payloadHash, to: .rejected, because: rejection.reason, now: now)
    }

    private mutating func step(
        _ id: TransactionID, _ hash: PayloadHash, to status: TransactionStatus, because reason: RejectionReason? = nil,
        now: NumericDate
    ) throws -> HTTPResponse {
        guard var transaction = transactions[id] else { return problem(404, "transaction_not_found") }
        if let over = over(transaction, now: now) { return over }
        guard hash == .transaction(transaction.payload) else { return problem(409, "payload_mismatch") }
        transaction.status = status
        transaction.reason = reason
        if status == .confirmed {
            transaction.challenge = try newChallenge()
            transaction.challengeEndsAt = now.advanced(by: Self.challengeLifetime)
        }
        transactions[id] = transaction
        return .json(view(transaction).json)
    }

    mutating func sign(
        _ id: TransactionID, _ assertion: SignedAssertion, now: NumericDate
    ) throws -> HTTPResponse {
        guard var transaction = transactions[id] else { return problem(404, "transaction_not_found") }
        transaction.signatures += 1
        transactions[id] = transaction
        if transaction.assertion == assertion { return .json(view(transaction).json) }
        if let over = over(transaction, now: now) { return over }
        guard transaction.status == .confirmed else { return problem(409, "transaction_not_confirmed") }
        guard try isSigned(transaction, by: assertion, now: now) else { return problem(401, "invalid_credentials") }
        transaction.status = .signed
        transaction.assertion = assertion
        transactions[id] = transaction
        return .json(view(transaction).json)
    }

    private mutating func begin(_ request: TransactionDraftRequest, now: NumericDate) throws -> HTTPResponse {
        guard let subject = devices[request.deviceID]?.subject else { return problem(404, "transaction_not_found") }
        guard request.requiredSecondFactor != .pin else { return Self.noPIN }
        let id = try nextTransactionID()
        let expiresAt = now.advanced(by: .seconds(300))
        let payload = ClientTransactionPayload(
            transactionID: id, clientID: try ClientID(clientID), account: try AccountID(subject),
            clientStateHash: request.clientState.map { TransactionDataHash(of: $0) },
            clientAdditionalDataHash: request.clientAdditionalData.map { TransactionDataHash(of: $0) },
            requiredSecondFactor: request.requiredSecondFactor, nonce: try Nonce(Self.randomText()),
            expiresAt: expiresAt)
        let transaction = ServerTransaction(
            id: id, number: transactionNumber, status: .confirmed, draft: request, device: request.deviceID,
            payload: payload.bytes, expiresAt: expiresAt, challenge: try newChallenge(),
            challengeEndsAt: now.advanced(by: Self.challengeLifetime))
        let draft = try TransactionDraft("draft-" + Self.randomText())
        drafts[draft] = transaction
        return .json(TransactionDraftResponse(draft: draft, transaction: view(transaction)).json)
    }

    private mutating func storeDraft(_ signed: SignedDraft, now: NumericDate) throws -> HTTPResponse {
        guard let draft = drafts[signed.draft] else { return problem(400, "invalid_draft") }
        if let stored = transactions[draft.id] {
            guard stored.assertion == signed.assertion else { return problem(409, "draft_used") }
            return try sign(draft.id, signed.assertion, now: now)
        }
        guard now < draft.expiresAt else { return problem(400, "invalid_draft") }
        guard try isSigned(draft, by: signed.assertion, now: now) else { return problem(401, "invalid_credentials") }
        transactions[draft.id] = draft
        return try sign(draft.id, signed.assertion, now: now)
    }
}

extension ServerCore {
    /// The answer to a transaction that requires a PIN: no device has one here.
    private static var noPIN: HTTPResponse {
        var problem = Problem(status: 409, code: "second_factor_unavailable", title: "Refused").json
        SecondFactorShortage(required: .pin, pin: .notSet).add(to: &problem)
        return .json(problem, status: 409)
    }

    func view(_ transaction: ServerTransaction) -> DeviceTransaction {
        DeviceTransaction(
            transactionID: transaction.id, status: transaction.status, reason: transaction.reason,
            payload: transaction.payload, allowedSecondFactors: transaction.status.isFinal ? [] : [.biometric],
            challenge: transaction.status == .confirmed ? transaction.challenge : nil,
            expiresAt: transaction.expiresAt)
    }

    func over(_ transaction: ServerTransaction, now: NumericDate) -> HTTPResponse? {
        let status =
            transaction.status.isFinal || now < transaction.expiresAt ? transaction.status : TransactionStatus.expired
        guard status.isFinal else { return nil }
        var answer = Problem(status: 409, code: "transaction_over", title: "Refused").json
        answer.set("state", status.rawValue)
        return .json(answer, status: 409)
    }

    static let challengeLifetime = Duration.seconds(300)

    func newChallenge() throws -> ChallengeResponse {
        ChallengeResponse(
            challengeID: try ChallengeID("challenge-" + Self.randomText()), nonce: try Nonce(Self.randomText()),
            expiresIn: Self.challengeLifetime.components.seconds)
    }

    /// Whether the enrolled device signed these bytes. This server does not know the presence key: its signature must
    /// be there, but is not verified.
    private func isSigned(
        _ transaction: ServerTransaction, by assertion: SignedAssertion, now: NumericDate
    ) throws -> Bool {
        guard let presented = try? PresentedAssertion(assertion), let challenge = transaction.challenge,
            let endsAt = transaction.challengeEndsAt, now < endsAt, let id = transaction.device,
            let device = devices[id]
        else { return false }
        let verdict = presented.verdict(
            keys: AssertionKeys(device: device.key, seconds: device.key),
            for: PresentedAssertion.Expectation(
                audience: try Issuer(issuer), account: try AccountID(device.subject), deviceID: id, factor: .biometric,
                challengeID: challenge.challengeID, nonce: challenge.nonce,
                act: .transaction(transaction.id, transaction.hash)),
            now: now)
        return verdict == .wrongSecondFactor
    }

    /// Refuses a request without the device's signature.
    func requireSignature(of id: DeviceID, on request: HTTPRequest, now: NumericDate) throws {
        guard let signature = request.headers[DeviceRequestSignature.headerName] else {
            throw unauthorized(scheme: "DPoP", .useDPoPNonce)
        }
        guard let device = devices[id], let key = request.headers[IdempotencyKey.headerName] else {
            throw Refusal(response: problem(401, "invalid_credentials"))
        }
        let expected = DeviceRequestSignature.Expectation(
            audience: try Issuer(issuer), deviceID: id, method: "POST",
            target: try HTTPTarget(request.url.absoluteString), body: request.bytes,
            idempotencyKey: try IdempotencyKey(key))
        guard let signed = try? DeviceRequestSignature.verified(signature, by: device.key, for: expected, now: now)
        else { throw Refusal(response: problem(401, "invalid_credentials")) }
        guard signed.nonce.rawValue == nonceText else { throw unauthorized(scheme: "DPoP", .useDPoPNonce) }
    }
}
