package import AuthCore

/// The program's schema. Migrates a database up to it, and refuses a database that is ahead of it.
package enum Schema {
    /// Oldest first.
    package static let migrations: [Migration] = [
        .foundation, .devices, .factors, .pins, .federation, .audit, .biometricKeys, .outbound, .deviceTokens, .pinUses,
        .federationMemory, .recoveries, .passwordChecks, .sca, .deviceClosings, .passkeys, .evidence,
        .accountPINs, .operationIssuers, .signInCounting, .consentBounds, .accountPINUses, .devicesDistrustedAt,
        .attemptOutcomes, .clientConsents, .restores, .transactions, .transactionAddressees, .appleSignIn, .loyalty,
        .sessionProofs, .pinRepeats, .appleDepartures,
    ]

    /// The result of a migration.
    package struct Report: Sendable, Equatable {
        /// The version found; 0 for an empty database.
        package let from: Int64
        package let to: Int64

        package init(from: Int64, to: Int64) {
            self.from = from
            self.to = to
        }
    }

    /// Applies all missing migrations, each in its own transaction.
    ///
    /// It can be repeated, and several processes can run it at once, because each step checks the version inside its
    /// transaction.
    /// - Parameters:
    ///   - migrations: the program's own, except in tests.
    ///   - now: recorded with each applied migration.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/newerSchema`` if a newer program wrote the
    ///   database. Nothing is changed then.
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
                "the database has schema \(found), but this program knows only up to \(newest): run the newer program")
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

    /// The version of a migrated database.
    package static func version(on connection: any SQLConnection) throws -> Int64 {
        try connection.row("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", [])?.integer(0) ?? 0
    }
}
