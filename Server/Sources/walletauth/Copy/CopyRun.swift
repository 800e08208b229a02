import Kernel
import Logging
import Operations
import Store
import WalletAuthWire

/// A whole copy: from the checks of both databases to the destination's release for use.
struct CopyRun: Sendable {
    /// What a finished copy is.
    struct Outcome: Sendable {
        let tables: [DatabaseCopy.ComparedTable]
        let epoch: Int64
        /// The verification of the audit log, which is the same on both sides.
        let audit: AdministrationAnswer
    }

    let configuration: ServerConfiguration
    let destination: DatabaseLocation
    /// Whether to copy an audit log that does not verify.
    let acceptsAuditFaults: Bool
    let progress = CopyProgress()

    private var source: DatabaseLocation { configuration.database }
    var files: CopyFiles { CopyFiles(configuration, to: destination) }

    /// - Throws: `Refusal`, `CopyRefusal`, `CopyNotBegun` or `StoreError`.
    func run() async throws -> Outcome {
        guard source.exists else { throw Refusal(source.missing) }
        try files.requireMasterKey()
        let masterKeys = try await configuration.masterKey.read(for: source)
        return try await with(source) { source in
            try await DatabaseCopy.examine(source.database)
            try await requireEnvironment(of: source.database)
            try await files.requireCurrent(source.database)
            try files.requireMarks(in: configuration.environment)
            if let blindness = files.blindness { progress.say(blindness) }
            let epoch = try await files.epoch(of: source.database)
            progress.begin("verifying the audit log of \(source.location.asNamed)")
            let audit = try await verifyAudit(
                of: source.database, masterKeys: masterKeys, checkpoints: configuration.auditCheckpoints)
            guard audit.status == .done || acceptsAuditFaults else { throw Self.refusal(of: audit) }
            return try await with(destination) { destination in
                // Before the files next to it, which belong to what it holds.
                try await DatabaseCopy.requireFree(destination.database, isEmpty: destination.isEmpty)
                try files.requirePlace(epoch: epoch)
                let copy = try await DatabaseCopy.begin(
                    from: source.database, to: destination.database, isEmpty: destination.isEmpty,
                    now: SystemClock().now())
                let tables = try await copyTables(copy)
                try files.write(epoch: epoch)
                progress.begin("verifying the audit log of the copy")
                let copied = try await verifyAudit(
                    of: destination.database, masterKeys: masterKeys, checkpoints: files.copiedCheckpoints)
                guard copied == audit else { throw Self.refusal(ofCopied: copied) }
                // Nothing is read any more once another process could have used it.
                try await DatabaseCopy.examine(source.database)
                try await copy.finish(now: SystemClock().now())
                return Outcome(tables: tables, epoch: epoch, audit: audit)
            }
        }
    }

    private func copyTables(_ copy: DatabaseCopy) async throws -> [DatabaseCopy.ComparedTable] {
        progress.begin("copying to \(destination.asNamed)")
        try await copy.copyTables { [progress] in progress.take($0) }
        progress.begin("comparing the two databases")
        return try await copy.compareTables { [progress] in progress.take($0) }
    }

    private func with<Result: Sendable>(
        _ location: DatabaseLocation, _ body: (CopyEnd) async throws -> Result
    ) async throws -> Result {
        let end = try await CopyEnd.open(location, configuration)
        do {
            let result = try await body(end)
            await end.close()
            return result
        } catch {
            await end.close()
            throw error
        }
    }

    // MARK: Checks

    /// Refuses a source of the other environment, whose master key is another one.
    private func requireEnvironment(of source: any Database) async throws {
        let owner = try await source.read { try Meta.value("environment", on: $0) }
        guard let owner, owner != configuration.environment.rawValue else { return }
        throw Refusal("the database belongs to the \(owner) environment: use --environment \(owner)")
    }

    /// - Throws: `Refusal` if the master keys are another database's, or if the log could not be read.
    private func verifyAudit(
        of database: any Database, masterKeys: MasterKeys, checkpoints path: String
    ) async throws -> AdministrationAnswer {
        let recorded = try await PinnedIssuer.read(database).flatMap { try? Issuer($0) }
        let issuer = try recorded ?? configuration.issuer ?? configuration.sandboxIssuer(port: configuration.port)
        do {
            let context = try await ServerContext.examining(
                database, masterKeys: masterKeys, checkpoints: CheckpointFile(path: path),
                settings: ServerSettings(environment: configuration.environment, issuer: issuer),
                logger: Logger(configuration).quieter)
            let answer = await AuthorizationServer(context: context).administration.execute(
                ["audit", "verify"])
            guard answer.refusal == nil else { throw Refusal(answer) }
            return answer
        } catch let fault as MasterKeyFault {
            throw Refusal(.wrongMasterKey(fault))
        }
    }

    private static func refusal(of audit: AdministrationAnswer) -> Refusal {
        Refusal(
            "\(audit.lines.joined(separator: " ")) Nothing was copied. If these faults are known, add --with-audit-faults: "
                + "the copy then has the same ones")
    }

    private static func refusal(ofCopied audit: AdministrationAnswer) -> Refusal {
        Refusal(
            "the copy's audit log does not verify the way its source's does: \(audit.lines.joined(separator: " ")) "
                + "The copy stays out of use")
    }
}
