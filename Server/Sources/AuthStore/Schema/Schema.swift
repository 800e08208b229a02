package import AuthCore

/// The schema of the program: brings a database up to it, and refuses one that is ahead of it.
package enum Schema {
    /// Every migration, oldest first.
    package static let migrations: [Migration] = [
        .foundation, .devices, .factors, .pins, .federation, .audit, .biometricKeys, .outbound, .deviceTokens, .pinUses,
        .federationMemory, .recoveries, .passwordChecks, .sca, .deviceClosings, .passkeys, .evidence,
        .accountPINs, .operationIssuers, .signInCounting, .consentBounds, .accountPINUses, .devicesDistrustedAt,
        .attemptOutcomes, .clientConsents, .restores, .transactions, .transactionAddressees, .appleSignIn, .loyalty,
        .sessionProofs, .pinRepeats, .appleDepartures,
    ]

    /// What a migration run did.
    package struct Report: Sendable, Equatable {
        /// The version found; 0 for an empty database.
        package let from: Int64
        /// The version left.
        package let to: Int64

        /// - Parameters:
        ///   - from: the version found.
        ///   - to: the version left.
        package init(from: Int64, to: Int64) {
            self.from = from
            self.to = to
        }
    }

    /// Applies every migration that the database does not have, each in a transaction of its own.
    ///
    /// Harmless to repeat, and safe when several processes do it at once: each step looks at the version inside the
    /// transaction that applies it.
    ///
    /// - Parameters:
    ///   - database: the database to bring up to date.
    ///   - migrations: the sequence; the program's own unless a test says otherwise.
    ///   - now: recorded beside each applied migration.
    /// - Returns: the versions before and after.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/newerSchema`` when the database was written by a
    ///   newer program: nothing is touched then.
    @discardableResult
    package static func migrate(
        _ database: any Database, with migrations: [Migration] = Schema.migrations, now: Timestamp
    ) async throws -> Report {
        let newest = migrations.last?.version ?? 0
        let found = try await database.write { connection in
            try connection.define(
                """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    version BIGINT NOT NULL PRIMARY KEY,
                    name TEXT NOT NULL,
                    applied_at BIGINT NOT NULL
                )
                """)
            return try version(on: connection)
        }
        guard found <= newest else {
            throw StoreError(
                .newerSchema,
                "the database has schema \(found), this program knows up to \(newest): run the newer program")
        }
        for migration in migrations {
            try await database.write { connection in
                guard try version(on: connection) < migration.version else { return }
                for statement in migration.statements { try connection.define(statement) }
                try connection.execute(
                    "INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
                    [.integer(migration.version), .text(migration.name), .time(now)])
            }
        }
        return Report(from: found, to: newest)
    }

    /// The version that a migrated database has.
    package static func version(on connection: any SQLConnection) throws -> Int64 {
        try connection.row("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", [])?.integer(0) ?? 0
    }
}
