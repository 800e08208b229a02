import AuthCore
import AuthFlows
import AuthStore
import AuthStoreSQLite
import Logging

/// Whether the database is whole, and whether the master key opens its keys.
enum DatabaseFindings {
    /// - Parameters:
    ///   - configuration: What was configured.
    ///   - serverRuns: Whether a server runs: then it is asked, since the database is its own.
    static func of(_ configuration: ServerConfiguration, serverRuns: Bool) async -> [Finding] {
        if serverRuns { return await askServer(configuration) }
        let path = configuration.database.path
        guard FileStatus(path: path) != nil else {
            return [.warn("database", "there is none at \(path)", "`walletauth serve` makes it")]
        }
        do {
            let database = try SQLiteDatabase.open(path: path)
            let findings = await examine(database, configuration)
            await database.close()
            return findings
        } catch let error as StoreError where error.code == .owned {
            return [.warn("database", error.reason, "Repeat when that is done")]
        } catch {
            return [.fail("database", "it cannot be opened: \(error)", "Restore a backup: walletauth database restore")]
        }
    }

    private static func askServer(_ configuration: ServerConfiguration) async -> [Finding] {
        var findings: [Finding] = []
        let client = AdminClient(path: configuration.adminSocketPath)
        let questions: [(subject: String, command: AdministrationCommand)] = [
            ("database", .database(.check)), ("keys", .keys(.list)),
        ]
        for (subject, command) in questions {
            do {
                let answer = try await client.answer(to: command)
                let detail = answer.lines.count == 1 ? answer.lines[0] : "\(answer.lines.count) lines of \(subject)"
                findings.append(
                    answer.status == .done
                        ? .ok(subject, subject == "keys" ? "the server has its keys" : detail)
                        : .fail(subject, detail, "Restore a backup: walletauth database restore"))
            } catch {
                findings.append(.warn(subject, "the server could not be asked: \(error)", "Repeat"))
            }
        }
        return findings
    }

    /// Reads only: neither schema nor keys are made or brought up to date.
    private static func examine(_ database: SQLiteDatabase, _ configuration: ServerConfiguration) async -> [Finding] {
        var findings: [Finding] = []
        do {
            let report = try await database.check()
            findings.append(
                report.isSound
                    ? .ok("database", "no damage was found")
                    : .fail(
                        "database", "it is damaged: \(report.problems[0]) (\(report.problems.count) faults)",
                        "Restore a backup: walletauth database restore"))
            let schema = try await schema(of: database)
            findings.append(schema)
            if schema.status == .ok {
                findings.append(try await keys(of: database, configuration))
            }
        } catch {
            findings.append(
                .fail("database", "it cannot be read: \(error)", "Restore a backup: walletauth database restore"))
        }
        return findings
    }

    private static func schema(of database: SQLiteDatabase) async throws -> Finding {
        let newest = Schema.migrations.last?.version ?? 0
        let found = try await database.read { connection in
            let tables = try connection.query(
                "SELECT name FROM sqlite_master WHERE name = $1", [.text("schema_migrations")])
            return tables.isEmpty ? 0 : try Schema.version(on: connection)
        }
        if found > newest {
            return .fail(
                "database", "its schema \(found) is newer than this program's \(newest)", "Run the newer program")
        }
        if found < newest {
            return .warn("database", "its schema is \(found) of \(newest)", "The next start brings it up to date")
        }
        return .ok("database", "its schema is up to date")
    }

    private static func keys(of database: SQLiteDatabase, _ configuration: ServerConfiguration) async throws -> Finding
    {
        let masterKey: MasterKey
        do {
            masterKey = try await configuration.masterKey.read(for: configuration.database)
        } catch {
            return .fail("keys", error.description, "Give the master key that the database was made with")
        }
        do {
            try await masterKey.examine(database, now: SystemClock().now())
            return .ok("keys", "the master key opens the database's keys")
        } catch is MasterKeyFault {
            return .fail(
                "keys", "the master key does not open the database's keys",
                "Give the one that the database was made with")
        }
    }
}
