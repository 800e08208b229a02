internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum AuditGenesis {
    /// Records, once, that the chains begin, and the number of earlier events, which no chain covers.
    static func record(in database: any Database, _ auditLog: AuditLog, now: Timestamp) async throws {
        let unchained = try await database.read { connection in
            try AuditChains.head(of: .operators, on: connection).sequence == 0
                ? try AuditChains.unchained(on: connection) : nil
        }
        guard let unchained else { return }
        var details = JSONObject()
        details.set("unchained", unchained)
        let entry = try auditLog.administration(AuditEvent.began, details: details, now: now)
        try await database.write { connection in
            // Another process may have been first.
            guard try AuditChains.head(of: .operators, on: connection).sequence == 0 else { return }
            try entry.write(on: connection)
        }
    }
}
