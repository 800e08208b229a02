import Foundation
import Store

/// The session of one connection that holds a membership: its locks and its notices.
///
/// The locks belong to the schema, because a database may have several. One more belongs to the session alone.
struct GroupSession {
    /// Mixed into the hash of the schema's name: "walletau" in ASCII.
    private static let seed: Int64 = 0x7761_6C6C_6574_6175
    /// "walletle" in ASCII.
    private static let leaderSeed: Int64 = 0x7761_6C6C_6574_6C65

    /// Which server a session is at, to compare it with other hosts.
    struct Place: Sendable {
        let target: ConnectionString.Target
        /// Held exclusively for as long as the session lives; see ``Presence``.
        let key: Int64
        /// `nil` if it is not known.
        let timeline: Timeline?
    }

    private let connection: ServerConnection
    private let name: String
    private let key: Int64
    private let leaderKey: Int64
    /// Held exclusively for as long as this session lives; see ``Presence``.
    let presenceKey = Int64.random(in: .min ... .max)
    private let timeline: Timeline?
    private let limit: Duration

    /// Takes the lock and listens. It blocks.
    /// - Parameters:
    ///   - name: of this process; see ``ProcessName``.
    ///   - isAgain: whether the process had a session before. Then it goes to the host that took over from the others, and the server
    ///     may not have noticed yet that the connection before has ended.
    /// - Throws: ``StoreError`` with code `owned` if other processes are in the way, `otherPrimary` if two hosts accept writes and
    ///   an operator has to decide, or ``beingReleased``.
    init(_ connecting: Connecting, as membership: Membership, name: String, isAgain: Bool) throws {
        var found: Timeline?
        connection =
            try isAgain
            ? connecting.open { found = try connecting.requireNewestPrimary(besides: $0) } : connecting.open()
        self.name = name
        limit = connecting.options.askLimit
        do {
            // Notices need not survive a crash of the server, so their commit waits for neither disk nor standby.
            let setup = try connection.row(
                """
                SELECT set_config('application_name', $1, false) AS name, set_config('synchronous_commit', 'off', false),
                    set_config('lock_timeout', '2000', false),
                    pg_catalog.hashtextextended($2, $3) AS key, pg_catalog.hashtextextended($2, $4) AS leader
                """,
                [.text(name), .text(connection.session.schema), .integer(Self.seed), .integer(Self.leaderSeed)],
                within: limit)
            guard let setup else { throw StoreError(.unavailable, "the server gave no result") }
            key = try setup.integer("key")
            leaderKey = try setup.integer("leader")
            timeline = try isAgain ? found : connecting.timeline(of: connection)
            if isAgain { try endFormer() }
            guard try lock(presenceKey, as: .alone) else {
                throw StoreError(.unavailable, "another session holds this one's lock")
            }
            // Before the membership: of two processes, the one that went on with an old primary is not the one to stop.
            if !isAgain { try connecting.requireNoOtherPrimary(besides: connection, key: presenceKey) }
            guard try lock(key, as: membership) else { throw try refusal(of: membership) }
            _ = try connection.exchange([.run("LISTEN \(channel)")], within: limit)
            if let timeline { connecting.noteJoined(JoinedServer(name: connection.target.name, timeline: timeline)) }
        } catch let failure as ServerFailure {
            throw failure.error
        }
    }

    /// The lock was released meanwhile, or a former connection of this process has not ended yet.
    static let beingReleased = StoreError(.unavailable, "the database's lock is being released")

    var place: Place { Place(target: connection.target, key: presenceKey, timeline: timeline) }

    private var channel: String { "walletauth_" + String(UInt64(bitPattern: key), radix: 16) }

    /// Runs a body on this session's connection, where each statement is a transaction of its own. No commit waits for a standby.
    func run(_ body: (any SQLConnection) throws -> Void) throws {
        try body(PostgreSQLConnection(connection, .guardedStatement, presence: Presence(), limit: limit))
    }

    // MARK: Notices

    var socket: CInt { connection.socket }

    /// What others have sent. It does not wait.
    /// - Returns: also whether there may be more now. The socket need not say so.
    func received() throws -> (notices: [ChangeNotice], hasMore: Bool) {
        let hasMore = try connection.readNotices()
        guard connection.isUsable else { throw ServerFailure.lost("the server is no longer the primary") }
        guard let messages = connection.takeNotices() else { return ([.everything], hasMore) }
        let others = messages.filter { $0.channel == channel && $0.backend != connection.session.backend }
        return (NoticePayload.notices(in: others.map(\.payload)), hasMore)
    }

    func send(_ notices: [ChangeNotice]) throws(ServerFailure) {
        let (statement, preparing) = connection.prepared(
            "SELECT pg_catalog.pg_notify($1, $2)", [ServerType.text, ServerType.text])
        let sending = NoticePayload.texts(of: notices).map { text in
            ServerConnection.Request.execute(statement, Arguments([.text(channel), .text(text)]))
        }
        _ = try connection.exchange(preparing + sending, within: limit)
    }

    /// Makes sure that the server is there.
    func ask() throws(ServerFailure) {
        _ = try connection.exchange([.run("SELECT 1")], within: limit)
    }

    // MARK: Locks

    /// Call this only if this process does not lead: a lock that is taken twice has to be released twice.
    func tryToLead() throws -> Bool { try lock(leaderKey, as: .alone) }

    func isAlone() throws -> Bool {
        let row = try connection.row(
            "SELECT COUNT(*) AS others \(Self.others)", [.integer(key), .text(name)], within: limit)
        return try row?.integer("others") == 0
    }

    private func lock(_ key: Int64, as membership: Membership) throws -> Bool {
        let function = membership == .member ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock"
        return try connection.row("SELECT pg_catalog.\(function)($1) AS taken", [.integer(key)], within: limit)?
            .integer("taken") == 1
    }

    private func endFormer() throws {
        _ = try connection.rowAsLoginRole(
            """
            SELECT COUNT(pg_catalog.pg_terminate_backend(a.pid, 1000)) AS ended \(Self.holders)
                AND a.application_name = $2 AND a.usename = session_user AND a.pid <> pg_catalog.pg_backend_pid()
            """, [.integer(key), .text(name)], within: limit)
    }

    private func refusal(of membership: Membership) throws -> StoreError {
        let names = try connection.row(
            """
            SELECT string_agg(DISTINCT COALESCE(NULLIF(a.application_name, ''), 'one without a name'), ', ') AS names
            \(Self.others)
            """, [.integer(key), .text(name)], within: limit)?.optionalText("names")
        guard let names else { return Self.beingReleased }
        let problem =
            membership == .member
            ? "another process has this database to itself" : "another process already uses this database"
        return StoreError(.owned, "\(problem): \(names)")
    }

    private static let holders = """
        FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
            AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
            AND ((l.classid::bigint << 32) | l.objid::bigint) = $1
        """

    /// Without this process, also without its former connection.
    private static let others = """
        \(holders) AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid() AND a.application_name IS DISTINCT FROM $2
        """
}

/// Names a process to others, differently for each opening.
enum ProcessName {
    static func make(version: String) -> String {
        let shown = version.isEmpty ? "" : version.prefix(10) + " "
        return "walletauth \(host)/\(getpid()) \(shown)\(UUID().uuidString.prefix(8))"
    }

    /// The server keeps 63 bytes of the whole name, and only ASCII.
    private static var host: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
        let name = bytes.prefix { $0 != 0 }.prefix(24).map { UInt8(bitPattern: $0) }
        return String(decoding: name.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
