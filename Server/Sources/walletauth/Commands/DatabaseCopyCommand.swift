import ArgumentParser
import Core
import Kernel
import Operations
import Store
import WalletAuthWire

/// Copies the database to the other engine.
struct DatabaseCopyCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy the database to PostgreSQL, or back to SQLite, while no server runs.",
        discussion: """
            Everything is copied: accounts, sessions, keys, the audit log. It is not a restore, so no one is signed out. \
            Each table is compared, and the audit log of the copy is verified, before a server may use the copy. If this \
            is interrupted, the same command resumes where it stopped. The source is not changed.

            For PostgreSQL, the files next to the database go into postgresql.folder.
            """)

    @Option(
        help: ArgumentHelp(
            "The destination, as in the setting database: an empty PostgreSQL database, or a new SQLite file.",
            valueName: "database"))
    var to: String

    @Flag(help: "Copy an audit log that does not verify. The copy has the same faults.")
    var withAuditFaults = false

    @OptionGroup var output: OutputOptions

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let run = CopyRun(
            configuration: configuration, destination: try destination(invocation, configuration),
            acceptsAuditFaults: withAuditFaults)
        do {
            let outcome = try await run.run()
            try output.print(try answer(of: run, outcome))
        } catch let refusal as CopyRefusal {
            throw Refusal(refusal.explanation(from: configuration.database, to: run.destination))
        } catch let error as CopyNotBegun {
            throw Refusal(
                error.reason.description, hint: "This run has copied nothing: run the same command again",
                code: "interrupted", status: ExitStatus.copyInterrupted)
        } catch let error as StoreError where error.isPassing {
            throw Refusal(
                "the copy was interrupted: \(error.reason)",
                hint: "What was copied is kept: run the same command again, and it resumes where it stopped",
                code: "interrupted", status: ExitStatus.copyInterrupted)
        } catch let error as StoreError {
            throw Refusal("the copy failed: \(error.reason)", code: error.code.rawValue)
        }
    }

    /// - Throws: `ValidationError` for a malformed one, `Refusal` for one of the same engine, and in production for one
    ///   whose connection the network can read or redirect.
    private func destination(
        _ invocation: Invocation, _ configuration: ServerConfiguration
    ) throws -> DatabaseLocation {
        let source = configuration.database
        // Reading the configuration has reported its faults already.
        var faults: [Fault] = []
        let text = ConfiguredText(flags: invocation.flags, environment: invocation.environment, faults: &faults)
        let folder = text.value(of: Settings.postgreSQLFolder, faults: &faults)
        let destination: DatabaseLocation
        do {
            destination = try SettingTypes.database(to).keepingFiles(in: folder)
        } catch {
            throw ValidationError("\(CopyEnd.destinationFlag) must be \(error.expected)")
        }
        guard destination.isPostgreSQL != source.isPostgreSQL else {
            throw Refusal(
                source.isPostgreSQL
                    ? "both databases are on PostgreSQL: use pg_dump and pg_restore"
                    : "both databases are SQLite files: use `walletauth database backup`")
        }
        guard configuration.environment == .sandbox || destination.staysPrivate else {
            throw Refusal(.unprotectedDatabase(in: CopyEnd.destinationFlag))
        }
        return destination
    }

    private func answer(of run: CopyRun, _ outcome: CopyRun.Outcome) throws -> AdministrationAnswer {
        let (source, destination) = (run.configuration.database, run.destination)
        let rows = outcome.tables.reduce(Int64(0)) { $0 + $1.digest.rows }
        let filled = outcome.tables.filter { $0.digest.rows > 0 }
        var answer = Self.list(of: filled)
        let next = Self.next(run, outcome)
        // The document has the empty ones as well.
        var json = try Self.list(of: outcome.tables).document()
        json.set("source", source.asCopied)
        json.set("destination", destination.asCopied)
        json.set("rows", rows)
        json.set("restoreEpoch", outcome.epoch)
        json["audit"] = .object(try outcome.audit.document())
        json.set("next", next)
        answer.json = JSONValue.object(json).text
        answer.lines +=
            [
                "Copied \(source.asNamed) to \(destination.asNamed): \(rows.counted("row", "rows")) in \(filled.count) tables, each "
                    + "with the same digest in both. The other \(outcome.tables.count - filled.count) tables are empty."
            ]
            + outcome.audit.lines + next
        return answer
    }

    private static func list(of tables: [DatabaseCopy.ComparedTable]) -> AdministrationAnswer {
        AdministrationAnswer.list(
            "tables", columns: ["TABLE", "ROWS", "DIGEST"],
            tables.map { table in
                var json = JSONObject()
                json.set("name", table.name)
                json.set("rows", table.digest.rows)
                json.set("digest", table.digest.text)
                return ([table.name, String(table.digest.rows), String(table.digest.text.prefix(16))], json)
            }, empty: "")
    }

    private static func next(_ run: CopyRun, _ outcome: CopyRun.Outcome) -> [String] {
        let (source, destination) = (run.configuration.database.asNamed, run.destination.asCopied)
        return ["Now set \(Settings.database.name) to \(destination), and start the server."]
            + run.files.lines(epoch: outcome.epoch) + [
                "Never serve \(source) again: it will lack all later changes, and anything revoked from now on still works there. "
                    + "To go back, copy the database back."
            ]
    }
}
