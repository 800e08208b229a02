import Foundation
import GRDB
import WalletAuthWire

/// A purchase that a visitor of the shop pays by signing a transaction on their phone.
struct Purchase: Hashable, Sendable {
    /// The state of a purchase.
    enum State: Hashable, Sendable {
        /// The authorization server has been asked, and its answer is unknown.
        case begun
        /// The visitor may sign. The link contains the transaction's secret, and is deleted when the purchase ends.
        case open(TransactionID, TransactionLink)
        /// The proof of the signature was verified and compared with the request. Nothing else marks a purchase as
        /// paid.
        case paid(TransactionID, TransactionEvidence, at: Date)
        /// The authorization server reports a signature, but its proof was invalid until the time was up. The operator
        /// must look into it.
        case unproved(TransactionID)
        /// It ended without a signature.
        case over(TransactionID, TransactionStatus, RejectionReason?)
    }

    /// 128 random bits, which give access to the page.
    let id: String
    /// The transaction's idempotency key, which makes it safe to repeat a lost request.
    let key: IdempotencyKey
    /// The exact content to sign.
    let request: TransactionRequest
    let begunAt: Date
    let state: State

    /// The order number, which is part of the payload. It gives access to nothing.
    var number: String { request.content.reference ?? "" }

    /// When the time to sign ends, by this backend's clock.
    var expiresAt: Date { begunAt.addingTimeInterval(TimeInterval(request.expiresIn)) }
}

/// The reason a purchase is refused.
enum PurchaseRefusal: Error {
    /// All visitors together have reached the limit of open purchases.
    case shopFull
    /// The visitor's network has reached the limit of open purchases.
    case networkFull
}

extension Purchase {
    /// A status of the ledger only, which no transaction has.
    static let unproved = "UNPROVED"

    init(_ row: Row) throws {
        id = row["id"]
        key = try IdempotencyKey(row["key"])
        request = try TransactionRequest(recorded: JSONValue.object(parsing: Array(row["request"] as Data)))
        begunAt = Date(timeIntervalSince1970: TimeInterval(row["begunAt"] as Int64))
        guard let transaction = try (row["transaction"] as String?).map({ try TransactionID($0) }) else {
            state = .begun
            return
        }
        let link: String? = row["link"]
        let proof: String? = row["proof"]
        let status: String? = row["status"]
        if let link {
            state = .open(transaction, try TransactionLink(link))
        } else if let proof {
            state = .paid(
                transaction, try TransactionEvidence(proof),
                at: Date(timeIntervalSince1970: TimeInterval(row["endedAt"] as Int64)))
        } else if status == Self.unproved {
            state = .unproved(transaction)
        } else if let status = status.flatMap(TransactionStatus.init(rawValue:)) {
            state = .over(
                transaction, status, (row["reason"] as String?).flatMap(RejectionReason.init(rawValue:)))
        } else {
            throw LedgerFault(reason: "a purchase has an unknown state")
        }
    }
}
