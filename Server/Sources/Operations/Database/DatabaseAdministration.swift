internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire

extension Administration {
    func execute(_ command: DatabaseCommand) async throws -> AdministrationAnswer {
        switch command {
        case .migrate: try await reportSchema()
        case .check: try await check()
        case .sweep: try await sweep()
        case .backup(let path): try await backUp(to: path)
        case .restoreReport(let after, let limit): try await listRestored(after: after, limit: limit)
        case .changeIssuer(let issuer): try await changeIssuer(to: issuer)
        }
    }

    /// Opening the database has already created or migrated the schema; this only reports its version.
    private func reportSchema() async throws -> AdministrationAnswer {
        let (version, since) = try await context.database.read { connection in
            let version = try Schema.version(on: connection)
            return (version, try Schema.time(of: version, on: connection))
        }
        var json = JSONObject()
        json.set("schemaVersion", Int64(version))
        json.set("since", since?.text)
        return .done(
            "The schema is up to date: version \(version)" + (since.map { ", since \($0.text)." } ?? "."), json)
    }

    private func check() async throws -> AdministrationAnswer {
        let maintenance = try maintenance()
        let failure = await context.writes.failure()
        // A check would read what has the file's name now.
        if let failure, failure.code == .fileLost {
            throw AdministrationRefusal("\(failure.reason).", code: failure.code.rawValue)
        }
        let report = try await maintenance.check()
        guard report.isSound else {
            throw AdministrationRefusal(
                "The database is damaged: \(report.problems.joined(separator: "; ")). Restore a backup: "
                    + "`walletauth database restore --from FILE`.",
                code: "damaged")
        }
        if let failure {
            guard failure.code != .damaged else {
                throw AdministrationRefusal(
                    "No damage was found, but a request has met some since the start: \(failure.reason). Check the disk, and "
                        + "restart the server once it is healthy.", code: "damaged")
            }
            throw AdministrationRefusal(
                "The database is sound, but nothing can be written: \(failure.reason).", code: failure.code.rawValue)
        }
        let log = maintenance.log
        var json = JSONObject()
        json["log"] = .object(log.json)
        var lines = ["The database is sound, and a write reached the disk."]
        if let failure = log.failure {
            lines.append(
                "The write-ahead log cannot be copied into it, is \(log.bytes >> 20) MiB, and was last copied at"
                    + " \(log.lastWholeCheckpoint.text): \(failure).")
        }
        return .done(lines, json)
    }

    private func sweep() async throws -> AdministrationAnswer {
        let now = context.clock.now()
        try await requireAgreedClocks()
        try await context.clocks.record()
        let removed = try await Sweep.run(
            context.database, now: context.sweepTime(at: now), observed: context.clocks.retentionEnd(at: now))
        var json = JSONObject()
        json.set("removed", Int64(removed))
        return .done(removed == 1 ? "Removed 1 expired row." : "Removed \(removed) expired rows.", json)
    }

    private func backUp(to path: String) async throws -> AdministrationAnswer {
        let maintenance = try maintenance()
        guard !FileManager.default.fileExists(atPath: path) else {
            throw AdministrationRefusal(
                "There is already a file at \(path), and a backup does not replace files: choose another name.",
                code: "file")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw AdministrationRefusal("There is no folder \(folder) for the copy: create it first.", code: "file")
        }
        do {
            try await maintenance.backup(to: path)
        } catch let failure as StoreError where failure.code == .file || failure.code == .full {
            throw AdministrationRefusal("No copy was written: \(failure.reason).", code: failure.code.rawValue)
        }
        var json = JSONObject()
        json.set("path", path)
        return .done(
            "Wrote a copy to \(path). It opens only with the master key, which is not in it.", json)
    }

    private func maintenance() throws -> any DatabaseMaintenance {
        guard let maintenance = context.maintenance else {
            throw AdministrationRefusal("Use this database's own tools for this.", code: "unsupported")
        }
        return maintenance
    }
}

extension WriteAheadLog {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("bytes", bytes)
        json.set("lastWholeCheckpoint", lastWholeCheckpoint.text)
        json.set("failedCheckpoints", failedCheckpoints)
        json.set("failure", failure)
        return json
    }
}
