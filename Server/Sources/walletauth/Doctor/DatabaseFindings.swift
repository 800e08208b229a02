import Kernel
import Logging
import Operations
import Store
import StoreSQLite
import WalletAuthWire

/// Checks that the database is intact, and that the master key opens its keys.
enum DatabaseFindings {
    /// Reads a SQLite database that no server uses.
    static func read(_ configuration: ServerConfiguration) async -> [Finding] {
        let path = configuration.database.path
        guard configuration.database.exists else {
            guard configuration.environment == .production else {
                // The sandbox creates its database when it starts.
                let missing = configuration.database.missing
                return [.warn("database", missing.problem, missing.remedy)]
            }
            let missing = configuration.database.missingInProduction
            return [.fail("database", missing.problem, missing.remedy)]
        }
        do {
            let database = try SQLiteDatabase.open(path: path)
            let findings = await examine(database, configuration)
            await database.close()
            return findings
        } catch let error as StoreError where error.code == .owned {
            return [.warn("database", error.reason, "Try again when that process is done")]
        } catch {
            return [
                .fail(
                    "database", "\(path) cannot be opened: \(Self.reason(error))",
                    remedy(for: error, inaccessible: inaccessibleFile(of: path)))
            ]
        }
    }

    private static let restore = "Restore a backup: walletauth database restore --from FILE"
    /// The running server's answer has named the remedy.
    private static let untilRepaired = "This server is not ready until that is done and it is restarted"

    private static func reason(_ error: any Error) -> String {
        (error as? StoreError)?.reason ?? "\(error)"
    }

    /// Asks the running server.
    /// - Parameter wrapped: the keys of its database, for a check of the configured master key; nil from an older version.
    static func asked(_ configuration: ServerConfiguration, keys wrapped: [WrappedKey]?) async -> [Finding] {
        var findings: [Finding] = []
        let client = AdminClient(path: configuration.adminSocketPath)
        do {
            findings += Self.database(try await client.answer(to: ["database", "check"]))
            let keys = try await client.answer(to: ["keys", "list"])
            findings.append(
                keys.status == .done
                    ? .ok("keys", "the server has opened its keys") : .fail("keys", keys.lines.first ?? "", restore))
        } catch AdminClient.Unreachable.notPermitted {
            // The server findings already report this. The database belongs to another user as well.
            return []
        } catch {
            findings.append(.unanswered("database", error))
        }
        if let wrapped, !wrapped.isEmpty { findings += await Self.masterKey(of: configuration, opening: wrapped) }
        let others: [(subject: String, ask: (AdminClient) async throws -> [Finding])] = [
            ("clock", { ClockFindings.of(try await $0.answer(to: ["clock", "show"])) }),
            ("provider", ProviderFindings.of), ("passkeys", PasskeyFindings.of), ("clients", ClientFindings.of),
            ("webhooks", WebhookFindings.of),
        ]
        for (subject, ask) in others {
            do { findings += try await ask(client) } catch { findings.append(.unanswered(subject, error)) }
        }
        return findings
    }

    /// The running server's report on its database: integrity, a test write, and the write-ahead log.
    private static func database(_ answer: AdministrationAnswer) -> [Finding] {
        let detail = answer.lines.first ?? ""
        guard answer.status == .done else {
            let needsRepair = (answer.refusal?.code).map(StoreError.Code.init(rawValue:))?.needsRepair == true
            return [.fail("database", detail, needsRepair ? untilRepaired : disk)]
        }
        var findings = [Finding.ok("database", "no damage was found, and a write reached the disk")]
        if answer.lines.count > 1 { findings.append(.warn("database", answer.lines[1], disk)) }
        return findings
    }

    /// The first file of a database that this user may not read and write; nil if there is none.
    private static func inaccessibleFile(of path: String) -> String? {
        ["", "-wal", "-shm", ".lock"].map { path + $0 }.first {
            FileStatus(path: $0) != nil && access($0, R_OK | W_OK) != 0
        }
    }

    /// A backup repairs a damaged file, but not a disk, and neither changes an owner.
    /// - Parameter file: one that this user may not read and write.
    static func remedy(for error: any Error, inaccessible file: String? = nil) -> String {
        switch (error as? StoreError)?.code {
        case .file, .diskFailed:
            file.map {
                "Run the doctor as the user who runs the server. If that is this user, make it the owner of \($0)"
            } ?? disk
        case .full: disk
        default: restore
        }
    }

    private static let disk = "Free space on its disk, and check the kernel's messages (dmesg)"

    /// Reads only: it neither creates nor migrates schema or keys.
    private static func examine(_ database: SQLiteDatabase, _ configuration: ServerConfiguration) async -> [Finding] {
        var findings: [Finding] = []
        let path = configuration.database.path
        do {
            let report = try await database.check()
            findings.append(
                report.isSound
                    ? .ok("database", "no damage was found")
                    : .fail(
                        "database", "\(path) is damaged: \(report.problems[0]) (faults: \(report.problems.count))",
                        restore))
            let verdict = try await OwnedDatabase.fileVerdict(on: database, at: configuration.database)
            if verdict != .current {
                findings.append(
                    .fail(
                        "database", verdict.explanation(ofFile: configuration.database), "Until then, no server starts")
                )
            }
            let schema = try await schema(of: database)
            // What the missing writes created is not there either, and no migration brings it back.
            if verdict == .current || schema.status == .fail { findings.append(schema) }
            if schema.status == .ok { findings += try await contents(of: database, configuration) }
        } catch {
            findings.append(.fail("database", "\(path) cannot be read: \(reason(error))", remedy(for: error)))
        }
        return findings
    }

    /// Compares what is in a database of the current schema with the configuration.
    static func contents(of database: any Database, _ configuration: ServerConfiguration) async throws -> [Finding] {
        if try await database.read({ try DatabaseCopy.isUnfinished(on: $0) }) {
            return [.fail("database", Fault.unfinishedCopy.problem, Fault.unfinishedCopy.remedy)]
        }
        let recorded = try await PinnedIssuer.read(database)
        var findings = IssuerFindings.of(configuration, recorded: recorded)
        findings += try await ClockFindings.recorded(in: database)
        findings += try await keys(of: database, configuration)
        findings += try await ProviderFindings.of(database, configuration)
        findings += try await PasskeyFindings.of(database, recorded: recorded)
        findings += try await ClientFindings.of(database)
        findings += try await WebhookFindings.of(database)
        return findings
    }

    private static func schema(of database: SQLiteDatabase) async throws -> Finding {
        let found = try await database.read { connection in
            let tables = try connection.query(
                "SELECT name FROM sqlite_master WHERE name = $1", [.text("schema_migrations")])
            return tables.isEmpty ? 0 : try Schema.version(on: connection)
        }
        return schema(at: found)
    }

    /// - Parameter found: the version of the database's schema; 0 for an empty database.
    static func schema(at found: Int64) -> Finding {
        let newest = Schema.newest
        if found > newest {
            return .fail(
                "database", "its schema, version \(found), is newer than this program's, \(newest)",
                "Run the program that wrote it, or a newer one")
        }
        if let refusal = Schema.refusal(of: found) {
            return .fail(
                "database", refusal.reason, "Start this program again once the other one has migrated the database")
        }
        if found < newest {
            return .warn(
                "database", "its schema is at version \(found), this program's at \(newest)",
                "Make a backup; `walletauth database migrate`, or the next start, brings it up to date")
        }
        return .ok("database", "its schema is up to date")
    }

    private static func keys(
        of database: any Database, _ configuration: ServerConfiguration
    ) async throws -> [Finding] {
        // The doctor creates nothing. A SQLite database without its key is refused below.
        if configuration.database.isPostgreSQL, configuration.masterKey.isToBeGenerated,
            try await database.read({ try DataKeys.all(on: $0).isEmpty })
        {
            return [.ok("keys", "the first start creates the sandbox's master key")]
        }
        let masterKeys: MasterKeys
        do { masterKeys = try await configuration.masterKey.read(for: configuration.database) } catch {
            return unreadable(error, configuration)
        }
        do {
            return findings(of: try await masterKeys.examine(database, now: SystemClock().now()))
        } catch let fault as MasterKeyFault {
            return [.failed(Fault.wrongMasterKey(fault))]
        }
    }

    /// Whether the next start will open the keys. The running server may have been given another master key than this one.
    private static func masterKey(
        of configuration: ServerConfiguration, opening keys: [WrappedKey]
    ) async -> [Finding] {
        do {
            let masterKeys = try await configuration.masterKey.read(for: configuration.database, hasKeys: true)
            return findings(of: try masterKeys.use(for: keys))
        } catch let fault as MasterKeyFault {
            return [.failed(Fault.wrongMasterKey(fault), keepRunning)]
        } catch let refusal as Refusal {
            return unreadable(refusal, configuration, before: keepRunning)
        } catch {
            return [.unanswered("keys", error)]
        }
    }

    /// Which of the configured master keys the database needs.
    private static func findings(of use: MasterKeyUse) -> [Finding] {
        if let mixed = use.mixed {
            return [
                .warn(
                    "keys",
                    "the database's keys are wrapped under the master keys \(mixed.names), so no new one can be made",
                    "Keep every master key, and run `walletauth keys rotate-master`")
            ]
        }
        let needed = use.needed.map(\.masterKeyName).joined(separator: ", ")
        guard use.configured.count > 1 else {
            return [.ok("keys", "the master key \(use.first.masterKeyName) opens the database's keys")]
        }
        guard use.isRotated else {
            return [
                .warn(
                    "keys",
                    "the database's keys are wrapped under the master key \(needed), not under the first one, "
                        + use.first.masterKeyName,
                    "Keep both keys, and run `walletauth keys rotate-master` once every server has both")
            ]
        }
        let removable = use.removable.map(\.masterKeyName).joined(separator: ", ")
        return [
            .warn(
                "keys",
                "the master key \(use.first.masterKeyName) opens the database's keys; nothing in it needs \(removable)",
                "If that is the key to rotate to, put it first, and run `walletauth keys rotate-master`. If it is the former "
                    + "one, take it out of the servers' configuration: only backups from before the rotation need it")
        ]
    }

    private static let keepRunning = "Do not restart the server with it, since that start will fail. "

    private static func unreadable(
        _ error: Refusal, _ configuration: ServerConfiguration, before remedy: String = ""
    ) -> [Finding] {
        // A fault that the configuration's finding has named is not another one.
        guard configuration.masterKey.faults(in: configuration.environment).isEmpty else { return [] }
        return [.fail("keys", error.message, remedy + (error.hint ?? "Check the setting of the master key"))]
    }
}

extension Finding {
    /// - Parameter remedy: before the fault's own.
    fileprivate static func failed(_ fault: Fault, _ remedy: String = "") -> Finding {
        .fail("keys", fault.problem, remedy + fault.remedy)
    }

    fileprivate static func unanswered(_ subject: String, _ error: any Error) -> Finding {
        .warn(subject, "the server did not report on it: \(error)", "Run the doctor again")
    }
}

/// Checks that the database belongs to the configured issuer.
enum IssuerFindings {
    /// - Parameters:
    ///   - recorded: the issuer in the database; nil if it was never served.
    ///   - running: the issuer of the running server; nil if none runs.
    static func of(
        _ configuration: ServerConfiguration, recorded: String?, running: String? = nil
    ) -> [Finding] {
        guard let recorded, !configuration.isAddressFaulty else { return [] }
        // Without an issuer the port decides. Port 0 picks a free port, so the issuer is not known yet.
        let derived = configuration.port == 0 ? nil : try? configuration.sandboxIssuer(port: configuration.port)
        guard let issuer = configuration.issuer ?? derived else { return [] }
        guard issuer.rawValue != recorded else {
            guard let running, running != recorded else {
                return [.ok("issuer", "the database belongs to \(recorded)")]
            }
            return [pending(recorded, running: running)]
        }
        // The command that changed the database has already run. Only the configuration is left to change.
        if let running, running != recorded, running == issuer.rawValue {
            return [
                .fail(
                    "issuer",
                    "the database belongs to \(recorded) from the next start on, but this configuration still names "
                        + "\(running), so that start will fail",
                    "Use \(Settings.issuer.flag) \(recorded), then restart the server")
            ]
        }
        let fault = Fault.otherIssuer(recorded: recorded, configured: issuer.rawValue)
        return [.fail("issuer", fault.problem, fault.remedy)]
    }

    /// The database got a new issuer while the server was running.
    static func pending(_ recorded: String, running: String) -> Finding {
        .warn(
            "issuer",
            """
            the database belongs to the issuer \(recorded) from the next start on; until then the server runs under \
            \(running)
            """,
            "Restart it")
    }
}
