/// A table of the schema, as its definition declares it.
package struct StoredTable: Sendable, Hashable {
    package let name: String
    /// The columns of the primary key, in its order.
    package let key: [String]

    /// Reads a `CREATE TABLE` statement of a migration; `nil` for any other statement.
    init?(definition: String) {
        let words = Self.words(of: definition)
        guard words.count > 4, words[0] == "CREATE", words[1] == "TABLE", words[3] == "(" else { return nil }
        name = words[2]
        var key: [String] = []
        var item: [String] = []
        var depth = 0
        // A comma or bracket outside of inner brackets ends a column or a constraint of the table.
        for word in words.dropFirst(4) {
            if depth == 0, word == "," || word == ")" {
                if key.isEmpty { key = Self.key(declaredIn: item) }
                item = []
                continue
            }
            if word == "(" { depth += 1 }
            if word == ")" { depth -= 1 }
            item.append(word)
        }
        self.key = key
    }

    /// The key that a column or a constraint of the table declares: the column, or the columns in brackets.
    private static func key(declaredIn item: [String]) -> [String] {
        guard let place = item.indices.dropLast().first(where: { item[$0] == "PRIMARY" && item[$0 + 1] == "KEY" })
        else { return [] }
        return place == 0 ? item.dropFirst(2).filter { !punctuation.contains($0) } : [item[0]]
    }

    private static let punctuation: Set<String> = ["(", ")", ","]

    /// Words and punctuation outside of text literals.
    private static func words(of definition: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quoted = false
        for character in definition {
            if !quoted, character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
            if character == "'" { quoted.toggle() }
            if !quoted, punctuation.contains(String(character)) { words.append(String(character)) }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}

extension Schema {
    /// Every table, after those that it refers to: in the order in which the migrations create them. The engine's own list of
    /// migrations (`schema_migrations`) is not among them.
    package static let tables: [StoredTable] = migrations.flatMap(\.statements).compactMap {
        StoredTable(definition: $0)
    }
}
