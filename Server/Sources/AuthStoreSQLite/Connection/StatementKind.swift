/// What a statement's first word says about it.
///
/// Bodies manipulate, migrations define, and only the engine controls transactions: a body that committed by itself would
/// break the promise made to all the others of its batch.
enum StatementKind {
    case manipulation
    case definition
    case control

    /// - Parameter sql: one statement; the kind is `nil` for what no caller may run.
    init?(of sql: String) {
        let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
        switch word {
        case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH": self = .manipulation
        case "CREATE", "ALTER", "DROP": self = .definition
        default: return nil
        }
    }
}
