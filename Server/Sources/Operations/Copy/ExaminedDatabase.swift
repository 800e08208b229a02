package import Store

/// A database that is only read. Nothing can be served from it, because every write is refused.
package struct ExaminedDatabase: Database {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// See ``Database/read(_:)``.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await database.read(body)
    }

    /// - Throws: ``StoreError`` with code `readOnly`, always.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        throw StoreError(.readOnly, "the database is only examined")
    }
}
