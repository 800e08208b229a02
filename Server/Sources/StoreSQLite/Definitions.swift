import GRDB
import Store

/// The tables, indexes, triggers and views that a database file defines.
///
/// A trigger runs within the program's own statements, and a changed definition changes what these mean. Someone who
/// can change a backup would decide what the restored database does, so a file may define only what the migrations
/// create.
struct Definitions {
    private let entries: Set<Entry>

    private struct Entry: Hashable {
        let type: String
        let name: String
        let table: String
        let words: [[UInt8]]

        /// The name in reports.
        var title: String { "\(type) \(name.prefix(100))" }
    }

    /// Reads only SQLite's own table, so that nothing that others defined is evaluated.
    init(of connection: GRDB.Database) throws {
        // A manipulated file may have values of other types here.
        let rows = try Row.fetchAll(
            connection,
            sql: """
                SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), CAST(sql AS TEXT) FROM sqlite_master
                """)
        entries = Set(
            rows.map { row -> Entry in
                let type: String? = row[0]
                let name: String? = row[1]
                let table: String? = row[2]
                let sql: String? = row[3]
                return Entry(
                    type: type ?? "object", name: name ?? "", table: table ?? "", words: Self.words(of: sql ?? ""))
            })
    }

    /// What the program's migrations up to a version create, besides the list of applied migrations.
    init(ofMigrationsUpTo version: Int64) throws {
        let statements = Schema.migrations.filter { $0.version <= version }.flatMap(\.statements)
        let memory = try DatabaseQueue()
        defer { try? memory.close() }
        self = try memory.inDatabase { connection in
            for statement in [Schema.migrationsTable] + statements {
                try connection.execute(sql: PortableDefinition.native(statement))
            }
            return try Definitions(of: connection)
        }
    }

    /// The version of the database's schema; `nil` if the program's list of applied migrations is missing, or is
    /// defined otherwise.
    func version(on connection: GRDB.Database) throws -> Int64? {
        guard try Definitions(ofMigrationsUpTo: 0).entries.isSubset(of: entries) else { return nil }
        return try Int64.fetchOne(connection, sql: "SELECT MAX(version) FROM schema_migrations") ?? 0
    }

    /// Differences from the program's own definitions, one line for each, in order; empty if there are none.
    func differences(from own: Definitions) -> [String] {
        let known = Set(own.entries.map { $0.title })
        let present = Set(entries.map { $0.title })
        let changed = Set(entries.subtracting(own.entries).map { $0.title })
        return present.subtracting(known).sorted().map { "the \($0) is not this program's" }
            + changed.intersection(known).sorted().map { "the \($0) is not as this program defines it" }
            + known.subtracting(present).sorted().map { "the \($0) is missing" }
    }

    /// The words, literals and punctuation of a definition. White space does not count. Bytes and not characters,
    /// because different characters can be equal.
    private static func words(of sql: String) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        var quote: UInt8?
        func end() {
            if !word.isEmpty { words.append(word) }
            word = []
        }
        for byte in sql.utf8 {
            if let opened = quote {
                word.append(byte)
                guard byte == opened else { continue }
                quote = nil
                end()
                continue
            }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                word.append(byte)
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                end()
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                end()
                quote = byte
                word = [byte]
            default:
                end()
                words.append([byte])
            }
        }
        end()
        return words
    }
}
