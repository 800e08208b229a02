import CLibPQ

/// A statement under its name at the server.
final class PreparedStatement {
    let sql: String
    let name: String
    let types: [Oid]
    /// The number of the highest placeholder.
    let placeholders: Int
    /// The names of the result's columns, from the first result.
    var columns: [String]?
    fileprivate var lastUse: Int

    fileprivate init(sql: String, name: String, types: [Oid], lastUse: Int) {
        self.sql = sql
        self.name = name
        self.types = types
        self.lastUse = lastUse
        placeholders = Placeholders.highest(in: sql)
    }
}

/// The statements that one connection has prepared, up to a limit. Beyond it, the one that was used longest ago makes room.
struct PreparedStatements {
    /// The same text with arguments of other types is another statement.
    private struct Key: Hashable {
        let sql: String
        let types: [Oid]
    }

    private let limit: Int
    private var statements: [Key: PreparedStatement] = [:]
    private var uses = 0

    init(limit: Int) { self.limit = limit }

    /// A statement that is prepared, or is by the requests that are returned before it. Neither counts until the server has
    /// answered: a request may never be sent, or follow one that fails.
    mutating func statement(
        _ sql: String, _ types: [Oid]
    ) -> (PreparedStatement, preparing: [ServerConnection.Request]) {
        uses += 1
        if let known = statements[Key(sql: sql, types: types)] {
            known.lastUse = uses
            return (known, [])
        }
        let new = PreparedStatement(sql: sql, name: "s\(uses)", types: types, lastUse: uses)
        let isFull = statements.count >= limit
        let oldest = isFull ? statements.values.min { $0.lastUse < $1.lastUse } : nil
        return (new, (oldest.map { [.deallocate($0)] } ?? []) + [.prepare(new)])
    }

    /// Notes that the server has prepared it.
    mutating func add(_ statement: PreparedStatement) {
        statements[Key(sql: statement.sql, types: statement.types)] = statement
    }

    /// Notes that the server has forgotten it.
    mutating func remove(_ statement: PreparedStatement) {
        statements[Key(sql: statement.sql, types: statement.types)] = nil
    }
}
