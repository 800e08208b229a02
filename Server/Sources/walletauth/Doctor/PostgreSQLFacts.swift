import Store

/// What a PostgreSQL server says of itself, as far as any role may ask.
struct PostgreSQLFacts: Sendable {
    /// Such as `15.18`.
    var version: String
    var database: String
    var role: String
    var isSuperuser: Bool
    /// What the role may do beyond its own tables, in PostgreSQL's words.
    var attributes: [String]
    /// Whether every role may connect to the database.
    var admitsEveryone: Bool
    /// For sessions that set none.
    var synchronousCommit: String
    /// The setting that names standbys which a commit waits for; empty for none.
    var synchronousStandbys: String
    /// The standbys that are connected.
    var standbys: Int64
    /// How many connections the role can have, together with all others of the server.
    var connectionLimit: Int64
    var connections: Int64
    var vacuumsAutomatically: Bool
    var members: [PostgreSQLMember]
    var lockHolders: [PostgreSQLLockHolder] = []
    /// Whether the role can tell which of two hosts was promoted later.
    var readsTimeline = true

    static func read(_ database: any Database) async throws -> PostgreSQLFacts {
        try await database.read { connection in
            guard let row = try connection.row(factsQuery, []) else {
                throw StoreError(.unexpectedRow, "the server reported nothing about itself")
            }
            let attributes = ["CREATEROLE", "CREATEDB", "REPLICATION", "BYPASSRLS"]
            let limits = try ["server_limit", "role_limit", "database_limit"].map { try row.integer($0) }
            return PostgreSQLFacts(
                version: try row.text("version"), database: try row.text("database"), role: try row.text("role"),
                isSuperuser: try row.integer("superuser") == 1,
                attributes: try attributes.filter { try row.integer($0.lowercased()) == 1 },
                admitsEveryone: try row.integer("admits_everyone") == 1,
                synchronousCommit: try row.text("synchronous_commit"),
                synchronousStandbys: try row.text("synchronous_standbys"), standbys: try row.integer("standbys"),
                // -1 is PostgreSQL's word for none.
                connectionLimit: limits.filter { $0 >= 0 }.min() ?? 0, connections: try row.integer("connections"),
                vacuumsAutomatically: try row.text("autovacuum") == "on",
                members: try connection.query(membersQuery, []).compactMap {
                    PostgreSQLMember(try $0.text("name"), address: try $0.text("address"))
                },
                lockHolders: try connection.query(lockHoldersQuery, []).map { try PostgreSQLLockHolder($0) },
                readsTimeline: try row.integer("reads_timeline") == 1)
        }
    }

    private static let factsQuery = """
        SELECT current_setting('server_version') AS version, current_database()::text AS database,
            current_user::text AS role, r.rolsuper AS superuser, r.rolcreaterole AS createrole,
            r.rolcreatedb AS createdb, r.rolreplication AS replication, r.rolbypassrls AS bypassrls,
            has_database_privilege('public', current_database(), 'CONNECT') AS admits_everyone,
            COALESCE((SELECT s.reset_val FROM pg_catalog.pg_settings s WHERE s.name = 'synchronous_commit'), 'on')
                AS synchronous_commit,
            current_setting('synchronous_standby_names') AS synchronous_standbys,
            (SELECT COUNT(*) FROM pg_catalog.pg_stat_replication) AS standbys,
            current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
                AS server_limit,
            r.rolconnlimit::bigint AS role_limit, d.datconnlimit::bigint AS database_limit,
            (SELECT COALESCE(SUM(b.numbackends), 0)::bigint FROM pg_catalog.pg_stat_database b) AS connections,
            current_setting('autovacuum') AS autovacuum,
            has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')
                AND has_function_privilege('pg_catalog.pg_current_wal_lsn()', 'EXECUTE')
                AND has_function_privilege('pg_catalog.pg_walfile_name(pg_lsn)', 'EXECUTE') AS reads_timeline
        FROM pg_catalog.pg_roles r, pg_catalog.pg_database d
        WHERE r.rolname = current_user AND d.datname = current_database()
        """

    /// The engine names the connection by which a process is a member.
    private static let membersQuery = """
        SELECT a.application_name AS name, COALESCE(host(a.client_addr), '') AS address
        FROM pg_catalog.pg_stat_activity a
        WHERE a.datname = current_database() AND a.application_name LIKE 'walletauth %/%'
        ORDER BY a.backend_start LIMIT 100
        """

    /// Sessions of other programs whose locks on the tables exclude writes, make others wait, or have long been idle. A write of
    /// another process of this program makes others wait as well, for moments. Any role sees the locks of all; of sessions
    /// of another role, it sees neither state nor transaction.
    private static let lockHoldersQuery = """
        SELECT h.pid AS pid, a.application_name AS name, a.usename AS role, a.state AS state, h.tables AS tables,
            EXTRACT(EPOCH FROM clock_timestamp() - a.xact_start)::bigint AS transaction,
            EXTRACT(EPOCH FROM clock_timestamp() - w.since)::bigint AS wait
        FROM (
            SELECT l.pid, string_agg(DISTINCT c.relname::text, ', ') AS tables,
                bool_or(l.granted AND l.mode IN (
                    'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS excludes
            FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_catalog.pg_database d ON d.oid = l.database
            WHERE l.locktype = 'relation' AND d.datname = current_database() AND n.nspname = current_schema()
                AND c.relkind = 'r'
            GROUP BY l.pid
        ) h
        JOIN pg_catalog.pg_stat_activity a ON a.pid = h.pid
        LEFT JOIN (
            SELECT b.pid, MIN(l.waitstart) AS since
            FROM pg_catalog.pg_locks l CROSS JOIN LATERAL unnest(pg_catalog.pg_blocking_pids(l.pid)) AS b (pid)
            WHERE NOT l.granted GROUP BY b.pid
        ) w ON w.pid = h.pid
        WHERE h.pid <> pg_catalog.pg_backend_pid() AND a.application_name NOT LIKE 'walletauth%'
            AND (h.excludes OR w.since < clock_timestamp() - interval '1 second'
                OR (a.state LIKE 'idle in transaction%' AND a.xact_start < clock_timestamp() - interval '1 minute'))
        ORDER BY h.pid LIMIT 10
        """
}

/// A session of another program that has locks on the tables.
struct PostgreSQLLockHolder: Hashable, Sendable {
    var processID: Int64
    /// Its `application_name`, which may be empty.
    var name: String
    /// `nil` for a process of the server.
    var role: String?
    /// In PostgreSQL's words, such as `idle in transaction`; `nil` where the role may not see it.
    var state: String?
    /// Their names.
    var tables: String
    /// How long its transaction has lasted; `nil` where the role may not see it.
    var transaction: Duration?
    /// How long another session has waited for it; `nil` if none does.
    var wait: Duration?

    /// For people: `4711 (psql, role postgres, idle in transaction, in a transaction for 63s)`.
    var words: String {
        let details = [
            name.isEmpty ? nil : name, role.map { "role \($0)" }, state,
            transaction.map { "in a transaction for \($0.asSetting)" },
        ].compactMap { $0 }
        return "\(processID)" + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }
}

extension PostgreSQLLockHolder {
    fileprivate init(_ row: SQLRow) throws {
        let (transaction, wait) = (try row.optionalInteger("transaction"), try row.optionalInteger("wait"))
        self.init(
            processID: try row.integer("pid"), name: try row.text("name"), role: try row.optionalText("role"),
            state: try row.optionalText("state"), tables: try row.text("tables"),
            transaction: transaction.map { .seconds($0) }, wait: wait.map { .seconds($0) })
    }
}

/// A process that uses the database, from the name of its connection: `walletauth HOST/PID`, and its version if it is
/// there.
struct PostgreSQLMember: Hashable, Sendable {
    var host: String
    var processID: String
    var version: String?
    /// Where it connects from, as the server sees it; empty for a Unix socket.
    var address: String

    /// - Returns: `nil` for a connection of another kind.
    init?(_ name: String, address: String) {
        let words = name.split(separator: " ")
        guard words.first == "walletauth", let place = words.dropFirst().first(where: { $0.contains("/") }),
            let slash = place.lastIndex(of: "/")
        else { return nil }
        host = String(place[..<slash])
        processID = String(place[place.index(after: slash)...])
        version = words.dropFirst().first { $0.first?.isNumber == true && $0.contains(".") && !$0.contains("/") }
            .map(String.init)
        self.address = address
    }

    /// For people: `db1/4711 (0.1.0, 10.0.0.7)`.
    var words: String {
        let details = [version ?? "", address].filter { !$0.isEmpty }
        return "\(host)/\(processID)" + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }
}
