extension Migration {
    /// The team that a transfer takes a person to, so that a transfer to another one can be prepared as well.
    package static let appleTransferTeams = Migration(
        version: 38, name: "apple transfer teams",
        statements: [
            // Null in rows from before: those people are asked about again.
            "ALTER TABLE apple_transfers ADD COLUMN team TEXT"
        ])
}
