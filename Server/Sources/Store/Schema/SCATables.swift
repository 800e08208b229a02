extension FlowTables {
    /// Wallet operations, and the steps by which people agree to them.
    static let sca = FlowTables(
        statements: [
            // An operation and its event share a row, so that one guard covers both. Facts about people and money are
            // sealed. `completed_at` is the time of verification and, once the consent was used, of its use. Devices
            // and passkeys sign the issuer by name, so the evidence names it even after the server's has changed. `compared`
            // has keyed digests of the values of attempts without a result, so that sending one again is the same attempt.
            """
            CREATE TABLE wallet_operations (
                event_id BYTEA NOT NULL PRIMARY KEY CHECK (length(event_id) = 16),
                client_id TEXT NOT NULL,
                operation_id TEXT NOT NULL,
                create_key TEXT,
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
                type TEXT NOT NULL,
                sealed BYTEA NOT NULL,
                decision TEXT NOT NULL CHECK (decision IN ('required', 'exempt')),
                exemption TEXT,
                findings TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('open', 'challenged', 'verified', 'used', 'locked', 'cancelled')),
                method TEXT,
                channel TEXT,
                challenge_id BYTEA,
                code_mac BYTEA CHECK (length(code_mac) = 32),
                mac_key_id BIGINT,
                code_expires_at BIGINT,
                failed BIGINT NOT NULL CHECK (failed BETWEEN 0 AND 5),
                sends BIGINT NOT NULL CHECK (sends BETWEEN 0 AND 3),
                sent_at BIGINT,
                completed_at BIGINT,
                use_key TEXT,
                answer BYTEA,
                revision BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                kept_until BIGINT NOT NULL,
                issuer TEXT NOT NULL,
                challenges BIGINT NOT NULL DEFAULT 0,
                tried_at BIGINT,
                counted_in BIGINT,
                ended_at BIGINT,
                compared BYTEA,
                CHECK ((state = 'challenged') = (method IS NOT NULL)),
                CHECK ((method IS NULL) = (channel IS NULL)),
                CHECK ((code_mac IS NULL) = (mac_key_id IS NULL)),
                CHECK (code_mac IS NULL OR state = 'challenged'),
                CHECK ((state IN ('verified', 'used')) = (completed_at IS NOT NULL)),
                CHECK (answer IS NULL OR state = 'used')
            )
            """,
            "CREATE UNIQUE INDEX wallet_operations_by_name ON wallet_operations (client_id, operation_id)",
            """
            CREATE UNIQUE INDEX wallet_operations_by_key ON wallet_operations (client_id, create_key)
                WHERE create_key IS NOT NULL
            """,
            "CREATE INDEX wallet_operations_by_account ON wallet_operations (account_id, created_at)",
            "CREATE INDEX wallet_operations_by_end ON wallet_operations (kept_until)",
            """
            CREATE INDEX wallet_operations_open ON wallet_operations (account_id, client_id, expires_at)
                WHERE state IN ('open', 'challenged', 'verified')
            """,
            // Every factor that was compared, as the basis of evidence.
            """
            CREATE TABLE sca_attempts (
                event_id BYTEA NOT NULL REFERENCES wallet_operations (event_id),
                number BIGINT NOT NULL CHECK (number >= 1),
                method TEXT NOT NULL,
                channel TEXT NOT NULL,
                correct BIGINT NOT NULL CHECK (correct IN (0, 1)),
                amr TEXT NOT NULL,
                evidence BYTEA,
                at BIGINT NOT NULL,
                circumstances BYTEA,
                PRIMARY KEY (event_id, number)
            )
            """,
            // The steps of a wallet operation, as later evidence (RTS article 29). Personal data is in a sealed column
            // of its own, because it is deleted when the account is erased.
            """
            CREATE TABLE sca_steps (
                event_id BYTEA NOT NULL REFERENCES wallet_operations (event_id),
                number BIGINT NOT NULL CHECK (number >= 1),
                kind TEXT NOT NULL,
                facts TEXT NOT NULL,
                circumstances BYTEA,
                chain BIGINT,
                seq BIGINT,
                link BYTEA,
                at BIGINT NOT NULL,
                PRIMARY KEY (event_id, number),
                CHECK ((chain IS NULL) = (seq IS NULL)),
                CHECK ((chain IS NULL) = (link IS NULL))
            )
            """,
            // The counts that exemptions depend on, by account. `incomplete` is 1 from a restore until the next
            // consent, because the counts since the copy are lost.
            """
            CREATE TABLE sca_history (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                low_value_sum BIGINT NOT NULL CHECK (low_value_sum >= 0),
                low_value_count BIGINT NOT NULL CHECK (low_value_count >= 0),
                consent_at BIGINT,
                consents BIGINT NOT NULL DEFAULT 0,
                incomplete BIGINT NOT NULL DEFAULT 0 CHECK (incomplete IN (0, 1))
            )
            """,
            // RTS article 10: a consent at one backend does not cover another.
            """
            CREATE TABLE account_information_consents (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL,
                consent_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, client_id)
            )
            """,
            """
            CREATE TABLE trusted_payees (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL,
                sealed BYTEA NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX trusted_payees_by_account ON trusted_payees (account_id, client_id)",
        ],
        restoring: [
            // The series may have been ended since. Open and verified operations are withdrawn too, with a step in
            // their evidence.
            "wallet_operations": .ended(
                .update(
                    "wallet_operations", by: "event_id", set: "ended_at = $3",
                    where: "type = 'BEGIN_SERIES' AND ended_at IS NULL")),
            "sca_attempts": .kept(because: "they prove what was agreed to"),
            "sca_steps": .kept(because: "they prove what was agreed to; what is taken back gets a further step"),
            // Payments since the copy are missing from the counts, so the next one asks. Accounts without a row get
            // one.
            "sca_history": .ended(
                RestoreEffect.Rewrite(
                    walking: "accounts", key: "id",
                    statement: """
                        INSERT INTO sca_history (account_id, low_value_sum, low_value_count, incomplete)
                        SELECT a.id, 0, 0, 1 FROM accounts a WHERE a.id > $1 AND a.id <= $2 AND a.state <> 'erased'
                        ON CONFLICT (account_id) DO UPDATE SET incomplete = 1
                        """)),
            "account_information_consents": .removed(by: "account_id"),
            // A payee may have been removed since. The person adds payees again.
            "trusted_payees": .removed(by: "id"),
        ])
}
