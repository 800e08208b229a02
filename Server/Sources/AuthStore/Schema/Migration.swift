/// One step of the schema, applied once, in its own transaction. It never changes after its release.
package struct Migration: Sendable {
    /// The position in the sequence, without gaps.
    package let version: Int64

    /// Recorded in the list of applied migrations.
    package let name: String

    /// Statements of data definition in portable SQL.
    package let statements: [String]

    /// A database that other programs wrote and that this migration takes over; only of the first migration.
    package let predecessor: Predecessor?

    /// The effect of a restore on each table that the migration creates. It runs under the newest schema, so it may
    /// name later columns and may be changed.
    package let restoring: [(table: String, effect: RestoreEffect)]

    /// A database with the same tables under other names.
    package struct Predecessor: Sendable {
        package let version: Int64
        /// Run instead of the migration's own statements.
        package let statements: [String]

        package init(version: Int64, statements: [String]) {
            self.version = version
            self.statements = statements
        }
    }

    package init(
        version: Int64, name: String, statements: [String], predecessor: Predecessor? = nil,
        restoring: KeyValuePairs<String, RestoreEffect> = [:]
    ) {
        self.version = version
        self.name = name
        self.statements = statements
        self.predecessor = predecessor
        self.restoring = restoring.map { (table: $0.key, effect: $0.value) }
    }

    /// A migration that creates tables, in the order of `tables`.
    init(version: Int64, name: String, tables: [FlowTables], predecessor: Predecessor? = nil) {
        self.version = version
        self.name = name
        statements = tables.flatMap(\.statements)
        self.predecessor = predecessor
        restoring = tables.flatMap { flow in flow.restoring.map { (table: $0.key, effect: $0.value) } }
    }
}

/// The tables of a flow, as one migration creates them. A table that comes later is in a value of its own, and its migration is
/// declared next to it, in the file of the flow.
struct FlowTables: Sendable {
    /// Statements of data definition in portable SQL.
    let statements: [String]

    /// The effect of a restore on each of the tables.
    let restoring: KeyValuePairs<String, RestoreEffect>
}

extension Migration {
    /// The first schema, in one file for each flow (``FlowTables``). A table comes after those that it refers to.
    ///
    /// A new table does not belong here: databases at this version never get it. It needs a migration after this one, listed
    /// in ``Schema/migrations``.
    ///
    /// Every table can be reached by account or session, so that the schema can be partitioned by account. Times are
    /// milliseconds since 1970. The caller seals personal data and secrets.
    package static let initial = Migration(
        version: 34, name: "initial",
        tables: [
            .accounts, .clients, .devices, .deviceTokens, .tokens, .authorization, .login, .factors, .pins,
            .accountPINs, .passkeys, .recoveries, .federation, .apple, .sca, .clientConsents, .transactions, .loyalty,
            .keys, .outbox, .audit, .meta,
        ],
        predecessor: Predecessor(version: 33, statements: renamings))

    /// The programs before the first release wrote the same tables in 33 steps, and called some of them and of their
    /// columns otherwise.
    private static let renamings = [
        "ALTER TABLE accounts RENAME COLUMN strangers_since TO devices_distrusted_at",
        "ALTER TABLE accounts RENAME COLUMN closed_by TO deactivated_by",
        "ALTER TABLE devices RENAME COLUMN closed_by TO deactivated_by",
        "ALTER TABLE account_pins RENAME COLUMN spent TO failed_total",
        "ALTER TABLE federated_identities RENAME COLUMN tells_address TO asserts_address",
        "ALTER TABLE apple_grants RENAME COLUMN ask_at TO check_at",
        "DROP INDEX apple_grants_to_ask",
        """
        CREATE INDEX apple_grants_to_check ON apple_grants (check_at)
            WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL
        """,
        "ALTER TABLE wallet_operations RENAME COLUMN settled_at TO completed_at",
        "ALTER TABLE sca_attempts RENAME COLUMN is_right TO correct",
        "ALTER TABLE sca_history RENAME COLUMN asks TO incomplete",
        "ALTER TABLE totp_coolings RENAME TO totp_cooling_periods",
        "ALTER TABLE lost_ways_in RENAME TO unreachable_accounts",
        "ALTER TABLE unreachable_accounts RENAME COLUMN lost_at TO unreachable_since",
    ]
}
