extension FlowTables {
    /// Enrolled devices.
    static let devices = FlowTables(
        statements: [
            // The biometric key signs only after the device recognized its holder: its columns say where the private
            // half is stored, and whose attestation confirms this. `deactivated_by` is set while a device is deactivated.
            // `attested_key` is the key of App Attest, with the counter of its latest assertion.
            """
            CREATE TABLE devices (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                name BYTEA NOT NULL,
                platform TEXT NOT NULL CHECK (length(platform) BETWEEN 1 AND 64),
                signing_key BYTEA NOT NULL CHECK (length(signing_key) = 64),
                thumbprint BYTEA NOT NULL CHECK (length(thumbprint) = 32),
                dpop_jkt BYTEA NOT NULL CHECK (length(dpop_jkt) = 32),
                key_storage TEXT NOT NULL CHECK (key_storage IN ('software', 'hardware')),
                biometric_key BYTEA CHECK (length(biometric_key) = 64),
                biometric_key_set_at BIGINT,
                state TEXT NOT NULL CHECK (state IN ('active', 'suspended', 'deactivated', 'removed')),
                instance TEXT NOT NULL CHECK (instance IN ('exempt', 'unverified', 'verified')),
                push_address BYTEA,
                created_at BIGINT NOT NULL,
                cooling_until BIGINT NOT NULL,
                last_used_at BIGINT NOT NULL,
                state_changed_at BIGINT NOT NULL,
                biometric_key_storage TEXT CHECK (biometric_key_storage IN ('software', 'hardware')),
                biometric_key_voucher TEXT CHECK (biometric_key_voucher IN ('app', 'key')),
                deactivated_by TEXT CHECK (deactivated_by IN ('failures', 'operator')),
                attestation TEXT,
                attested_key BYTEA CHECK (length(attested_key) = 64),
                attestation_counter BIGINT,
                CHECK ((attested_key IS NULL) = (attestation_counter IS NULL)),
                CHECK ((biometric_key IS NULL) = (biometric_key_set_at IS NULL)),
                CHECK (state <> 'removed' OR (biometric_key IS NULL AND push_address IS NULL))
            )
            """,
            // A key belongs to one enrollment forever, even after its removal, so that its proof never refers to
            // another account.
            "CREATE UNIQUE INDEX devices_by_key ON devices (thumbprint)",
            "CREATE INDEX devices_by_account ON devices (account_id, id)",
            "CREATE INDEX devices_by_dpop ON devices (account_id, dpop_jkt)",
        ],
        restoring: [
            // A device removed or suspended since is back. Its key alone changes nothing and pays nothing for a while.
            "devices": .cooled(
                .update(
                    "devices", by: "id", set: "cooling_until = $3",
                    where: "state <> 'removed' AND cooling_until < $3"))
        ])
}
