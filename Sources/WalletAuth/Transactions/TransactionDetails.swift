public import Foundation
public import WalletAuthWire

/// A transaction as shown to the person, read from the same bytes that the device signs.
///
/// Its text has no control, invisible or bidirectional characters. Show ``type`` as the heading and ``fields`` below it
/// in order, and nothing else. A transaction has at most ten lines besides amount and payee.
public struct TransactionDetails: Hashable, Sendable, Identifiable {
    /// The transaction.
    public var id: TransactionID { payload.transactionID }
    /// The account that signs.
    public var account: AccountID { payload.account }
    /// The client id of the backend that requests the signature.
    public var clientID: ClientID { payload.clientID }
    /// The kind of transaction in the backend's terms, for instance `PURCHASE`. Show it as the heading, or show your
    /// own text for a kind you know.
    public var type: String { payload.content.type.rawValue }
    /// The amount in the currency's minor unit.
    public var amount: Money? { payload.content.amount }
    /// The payee. Every transaction with an amount has one.
    public var payee: Payee? { payload.content.payee }
    /// Further lines, in the backend's order.
    public var lines: [TransactionLine] { payload.content.lines }
    /// When the transaction expires, in server time.
    public var expiresAt: Date { payload.expiresAt.date }

    let payload: TransactionPayload
}

extension TransactionDetails {
    /// A part of a transaction that the person must see.
    public struct Field: Hashable, Sendable {
        /// The importance of a field for the decision.
        public enum Rank: Int, Sendable, Hashable, Comparable {
            /// Amount and payee; without both, the first line. Must be visible without scrolling or expanding.
            case primary
            /// Everything else.
            case secondary

            /// Orders the most important fields first.
            public static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
        }

        /// The content of a field.
        public enum Content: Hashable, Sendable {
            /// The amount.
            case amount(Money)
            /// The payee.
            case payee(Payee)
            /// A line of the backend's.
            case line(TransactionLine)
        }

        /// The importance of the field.
        public let rank: Rank
        /// The content.
        public let content: Content
    }

    /// The fields to show: amount, payee, then the lines.
    public var fields: [Field] {
        var contents: [Field.Content] = []
        if let amount { contents.append(.amount(amount)) }
        if let payee { contents.append(.payee(payee)) }
        contents += lines.map(Field.Content.line)
        let primary = max(1, contents.count - lines.count)
        return contents.enumerated().map { Field(rank: $0 < primary ? .primary : .secondary, content: $1) }
    }
}

/// A transaction that is signed and stored at the server.
public struct SignedTransaction: Hashable, Sendable, Identifiable {
    /// The transaction, by which the backend finds it.
    public let id: TransactionID
    /// The account that signed.
    public let account: AccountID
    /// The second factor that signed.
    public let secondFactor: TransactionFactor
    /// The bytes that were signed.
    public let payload: Data
    /// The transaction as shown to the person; nil for one that the app began.
    public let details: TransactionDetails?
}
