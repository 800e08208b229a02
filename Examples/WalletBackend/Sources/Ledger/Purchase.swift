import Foundation
import GRDB
import WalletAuthWire

/// Something that a visitor of the shop buys by signing a transaction on their phone.
struct Purchase: Hashable, Sendable {
    /// How far it is.
    enum State: Hashable, Sendable {
        /// The authorization server has been asked, and its answer is not known.
        case begun
        /// The visitor may sign. The link holds the transaction's secret, and is erased with the end.
        case open(TransactionID, TransactionLink)
        /// The proof of the signature was verified and held against the request. Nothing else makes a purchase paid.
        case paid(TransactionID, TransactionEvidence, at: Date)
        /// The authorization server reports a signature, and its proof was worth nothing until the time was over. It waits for the
        /// operator.
        case unproved(TransactionID)
        /// It ended without a signature.
        case over(TransactionID, TransactionStatus, RejectionReason?)
    }

    /// 128 random bits: whoever knows them sees the page.
    let id: String
    /// Names the transaction at the authorization server, whatever answer is lost.
    let key: IdempotencyKey
    /// What the visitor is to sign, to the letter.
    let request: TransactionRequest
    let begunAt: Date
    let state: State

    /// The order's number, which the payload names. It opens nothing.
    var number: String { request.content.reference ?? "" }

    /// When the time to sign is over, by the clock of this backend.
    var expiresAt: Date { begunAt.addingTimeInterval(TimeInterval(request.expiresIn)) }
}

/// Why a purchase is not begun.
enum PurchaseRefusal: Error {
    /// As many purchases of all visitors are open as there may be.
    case shopFull
    /// As many purchases from the visitor's network are open as there may be.
    case networkFull
}

extension Purchase {
    /// What stands for a status that no transaction has.
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
            throw LedgerFault(reason: "a purchase has no state that is known here")
        }
    }
}
