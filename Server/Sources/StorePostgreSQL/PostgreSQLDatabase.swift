import Dispatch
package import Store

/// The engine for several processes: a PostgreSQL server behind the port, through libpq.
///
/// Guarantees:
/// - An acknowledged write was committed with `synchronous_commit` on, and the server keeps `fsync`. Where the server
///   waits for a synchronous standby, so does the answer.
/// - Writes are serializable and repeated if they conflict, except guarded statements, which are transactions of their own
///   (docs/decisions/0083-isolation-on-postgresql.md); reads have one snapshot of the primary, which includes everything
///   acknowledged before.
/// - A connection whose server is going down or has become read-only is closed, and its call runs on another.
/// - Cancelling a task does not interrupt a call that was handed over.
package final class PostgreSQLDatabase: Database {
    private let engine: Engine
    /// `nil` if the database was opened without a membership.
    private let membership: GroupConnection?
    private let connecting: Connecting
    /// Whether every connection checks the server's certificate and its name.
    package let verifiesServer: Bool
    /// Whether no network can read or change what is sent: each server is on this machine, or proves its name by TLS.
    /// It says nothing of what a pooler sends on.
    package let isProtected: Bool

    private init(
        engine: Engine, connecting: Connecting, membership: GroupConnection?, verifiesServer: Bool, isProtected: Bool
    ) {
        self.engine = engine
        self.connecting = connecting
        self.membership = membership
        self.verifiesServer = verifiesServer
        self.isProtected = isProtected
    }

    /// Connects to a database and checks it, without a membership. It does not migrate.
    /// - Parameter string: a connection string of libpq, with all its settings. Neither it nor a password is in errors.
    /// - Throws: ``StoreError``: `unavailable` if no server answers, `loginRefused` for a wrong password, `accessDenied` for missing
    ///   rights, `untrustedServer` for missing TLS or a certificate that is not trusted, `noDatabase`, `noConnections`,
    ///   `readOnly` for a standby, `otherPrimary` if two hosts accept writes, `foreignSchema` for another program's database, `unsuitable` for
    ///   another encoding than UTF-8, an old server or a malformed string, `notDurable` if the server does not keep
    ///   what it acknowledges.
    package static func open(
        _ string: String, options: PostgreSQLOptions = PostgreSQLOptions()
    ) async throws -> PostgreSQLDatabase {
        try await open(string, options: options, joining: { _ in nil })
    }

    /// Opens a database like ``open(_:options:)``, as one of the processes that use it, or as the only one.
    /// - Parameters:
    ///   - examine: called on a thread of the engine when the group's connection was lost, with the one that is to replace it, maybe to
    ///     another server. If it throws, that server is not used. Each of its statements is a transaction of its own.
    ///   - report: called on a thread of the engine.
    /// - Throws: also ``StoreError`` with code `owned` if others are in the way: for a member one that is alone, for one
    ///   that wants to be alone any other. Their names are in the reason.
    package static func join(
        _ string: String, options: PostgreSQLOptions = PostgreSQLOptions(), as membership: Membership,
        examine: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in },
        report: @escaping @Sendable (PostgreSQLEvent) -> Void
    ) async throws -> PostgreSQLDatabase {
        try await open(
            string, options: options,
            joining: { connecting in
                try GroupConnection(connecting, as: membership, examine: examine, report: report)
            })
    }

    /// `nil` without a membership.
    package var group: (any ProcessGroup)? { membership }

    package var connectionMetrics: ConnectionMetrics? { engine.metrics }

    /// The hosts that the last check could not ask whether they accept writes.
    package var unaskedHosts: [UnaskedHost] { connecting.unaskedHosts.withLock { $0 } }

    /// Whether the timeline of the group's server is known. Without it, the process cannot tell which of two hosts was promoted later.
    package var knowsTimeline: Bool { connecting.joined.withLock { $0 != nil } }

    /// Whether the connection string names more than one host.
    package var hasSeveralHosts: Bool { connecting.string.targets.count > 1 }

    /// Checks the format of a connection string, without connecting.
    /// - Throws: ``StoreError`` with code `unsuitable`, without parts of the string.
    package static func validate(_ string: String) throws(StoreError) {
        _ = try ConnectionString(string, connectTimeout: PostgreSQLOptions().connectTimeout)
    }

    /// The names of the parameters that a connection string may have.
    package static var parameterNames: [String] { ConnectionString.parameterNames }

    /// Whether the network can neither read nor redirect the connections of a connection string: each stays on this
    /// machine, or verifies the server's certificate and name. What libpq takes from its environment is known once
    /// it is connected: ``isProtected``.
    /// - Throws: ``StoreError`` with code `unsuitable`, without parts of the string.
    package static func staysPrivate(_ string: String) throws(StoreError) -> Bool {
        try ConnectionString(string, connectTimeout: PostgreSQLOptions().connectTimeout).targets
            .allSatisfy { $0.settings["sslmode"] == "verify-full" || $0.isLocal ?? ($0.settings["service"] == nil) }
    }

    private static func open(
        _ string: String, options: PostgreSQLOptions,
        joining join: @escaping @Sendable (Connecting) throws -> GroupConnection?
    ) async throws -> PostgreSQLDatabase {
        let parsed = try ConnectionString(string, connectTimeout: options.connectTimeout)
        let connecting = Connecting(string: parsed, options: options)
        let (first, membership) = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(
                    with: Result {
                        do {
                            let connection = try connecting.open()
                            try connecting.requireOwnSessions(connection)
                            do {
                                try DatabaseInspection.run(on: connection, within: options.answerLimit)
                            } catch {
                                // An old primary may have been set up again, and be empty.
                                try connecting.requireNoOtherPrimary(besides: connection)
                                throw error
                            }
                            let membership = try join(connecting)
                            if membership == nil { try connecting.requireNoOtherPrimary(besides: connection) }
                            return (connection, membership)
                        } catch let failure as ServerFailure {
                            throw failure.error
                        }
                    })
            }
        }
        let verifies = first.verifiesServer
        let isProtected = verifies || (first.isLocal && parsed.targets.allSatisfy { $0.isLocal ?? true })
        let engine = Engine(connecting)
        engine.start(with: first)
        return PostgreSQLDatabase(
            engine: engine, connecting: connecting, membership: membership, verifiesServer: verifies,
            isProtected: isProtected)
    }

    deinit {
        engine.close()
        membership?.abandon()
    }

    /// See ``Store/Database/read(_:)``.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.run(.reading, body)
    }

    /// See ``Store/Database/write(_:)``.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await write(isolation: .serializable, body)
    }

    /// See ``Store/Database/write(isolation:_:)``.
    package func write<Value: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await write(as: .writing(isolation), body)
    }

    private func write<Value: Sendable>(
        as access: Engine.Access, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        guard let membership else { return try await engine.run(access, body) }
        try membership.require()
        // Again when the body runs, which may be after a wait for a connection.
        return try await engine.run(access) { connection in
            try membership.require()
            return try body(connection)
        }
    }

    /// See ``Store/Database/probe(_:)``.
    package func probe<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await write(as: .probing) { connection in
            try DiskRoom.require(on: connection)
            return try body(connection)
        }
    }

    /// Makes sure that the files of the tables can grow. It changes nothing.
    /// - Throws: ``StoreError`` with code `full` if their disk is full.
    package func requireRoom() async throws {
        try await read { try DiskRoom.require(on: $0) }
    }

    /// Serves the calls handed over, refuses later ones, and returns once all connections are closed. Harmless to
    /// repeat.
    package func close() async {
        engine.close()
        await engine.closed()
        await membership?.close()
    }
}
