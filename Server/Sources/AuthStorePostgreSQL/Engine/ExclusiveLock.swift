package import AuthStore
import Foundation

/// Keeps a second process away from a database: a session-level advisory lock on a connection of its own.
///
/// The server releases the lock when the connection ends, so the connection is watched. Until it is replaced and the
/// lock is taken again, writes are refused. A lock that another process has taken meanwhile is final.
///
/// The lock belongs to the schema, because a database may have several.
final class ExclusiveLock: Sendable {
    private enum State {
        case held
        case lost
        case taken(String)
    }

    /// In seconds: how often the connection is looked at, and tried again while there is none.
    private static let pause = 0.25
    /// The looks between two requests, which notice a server that is gone without a word.
    private static let looksBetweenRequests = 8
    /// In seconds: how long the start waits. The server may not have noticed yet that a killed process is gone.
    private static let patience = 2.0
    /// Mixed into the hash of the schema's name: "walletau" in ASCII.
    private static let seed: Int64 = 0x7761_6C6C_6574_6175

    private let connecting: Connecting
    /// Names this process to others, and is different for each opening.
    private let name: String
    private let report: @Sendable (PostgreSQLEvent) -> Void
    private let state = LockedValue(State.held)
    private let shutdown = Shutdown()
    private let pauses = Pauses()

    /// Takes the lock. It blocks.
    /// - Throws: ``StoreError`` with code `owned` if another process holds it.
    init(_ connecting: Connecting, report: @escaping @Sendable (PostgreSQLEvent) -> Void) throws {
        self.connecting = connecting
        self.report = report
        name = "walletauth \(Self.host)/\(getpid()) \(UUID().uuidString.prefix(8))"
        let end = Date(timeIntervalSinceNow: Self.patience)
        var first: ServerConnection?
        while first == nil {
            do {
                first = try take()
            } catch let error as StoreError where error.code == .owned || error == Self.beingReleased {
                guard Date() < end, pauses.wait(0.1) else { throw error }
            }
        }
        let connection = first
        let thread = Thread { self.watch(connection) }
        thread.name = "store.postgresql.lock"
        thread.start()
    }

    /// - Throws: ``StoreError`` with code `unavailable` while this process does not hold the lock.
    func require() throws {
        let reason: String? = state.withLock { state in
            switch state {
            case .held: nil
            case .lost: "the connection with the lock on the database was lost"
            case .taken(let holder): "the database is used by another process, \(holder)"
            }
        }
        if let reason { throw StoreError(.unavailable, reason) }
    }

    /// Releases the lock. Returns once its connection is closed.
    func close() async {
        pauses.close()
        await shutdown.completed()
    }

    /// Releases the lock soon.
    func abandon() { pauses.close() }

    // MARK: The thread

    private func watch(_ first: ServerConnection?) {
        var connection = first
        var looks = 0
        while pauses.wait(Self.pause) {
            if let current = connection {
                looks += 1
                if isAlive(current, asking: looks % Self.looksBetweenRequests == 0) { continue }
                connection = nil
                state.withLock { $0 = .lost }
                report(.lockLost)
            }
            do {
                connection = try take()
                state.withLock { $0 = .held }
                report(.lockRegained)
            } catch let error as StoreError where error.code == .owned {
                state.withLock { $0 = .taken(error.reason) }
                report(.lockTaken(error))
                break
            } catch {
                // The server is still away.
            }
        }
        connection = nil
        shutdown.complete()
    }

    private func isAlive(_ connection: ServerConnection, asking: Bool) -> Bool {
        guard connection.isFit else { return false }
        guard asking else { return true }
        do {
            _ = try connection.exchange([.run("SELECT 1")], within: connecting.options.connectTimeout)
            return true
        } catch {
            return false
        }
    }

    // MARK: Statements

    private func take() throws -> ServerConnection {
        let connection = try connecting.open()
        do {
            if try tryLock(on: connection) { return connection }
            // A former connection of this process may still have the lock at the server.
            let former = [SQLValue.integer(Self.seed), .text(name)]
            if try row(Self.ending, former, on: connection)?.integer("ended") ?? 0 > 0, try tryLock(on: connection) {
                return connection
            }
            let holder = try row(Self.holder, [.integer(Self.seed)], on: connection)?.text("name")
            guard let holder, holder != name else {
                // It was released meanwhile, or a former connection of this process has not ended yet.
                throw Self.beingReleased
            }
            throw StoreError(
                .owned,
                "another process already uses this database: \(holder.isEmpty ? "its name is not visible" : holder)")
        } catch let failure as ServerFailure {
            throw failure.error
        }
    }

    private static let beingReleased = StoreError(.unavailable, "the database's lock is being released")

    private func tryLock(on connection: ServerConnection) throws -> Bool {
        let arguments = [SQLValue.integer(Self.seed), .text(name)]
        return try row(Self.locking, arguments, on: connection)?.integer("taken") == 1
    }

    private func row(_ sql: String, _ arguments: [SQLValue], on connection: ServerConnection) throws -> SQLRow? {
        let (statement, preparing) = connection.prepared(sql, arguments.map(\.serverType))
        let results = try connection.exchange(
            preparing + [.execute(statement, Arguments(arguments))], within: connecting.options.answerLimit)
        return try results.last.flatMap { try $0.rows(named: $0.columns).first }
    }

    private static let locking = """
        SELECT set_config('application_name', $2, false) AS name,
            pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended(current_schema()::text, $1)) AS taken
        """

    private static let holders = """
        FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
            AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
            AND ((l.classid::bigint << 32) | l.objid::bigint)
                = pg_catalog.hashtextextended(current_schema()::text, $1)
        """

    private static let holder = "SELECT COALESCE(a.application_name, '') AS name \(holders) LIMIT 1"

    private static let ending = """
        SELECT COUNT(*) AS ended FROM (SELECT pg_catalog.pg_terminate_backend(a.pid, 1000) AS done \(holders)
            AND a.application_name = $2 AND a.usename = current_user) AS former WHERE done
        """

    private static var host: String {
        var bytes = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&bytes, bytes.count - 1) == 0
        let name = bytes.prefix { $0 != 0 }.prefix(24).map { UInt8(bitPattern: $0) }
        // The server keeps 63 bytes of the whole name.
        return isKnown ? String(decoding: name, as: UTF8.self) : "unknown"
    }
}

/// What the engine reports while the database is open.
package enum PostgreSQLEvent: Sendable {
    /// The connection with the lock ended. Writes are refused until it is replaced.
    case lockLost
    /// The lock was taken again, and writes are accepted.
    case lockRegained
    /// Another process has taken the lock. This one has to end.
    case lockTaken(StoreError)
}
