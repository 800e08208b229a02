import Foundation
import WalletAuth
import WalletAuthWire

struct SigningReport: Report {
    let status: TransactionStatus
    var transactionID: String?
    var account: String?
    var secondFactor: TransactionFactor?
    var reason: RejectionReason?
    var content: [String] = []
    var expiresAt: Date?

    init(_ signed: SignedTransaction) {
        status = .signed
        transactionID = signed.id.rawValue
        account = signed.account.rawValue
        secondFactor = signed.secondFactor
        content = signed.details?.words ?? []
    }

    init(rejected reason: RejectionReason) {
        status = .rejected
        self.reason = reason
    }

    /// A transaction that was scanned but not signed.
    init(_ details: TransactionDetails) {
        status = .claimed
        transactionID = details.id.rawValue
        account = details.account.rawValue
        content = details.words
        expiresAt = details.expiresAt
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case transactionID = "transactionId"
        case account, secondFactor, reason, content, expiresAt
    }

    var lines: [String] {
        switch status {
        case .signed: ["Signed.", "  transaction  \(transactionID ?? "")"]
        case .rejected: ["Rejected. Nothing was signed."]
        default: content.enumerated().map { $0 == 0 ? $1 : "  \($1)" } + ["  transaction  \(transactionID ?? "")"]
        }
    }
}

struct OpenTransactionsReport: Report {
    let transactions: [SigningReport]

    var lines: [String] {
        guard !transactions.isEmpty else { return ["Nothing is waiting for your signature."] }
        return transactions.flatMap(\.lines) + ["Sign one with: wallet transactions approve TRANSACTION"]
    }
}
