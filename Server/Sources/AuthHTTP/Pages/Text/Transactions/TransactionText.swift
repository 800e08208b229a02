/// The page that a transaction's link opens, in one language.
struct TransactionText: Sendable {
    let heading: String
    let lead: String
    let nextStep: String
}

extension PageLanguage {
    var transactions: TransactionText {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
