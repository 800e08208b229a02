import Foundation
import StorePostgreSQL
import TestSupport

extension PostgreSQLServer {
    /// Opens the database of a scratch place: a schema of its own.
    func open(_ scratch: Scratch, _ options: PostgreSQLOptions = .tests) async throws -> PostgreSQLDatabase {
        await OpenDatabases.shared.acquire(scratch.folder)
        let schema = Self.schema(of: scratch)
        try await run("CREATE SCHEMA IF NOT EXISTS \(schema)")
        return try await PostgreSQLDatabase.open(string(schema: schema), options: options)
    }

    static func schema(of scratch: Scratch) -> String { "s" + scratch.folder.suffix(12).lowercased() }

    /// Creates a role that acts as another one once it has logged in. Only that other one may create tables in the schema, and it has
    /// no rights over the first one's sessions.
    func createActingRole(_ name: String, in schema: String) async throws {
        let owner = name + "_owner"
        try await run(
            "CREATE ROLE \(owner)", "GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(owner)",
            "CREATE ROLE \(name) LOGIN NOINHERIT IN ROLE \(owner)", "ALTER ROLE \(name) SET role = '\(owner)'")
    }
}

extension PostgreSQLOptions {
    /// Enough connections for races, and few enough for many tests at once.
    static let tests = patient(connections: 6)

    /// A busy machine may stop this process, or the database's server, for longer than operators wait for either.
    /// - Parameter adjust: sets a limit that is the subject of the test.
    static func patient(
        connections: Int, _ adjust: (inout PostgreSQLOptions) -> Void = { _ in }
    ) -> PostgreSQLOptions {
        var options = PostgreSQLOptions(
            connections: connections, waitingTime: .seconds(600), statementTimeout: .seconds(600),
            lockTimeout: .seconds(600), schemaChangePatience: .seconds(600), idleInTransactionTimeout: .seconds(600),
            connectTimeout: .seconds(600), askLimit: .seconds(600))
        adjust(&options)
        return options
    }
}

/// Limits the databases that are open at once, and thereby the server's connections.
final class OpenDatabases: @unchecked Sendable {
    static let shared = OpenDatabases(limit: 16)

    private let lock = NSLock()
    private let limit: Int
    private var holders: Set<String> = []
    private var waiting: [(holder: String, continuation: CheckedContinuation<Void, Never>)] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for a place. A holder needs only one.
    func acquire(_ holder: String) async {
        await withCheckedContinuation { continuation in
            let isAdmitted = lock.withLock {
                if holders.contains(holder) { return true }
                guard holders.count < limit else {
                    waiting.append((holder, continuation))
                    return false
                }
                holders.insert(holder)
                return true
            }
            if isAdmitted { continuation.resume() }
        }
    }

    func release(_ holder: String) {
        let next = lock.withLock { () -> CheckedContinuation<Void, Never>? in
            guard holders.remove(holder) != nil, !waiting.isEmpty else { return nil }
            let next = waiting.removeFirst()
            holders.insert(next.holder)
            return next.continuation
        }
        next?.resume()
    }
}
