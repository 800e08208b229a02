/// What a statement's first word says about it.
///
/// Bodies manipulate, migrations define, and only the engine controls transactions: a body that committed by itself would
/// break the promise made to all the others of its batch.
enum StatementKind {
    case manipulation
    case definition
    case control

    /// Looks at bytes, since it is asked at every statement: a statement that was prepared for one place must not be run
    /// in another.
    ///
    /// - Parameter sql: one statement; the kind is `nil` for what no caller may run.
    init?(of sql: String) {
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
}
