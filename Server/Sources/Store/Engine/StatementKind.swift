/// The kind of a statement, from its first word.
///
/// Bodies manipulate data, migrations define it, and only the engine controls transactions: a body that committed by
/// itself would break the guarantee for all others in its batch.
package enum StatementKind {
    case manipulation
    case definition
    case control

    /// Returns `nil` for a statement that no caller may run. This compares bytes, because it runs for every statement.
    package init?(of sql: String) {
        let text = sql.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        func begins(with word: StaticString) -> Bool {
            word.withUTF8Buffer { letters in
                text.prefix(letters.count).elementsEqual(letters) { $0 & ~0x20 == $1 }
            }
        }
        if begins(with: "SELECT") || begins(with: "UPDATE") || begins(with: "INSERT") || begins(with: "DELETE")
            || begins(with: "WITH")
        {
            self = .manipulation
        } else if begins(with: "CREATE") || begins(with: "ALTER") || begins(with: "DROP") {
            self = .definition
        } else {
            return nil
        }
    }

    /// Whether a statement that manipulates data only reads.
    package static func reads(_ sql: String) -> Bool {
        let text = sql.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        return text.first.map { $0 & ~0x20 } == UInt8(ascii: "S")
    }
}
