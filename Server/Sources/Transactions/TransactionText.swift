import Core

/// The texts of the page that a transaction's link opens.
enum TransactionText: String, TextKey {
    static let section = "transactions"

    case heading, lead, nextStep
}

extension Language {
    var transactions: Texts<TransactionText> { texts() }
}
