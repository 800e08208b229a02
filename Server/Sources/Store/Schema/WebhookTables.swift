extension FlowTables {
    /// The receivers of webhooks, and what they have still to hear of.
    static let webhooks = FlowTables(
        statements: [
            // `kinds` has a space before and after each name. `failing_since` is the first failure that no success followed,
            // `dropped` the number of events that were given up because too many waited, since it was last switched on.
            """
            CREATE TABLE webhook_endpoints (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                client_id TEXT REFERENCES clients (id),
                brand_id TEXT REFERENCES brands (id),
                url TEXT NOT NULL CHECK (length(url) <= 2048),
                kinds TEXT NOT NULL,
                secret BYTEA NOT NULL,
                former_secret BYTEA,
                former_secret_ends_at BIGINT,
                failing_since BIGINT,
                failure TEXT,
                disabled_at BIGINT,
                dropped BIGINT NOT NULL DEFAULT 0,
                dropped_at BIGINT,
                created_at BIGINT NOT NULL,
                CHECK ((client_id IS NULL) <> (brand_id IS NULL)),
                CHECK ((former_secret IS NULL) = (former_secret_ends_at IS NULL))
            )
            """,
            "CREATE INDEX webhook_endpoints_by_client ON webhook_endpoints (client_id)",
            "CREATE INDEX webhook_endpoints_by_brand ON webhook_endpoints (brand_id)",
            // One row for each receiver of an event. It does not refer to the endpoint's row: each event would lock that. What is
            // written while an endpoint is removed expires. `leased_until` is set while a process delivers it, `properties_of` is the
            // account whose app's own words the body has, and whose erasure takes the row along.
            """
            CREATE TABLE webhook_deliveries (
                event_id BYTEA NOT NULL CHECK (length(event_id) = 16),
                endpoint_id BYTEA NOT NULL CHECK (length(endpoint_id) = 16),
                type TEXT NOT NULL,
                subject BYTEA NOT NULL CHECK (length(subject) = 16),
                position BIGINT NOT NULL,
                body TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                attempts BIGINT NOT NULL,
                due_at BIGINT NOT NULL,
                leased_until BIGINT,
                expires_at BIGINT NOT NULL,
                delivered_at BIGINT,
                properties_of BYTEA CHECK (length(properties_of) = 16),
                failure TEXT,
                PRIMARY KEY (event_id, endpoint_id)
            )
            """,
            """
            CREATE INDEX webhook_deliveries_by_due ON webhook_deliveries (endpoint_id, due_at, event_id)
                WHERE delivered_at IS NULL
            """,
            """
            CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (endpoint_id, subject, position)
                WHERE delivered_at IS NULL
            """,
            """
            CREATE INDEX webhook_deliveries_by_properties ON webhook_deliveries (properties_of)
                WHERE properties_of IS NOT NULL
            """,
            "CREATE INDEX webhook_deliveries_by_expiry ON webhook_deliveries (expires_at)",
        ],
        restoring: [
            "webhook_endpoints": .leftToOperators,
            "webhook_deliveries": .kept(
                because: "an event that waited in the copy comes twice at most, under the same id"),
        ])
}
