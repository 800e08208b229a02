/// The tables of a flow.
struct FlowTables: Sendable {
    /// Statements of data definition in portable SQL.
    let statements: [String]

    /// The effect of a restore on each of the tables.
    let restoring: KeyValuePairs<String, RestoreEffect>
}
