import Store

/// How far a table has been copied, as a text in the destination. It is written together with the rows that it counts.
struct CopyPosition: Hashable, Sendable {
    /// The rows copied so far.
    var rows: Int64
    /// The primary key of the last one; `nil` once the table is complete.
    var last: [SQLValue]?

    init(rows: Int64, last: [SQLValue]?) {
        self.rows = rows
        self.last = last
    }

    var isComplete: Bool { last == nil }

    /// Such as `1500 b00ff t616461 i7`, or `1500` for a complete table.
    var text: String {
        let values = (last ?? []).map { value in
            switch value {
            // No column of a primary key is null.
            case .null: "n"
            case .integer(let integer): "i\(integer)"
            case .text(let text): "t" + Hexadecimal.text(Array(text.utf8))
            case .blob(let bytes): "b" + Hexadecimal.text(bytes)
            }
        }
        return ([String(rows)] + values).joined(separator: " ")
    }

    /// Returns `nil` for anything that ``text`` does not write.
    init?(text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = words.first, let rows = Int64(first), rows >= 0 else { return nil }
        var values: [SQLValue] = []
        for word in words.dropFirst() {
            guard let value = Self.value(word) else { return nil }
            values.append(value)
        }
        self.init(rows: rows, last: values.isEmpty ? nil : values)
    }

    private static func value(_ word: Substring) -> SQLValue? {
        let rest = word.dropFirst()
        switch word.first {
        case "i": return Int64(rest).map { .integer($0) }
        case "t": return Hexadecimal.bytes(rest).map { .text(String(decoding: $0, as: UTF8.self)) }
        case "b": return Hexadecimal.bytes(rest).map { .blob($0) }
        default: return nil
        }
    }
}
