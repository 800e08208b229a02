import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-ins elsewhere, from the scanned code to the approval (protocol section 6).
extension ServerCore {
    /// What a page on another device shows.
    struct SignInElsewhere: Sendable {
        var service: String
        var browser: String?
        var system: String?
        var isOnSameNetwork: Bool
        var number: Int64
        var numbers: [Int64]
        var isMismatched = false
    }

    mutating func createSignIn(_ signIn: SignInElsewhere, now: NumericDate) throws -> String {
        let secret = try TransactionSecret(String(Self.randomText().prefix(21) + "A"))
        let transaction = ServerTransaction(
            id: try nextTransactionID(), number: transactionNumber, secret: secret,
            expiresAt: now.advanced(by: .seconds(300)), signIn: signIn)
        transactions[transaction.id] = transaction
        return SignInCode(issuer: try Issuer(issuer), transactionID: transaction.id, secret: secret).reveal()
    }

    /// Answers a request about sign-ins elsewhere.
    mutating func signInElsewhere(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let body = try request.json
        let path = request.url.path
        if path.hasSuffix("/sign"), let id = transactions.keys.first(where: { path.contains($0.rawValue) }) {
            return try sign(id, TransactionSignature(body).assertion, now: now)
        }
        let device = try DeviceID(body.required("deviceId", body.string("deviceId")))
        try requireSignature(of: device, on: request, now: now)
        if path == Endpoints.scannedSignInClaim.path { return try claim(ScannedSignInClaim(body), now: now) }
        guard let id = transactions.keys.first(where: { path.contains($0.rawValue) }),
            let transaction = transactions[id], transaction.device == device, transaction.signIn != nil
        else { return problem(404, "transaction_not_found") }
        if path.hasSuffix("/choice") { return try choose(ScannedSignInChoice(body).number, transaction, now: now) }
        transactions[id]?.status = .rejected
        return HTTPResponse(status: 204)
    }

    private mutating func claim(_ claim: ScannedSignInClaim, now: NumericDate) throws -> HTTPResponse {
        guard var transaction = transactions[claim.code.transactionID], transaction.signIn != nil,
            let account = try devices[claim.deviceID].map({ try AccountID($0.subject) })
        else { return problem(404, "transaction_not_found") }
        guard transaction.secret == claim.code.secret, now < transaction.expiresAt else {
            return problem(409, "scan_expired")
        }
        guard transaction.device == nil || transaction.device == claim.deviceID else {
            return problem(409, "already_claimed")
        }
        transaction.device = claim.deviceID
        transaction.status = .claimed
        transactions[transaction.id] = transaction
        return .json(try scanned(transaction, account).json)
    }

    private mutating func choose(
        _ number: Int64, _ transaction: ServerTransaction, now: NumericDate
    ) throws -> HTTPResponse {
        var transaction = transaction
        guard let signIn = transaction.signIn, let device = transaction.device, let known = devices[device] else {
            return problem(404, "transaction_not_found")
        }
        guard number == signIn.number, !signIn.isMismatched else {
            transactions[transaction.id]?.signIn?.isMismatched = true
            return problem(409, "number_mismatch")
        }
        if let over = over(transaction, now: now) { return over }
        transaction.status = .confirmed
        transaction.payload =
            SignInPayload(
                signIn: try scanned(transaction, AccountID(known.subject)), clientID: try ClientID(clientID),
                number: number,
                nonce: try Nonce(Self.randomText())
            ).bytes
        transaction.challenge = try newChallenge()
        transaction.challengeEndsAt = now.advanced(by: Self.challengeLifetime)
        transactions[transaction.id] = transaction
        return .json(view(transaction).json)
    }

    private func scanned(_ transaction: ServerTransaction, _ account: AccountID) throws -> ScannedSignIn {
        ScannedSignIn(
            transactionID: transaction.id, account: account, service: transaction.signIn?.service ?? "",
            browser: transaction.signIn?.browser, system: transaction.signIn?.system,
            sameNetwork: transaction.signIn?.isOnSameNetwork ?? false, numbers: transaction.signIn?.numbers ?? [],
            expiresAt: transaction.expiresAt)
    }
}
