package import Core

/// The program's schema. Migrates a database up to it, and refuses a database that is ahead of it or older than the
/// first release.
package enum Schema {
    /// Oldest first.
    package static let migrations: [Migration] = [.initial]

    /// The version that the program's own migrations lead to.
    package static var newest: Int64 { lastVersion(of: migrations) }

    /// The list of applied migrations. It precedes them, so that they can be recorded in it.
    package static let migrationsTable = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version BIGINT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            applied_at BIGINT NOT NULL
        )
        """

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
    /// - Throws: ``StoreError`` with the code of ``refusal(of:subject:with:)`` if the database is too new or too old.
    ///   Nothing is changed then.
    @discardableResult
    package static func migrate(
        _ database: any Database, with migrations: [Migration] = Schema.migrations, now: Timestamp
    ) async throws -> Report {
        // Without a write, so that a role without the right to create tables can use a database that is up to date.
        if let present = try? await database.read({ try version(on: $0) }), present == lastVersion(of: migrations) {
            return Report(from: present, to: present)
        }
        let found = try await database.write(isolation: .schemaChange) { connection in
            try connection.define(migrationsTable)
            return try version(on: connection)
        }
        if let refusal = refusal(of: found, with: migrations) { throw refusal }
        for migration in migrations {
            try await database.write(isolation: .schemaChange) { connection in
                let present = try version(on: connection)
                guard present < migration.version else { return }
                for statement in migration.statements { try connection.define(statement) }
                try connection.execute(
                    "INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
                    [.integer(migration.version), .text(migration.name), .time(now)])
            }
        }
        return Report(from: found, to: lastVersion(of: migrations))
    }

    /// Why this program cannot migrate a database; `nil` if it can.
    /// - Parameters:
    ///   - version: the version found; 0 for an empty database.
    ///   - subject: the file with this version, for the error.
    ///   - migrations: the program's own, except in tests.
    /// - Returns: an error with code ``StoreError/Code-swift.struct/newerSchema`` or
    ///   ``StoreError/Code-swift.struct/olderSchema``.
    package static func refusal(
        of version: Int64, subject: String = "the database", with migrations: [Migration] = Schema.migrations
    ) -> StoreError? {
        let newest = lastVersion(of: migrations)
        guard version <= newest else {
            return StoreError(
                .newerSchema,
                "\(subject) has schema \(version), but this program knows only up to \(newest): run the newer program")
        }
        guard let oldest = migrations.first?.version, version > 0, version < oldest else { return nil }
        return StoreError(
            .olderSchema,
            """
            \(subject) has schema \(version), which is from before the first release (\(oldest)), and no program migrates \
            it: begin with a new database
            """)
    }

    /// The version of a migrated database.
    package static func version(on connection: any SQLConnection) throws -> Int64 {
        let row = try connection.row("SELECT COALESCE(MAX(version), 0) AS newest FROM schema_migrations", [])
        return try row?.integer("newest") ?? 0
    }

    /// When a version was created or migrated to; `nil` if the database has never had it.
    package static func time(of version: Int64, on connection: any SQLConnection) throws -> Timestamp? {
        try connection.row(
            "SELECT applied_at FROM schema_migrations WHERE version = $1", [.integer(version)]
        )?.time("applied_at")
    }

    private static func lastVersion(of migrations: [Migration]) -> Int64 { migrations.last?.version ?? 0 }
}
