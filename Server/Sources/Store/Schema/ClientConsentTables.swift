extension FlowTables {
    /// The access that accounts grant to third-party clients.
    static let clientConsents = FlowTables(
        statements: [
            // Each consent has a new id, which its codes name. A code from before a withdrawal therefore does not
            // become valid with the next consent.
            """
            CREATE TABLE client_consents (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                id BYTEA NOT NULL CHECK (length(id) = 16),
                scope TEXT NOT NULL,
                granted_at BIGINT NOT NULL,
                changed_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, client_id)
            )
            """,
            "CREATE INDEX client_consents_by_client ON client_consents (client_id)",
        ],
        restoring: [
            // The copy may contain consents withdrawn since. People are asked again.
            "client_consents": .removed(by: "account_id")
        ])
}
