/// One step of the schema, applied once, in its own transaction. It never changes after its release.
package struct Migration: Sendable {
    /// The position in the sequence, without gaps.
    package let version: Int64

    /// Recorded in the list of applied migrations.
    package let name: String

    /// Statements of data definition in portable SQL.
    package let statements: [String]

    /// The effect of a restore on each table that the migration creates. It runs under the newest schema, so it may
    /// name later columns and may be changed.
    package let restoring: [(table: String, effect: RestoreEffect)]

    package init(
        version: Int64, name: String, statements: [String], restoring: KeyValuePairs<String, RestoreEffect> = [:]
    ) {
        self.version = version
        self.name = name
        self.statements = statements
        self.restoring = restoring.map { (table: $0.key, effect: $0.value) }
    }

    /// A migration that creates tables, in the order of `tables`.
    init(version: Int64, name: String, tables: [FlowTables]) {
        self.version = version
        self.name = name
        statements = tables.flatMap(\.statements)
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
        version: 50, name: "initial",
        tables: [
            .accounts, .clients, .devices, .deviceTokens, .tokens, .authorization, .login, .factors, .pins,
            .accountPINs, .passkeys, .recoveries, .federation, .apple, .sca, .clientConsents, .transactions,
            .scanSignIns, .deviceGrants, .ownAccount, .operators, .provisioning, .registrations, .imports, .loyalty,
            .keys, .outbox,
            .webhooks,
            .audit, .meta,
        ])
}
