internal import AuthCore
internal import AuthStore
internal import Foundation

extension Audit {
    /// The largest file of checkpoints that is read: some fifty years of one an hour.
    static let longestFile = 1 << 30

    /// Reads the whole record, while it is written to, and holds it against checkpoints.
    /// - Parameter path: a file of checkpoints, one a line; `nil` for none.
    /// - Returns: what was found.
    /// - Throws: ``AdministrationRefusal`` where the file cannot be read, or infrastructure trouble.
    func verify(checkpoints path: String?) async throws -> AuditVerification {
        let now = context.clock.now()
        try await context.keyRing.reload(now: now)
        var verification = AuditVerification { id in auditKey(id, now: now) }
        if let path { try hold(path, in: &verification, now: now) }
        for partition in AuditPartition.all {
            var last: Int64 = 0
            while true {
                try Task.checkCancellation()
                let from = last
                let page = try await context.database.read {
                    try AuditChains.page(of: partition, after: from, limit: Self.pageSize, on: $0)
                }
                for record in page { verification.read(record) }
                last = page.last?.entry.sequence ?? last
                if page.count < Self.pageSize { break }
            }
        }
        let unchained = try await context.database.read { try AuditChains.unchained(on: $0) }
        verification.finish(unchained: unchained)
        return verification
    }

    private func hold(_ path: String, in verification: inout AuditVerification, now: Timestamp) throws {
        let keys = try checkpointKeys(now: now)
        guard FileManager.default.fileExists(atPath: path) else {
            throw AdministrationRefusal(
                "There are no checkpoints at \(path), or the server's user may not enter its folder.", code: "file")
        }
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size <= Self.longestFile, let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw AdministrationRefusal(
                "The checkpoints at \(path) cannot be read by the server's user, or are more than 1 GiB.", code: "file")
        }
        for (number, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            let name = "the checkpoint in line \(number + 1)"
            do {
                let checkpoint = try AuditCheckpointKey.read(String(decoding: line, as: UTF8.self), trusting: keys)
                verification.hold(checkpoint, named: "\(name) of \(checkpoint.issuedAt.text)")
            } catch {
                verification.note(.badCheckpoint(name))
            }
        }
    }
}
