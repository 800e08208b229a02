public import Foundation
import WalletAuth
import WalletAuthWire

/// A transaction as the person must see it, read from the bytes that this device signs. Show all of it.
public struct TransactionInfo: Hashable, Sendable, Identifiable {
    /// A line of the backend's.
    public struct Line: Hashable, Sendable {
        /// The label.
        public let label: String
        /// The value.
        public let value: String
    }

    /// The transaction, by which the backend finds it.
    public let id: String
    /// The kind of transaction in the backend's terms, for instance `PURCHASE`: the heading.
    public let type: String
    /// The amount. Must be visible without scrolling, as must the payee.
    public let amount: Decimal?
    /// The currency of the amount (ISO 4217).
    public let currencyCode: String?
    /// The payee's name.
    public let payeeName: String?
    /// The payee's account.
    public let payeeAccount: String?
    /// Further lines, in the backend's order.
    public let lines: [Line]
    /// When the transaction expires, in server time.
    public let expiresAt: Date

    init(_ details: TransactionDetails) {
        id = details.id.rawValue
        type = details.type
        amount = details.amount.map {
            Decimal(sign: .plus, exponent: -$0.currency.minorUnitDigits, significand: Decimal($0.minorUnits))
        }
        currencyCode = details.amount?.currency.rawValue
        payeeName = details.payee?.name
        payeeAccount = details.payee?.account
        lines = details.lines.map { Line(label: $0.label, value: $0.value) }
        expiresAt = details.expiresAt
    }
}
