internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire

extension Audit {
    /// The maximum size of a checkpoint file: some fifty years at one an hour.
    static let longestFile = 1 << 30

    /// The checkpoints to compare the log with.
    enum Checkpoints: Sendable {
        /// The server's own, which must be complete.
        case own
        /// An auditor's copy at a path; the latest checkpoints may be missing from it.
        case copy(String)
    }

    /// Reads the whole log, even while it grows, and compares it with checkpoints.
    /// - Throws: ``AdministrationRefusal`` if the file of checkpoints cannot be read.
    func verify(checkpoints: Checkpoints) async throws -> AuditVerification {
        let now = clock.now()
        try await keyRing.reload(now: now)
        // Before the file is read: a remembered checkpoint was in the file first.
        let remembered = try await remembered()
        let otherArchive = try await otherArchive()
        var verification = AuditVerification { self.auditKey($0, now: now) }
        try hold(checkpoints, remembering: remembered, keptIn: otherArchive, in: &verification, now: now)
        for partition in AuditPartition.all {
            var last: Int64 = 0
            while true {
                try Task.checkCancellation()
                let from = last
                let page = try await database.read {
                    try AuditChains.page(of: partition, after: from, limit: Self.pageSize, on: $0)
                }
                for record in page { verification.read(record) }
                last = page.last?.entry.sequence ?? last
                if page.count < Self.pageSize { break }
            }
        }
        let unchained = try await database.read { try AuditChains.unchained(on: $0) }
        verification.finish(unchained: unchained)
        return verification
    }

    /// - Parameter otherArchive: where the newest checkpoint is, if another process wrote it.
    private func hold(
        _ checkpoints: Checkpoints, remembering newest: String?, keptIn otherArchive: String?,
        in verification: inout AuditVerification, now: Timestamp
    ) throws {
        let lines: [Data]
        switch checkpoints {
        case .copy(let path):
            guard FileManager.default.fileExists(atPath: path) else {
                throw AdministrationRefusal(
                    "There are no checkpoints at \(path), or the server's user cannot enter its folder.", code: "file")
            }
            lines = try Self.lines(of: path)
        case .own:
            guard let path = archive?.file else { return }
            // A removed file counts as empty.
            lines = FileManager.default.fileExists(atPath: path) ? try Self.lines(of: path) : []
        }
        let keys = try checkpointKeys(now: now)
        var file = AuditCheckpointFile(trusting: keys)
        for (number, line) in lines.enumerated() where !line.isEmpty {
            let name = "the checkpoint in line \(number + 1)"
            switch file.read(Array(line)) {
            case .checkpoint(let checkpoint):
                verification.hold(checkpoint, named: "\(name) of \(checkpoint.issuedAt.text)")
            case .endorsement: break
            case .torn: verification.holdTornLine()
            case .invalid: verification.note(.badCheckpoint(name))
            }
        }
        guard let newest else { return }
        guard let remembered = try? AuditCheckpointKey.read(newest, trusting: keys) else {
            verification.note(.unknownNewestCheckpoint)
            return
        }
        switch checkpoints {
        case .own:
            if lines.contains(Data(newest.utf8)) { break }
            if let otherArchive {
                verification.holdElsewhere(remembered, in: otherArchive, at: remembered.issuedAt.text)
            } else {
                verification.note(.lostCheckpoints(newest: remembered.issuedAt.text))
            }
        case .copy:
            if verification.checkpoints == 0 {
                verification.note(.noCheckpoints(newest: remembered.issuedAt.text))
            }
        }
    }

    /// The public half of every key that signed here: those in the database, and those lost in a restore but endorsed in the
    /// server's own file of checkpoints.
    /// - Throws: ``AdministrationRefusal`` if that file cannot be read.
    func publicKeys(now: Timestamp) throws -> [JWK] {
        var file = AuditCheckpointFile(trusting: try checkpointKeys(now: now))
        if let path = archive?.file, FileManager.default.fileExists(atPath: path) {
            for line in try Self.lines(of: path) where !line.isEmpty { _ = file.read(Array(line)) }
        }
        return file.keys
    }

    private static func lines(of path: String) throws -> [Data] {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size <= longestFile, let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw AdministrationRefusal(
                "The checkpoints at \(path) cannot be read by the server's user, or are more than 1 GiB.", code: "file")
        }
        return data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Data($0) }
    }
}
