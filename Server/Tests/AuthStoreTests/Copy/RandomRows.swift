import Foundation
import Store

/// Fills every table of a SQLite database with rows that its definition allows: values to the edges of their types, texts
/// of all kinds, nulls. A new table needs nothing here.
///
/// A row is drawn at random, and again if a constraint refuses it. The same seed always draws the same rows.
struct RandomRows {
    struct Unfilled: Error, CustomStringConvertible {
        let description: String
    }

    private static let enoughTries = 4_000
    private static let longestTries = 200_000

    /// - Parameter count: the rows of a table, as far as its keys allow so many.
    static func fill(_ database: any Database, _ count: Int, seed: UInt64 = 1) async throws {
        try await database.write { connection in
            var random = SeededGenerator(state: seed)
            for table in Schema.tables {
                let design = try TableDesign(table.name, on: connection)
                var made = 0
                for number in 1...longestTries where made < count && (made == 0 || number < enoughTries) {
                    let row = design.row(using: &random)
                    let places = row.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                    do {
                        try connection.execute(
                            "INSERT INTO \(table.name) (\(design.names)) VALUES (\(places))", row)
                        made += 1
                    } catch let error as StoreError where error.code == .constraint || error.code == .conflict {
                        // The next one.
                    }
                }
                guard made > 0 else {
                    throw Unfilled(description: "no random row satisfies the constraints of \(table.name)")
                }
            }
        }
    }
}

/// What a table's definition says of the values of its columns.
private struct TableDesign {
    private struct Column {
        let name: String
        let type: String
        let isRequired: Bool
        /// The values that a CHECK of the column lists; none if there is no such list.
        let listed: [SQLValue]
        /// The lengths or numbers that a CHECK of the column has as limits.
        let lengths: [Int]
        let numbers: [Int64]
    }

    private struct Reference {
        let columns: [Int]
        /// The values of each row that may be referred to.
        let targets: [[SQLValue]]
        let isRequired: Bool
    }

    private let columns: [Column]
    private let references: [Reference]

    /// For an `INSERT`.
    var names: String { columns.map(\.name).joined(separator: ", ") }

    init(_ table: String, on connection: any SQLConnection) throws {
        let definition = try connection.row("SELECT sql FROM sqlite_master WHERE name = $1", [.text(table)])
        let text = try definition?.text("sql") ?? ""
        let columns = try connection.query(
            "SELECT name, type, \"notnull\" AS required FROM pragma_table_info('\(table)') ORDER BY cid", []
        ).map { row in
            let name = try row.text("name")
            return Column(
                name: name, type: try row.text("type"), isRequired: try row.integer("required") == 1,
                listed: Self.words(in: text, after: "(\(name) IN (").map(Self.value),
                lengths: Self.limits(in: text, of: "length(\(name))").map { Int($0) },
                numbers: Self.limits(in: text, of: "CHECK (\(name)"))
        }
        let keys = try connection.query(
            """
            SELECT id, "table" AS target, "from" AS here, "to" AS there FROM pragma_foreign_key_list('\(table)')
            ORDER BY id, seq
            """, [])
        self.columns = columns
        references = try Dictionary(grouping: keys, by: { try $0.integer("id") }).sorted { $0.key < $1.key }.map {
            _, parts in
            let places = try parts.map { part in
                let name = try part.text("here")
                return columns.firstIndex { $0.name == name } ?? 0
            }
            let there = try parts.map { try $0.text("there") }.joined(separator: ", ")
            let target = try parts.first?.text("target") ?? ""
            return Reference(
                columns: places, targets: try connection.query("SELECT \(there) FROM \(target)", []).map(\.values),
                isRequired: places.contains { columns[$0].isRequired })
        }
    }

    func row(using random: inout SeededGenerator) -> [SQLValue] {
        var row: [SQLValue] = []
        for column in columns { row.append(Self.value(of: column, using: &random)) }
        for reference in references {
            let isNull = !reference.isRequired && Int.random(in: 0..<3, using: &random) == 0
            let target = isNull ? nil : reference.targets.randomElement(using: &random)
            for (place, column) in reference.columns.enumerated() { row[column] = target?[place] ?? .null }
        }
        return row
    }

    private static func value(of column: Column, using random: inout SeededGenerator) -> SQLValue {
        if !column.isRequired, Int.random(in: 0..<5, using: &random) < 2 { return .null }
        if let listed = column.listed.randomElement(using: &random) { return listed }
        switch column.type {
        case "INTEGER":
            let plain = Int64.random(in: 0...2_000_000_000_000, using: &random)
            let numbers = column.numbers.isEmpty ? [0, 1, .min, .max, plain, plain] : column.numbers
            return .integer(numbers.randomElement(using: &random) ?? 0)
        case "TEXT":
            let plain = "t\(UInt32.random(in: 0...UInt32.max, using: &random))"
            var texts = [plain, plain, plain] + Self.texts
            for length in column.lengths {
                texts += [String(repeating: "ß", count: length), String(plain.prefix(length))]
            }
            return .text(texts.randomElement(using: &random) ?? plain)
        default:
            // A key of PostgreSQL has at most 2,700 bytes.
            let lengths = column.lengths.isEmpty ? [0, 1, 16, 32, 64, 300, 2_000] : column.lengths
            let length = lengths.randomElement(using: &random) ?? 16
            return .blob(random.bytes(length))
        }
    }

    /// Two are spellings of one letter, which are different keys.
    private static let texts = [
        "", "e\u{301}", "\u{e9}", "ż🔑 \u{1F469}\u{200D}\u{1F52C}", "'x' \"y\" %_\\\n\u{1}",
    ]

    // MARK: The definition

    /// The words of a list, such as `'a', 'b'`, up to its bracket.
    private static func words(in definition: String, after marker: String) -> [String] {
        guard let start = definition.range(of: marker)?.upperBound else { return [] }
        return definition[start...].prefix { $0 != ")" }.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    private static func value(_ word: String) -> SQLValue {
        Int64(word).map { .integer($0) } ?? .text(word.trimmingCharacters(in: CharacterSet(charactersIn: "'")))
    }

    /// The numbers in `= 16`, `BETWEEN 1 AND 64`, `>= 1` or `<= 65536` behind an expression.
    private static func limits(in definition: String, of expression: String) -> [Int64] {
        guard let start = definition.range(of: expression + " ")?.upperBound else { return [] }
        let condition = definition[start...].prefix { $0 != ")" && $0 != "," }
        guard ["=", "BETWEEN", ">=", "<="].contains(where: { condition.hasPrefix($0) }) else { return [] }
        return condition.split(separator: " ").compactMap { Int64($0) }
    }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var words: [UInt64] = []
        for _ in 0..<(count + 7) / 8 { words.append(next()) }
        return words.withUnsafeBytes { [UInt8]($0.prefix(count)) }
    }
}
