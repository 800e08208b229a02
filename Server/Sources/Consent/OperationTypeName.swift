package import Core
package import WalletAuthWire

extension WalletOperationType {
    /// The type's name for people. A backend's own type is shown unchanged, because nothing else describes the request.
    package func name(in language: Language) -> String {
        NamedOperationType(rawValue: rawValue).map { language.texts()[$0] } ?? rawValue
    }
}

/// The types that have a name for people.
enum NamedOperationType: String, TextKey {
    static let section = "operations"

    case transfer = "TRANSFER"
    case payment = "PAYMENT"
    case trustPayee = "TRUST_PAYEE"
    case distrustPayee = "DISTRUST_PAYEE"
    case beginSeries = "BEGIN_SERIES"
    case endSeries = "END_SERIES"
    case showBalance = "SHOW_BALANCE"
    case showTransactions = "SHOW_TRANSACTIONS"
    case showCard = "SHOW_CARD"
    case showPin = "SHOW_PIN"
}
