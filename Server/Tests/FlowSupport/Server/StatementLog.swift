package import Store
import Synchronization

/// The real engine, which remembers the statements that it runs.
package final class StatementLog: Database {
    private final class Connection: SQLConnection {
        private let base: any SQLConnection
        private let log: StatementLog

        init(_ base: any SQLConnection, _ log: StatementLog) {
            self.base = base
            self.log = log
        }

        func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
            log.add(sql)
            return try base.query(sql, arguments)
        }

        func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
            log.add(sql)
            return try base.execute(sql, arguments)
        }

        func define(_ sql: String) throws { try base.define(sql) }
    }

    private let base: any Database
    private let statements = Mutex<[String]>([])

    package init(_ base: any Database) { self.base = base }

    /// The statements since the last call.
    package func take() -> [String] {
        statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
    }

    private func add(_ sql: String) { statements.withLock { $0.append(sql) } }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await base.read { try body(Connection($0, self)) }
    }

    package func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await base.write { try body(Connection($0, self)) }
    }

    package func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await base.write(isolation: isolation) { try body(Connection($0, self)) }
    }
}
