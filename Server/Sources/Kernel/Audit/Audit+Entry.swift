package import Core
package import Store
package import WalletAuthWire

extension Audit {
    /// A genuine entry of the audit log: unchanged since a server with the audit key wrote it.
    package struct GenuineEntry: Sendable {
        package let entry: AuditEntry
        /// `nil` once they are erased.
        package let details: JSONObject?
    }

    /// Reads an entry with the one before it, and verifies it: one query and one HMAC.
    /// - Returns: `nil` if it is missing, or if someone without the key wrote or changed it.
    package func genuineEntry(
        at place: AuditHead.Place, now: Timestamp, on connection: any SQLConnection
    ) throws -> GenuineEntry? {
        // Entries are numbered from 1. A forged number must not overflow.
        guard place.sequence > 0 else { return nil }
        let page = try AuditChains.page(
            of: place.partition, after: max(0, place.sequence - 2), limit: 2, on: connection)
        let previous =
            place.sequence == 1
            ? AuditEntry.beginning : page.first(where: { $0.entry.sequence == place.sequence - 1 })?.link
        guard let previous, let record = page.first(where: { $0.entry.sequence == place.sequence }),
            record.link == place.link, AuditPartition(account: record.entry.account) == place.partition,
            let key = auditKey(record.keyID, now: now),
            record.entry.link(after: previous, key: key) == record.link
        else { return nil }
        guard let salt = record.salt else { return GenuineEntry(entry: record.entry, details: nil) }
        guard record.entry.binds(record.details, salt: salt) else { return nil }
        return GenuineEntry(entry: record.entry, details: try JSONValue.object(parsing: Array(record.details.utf8)))
    }

    /// What a row says about a step that has an entry in the audit log.
    package struct RecordedStep: Sendable {
        let kind: String
        let account: UniqueID?
        let client: String
        let place: AuditHead.Place
        let at: Timestamp

        package init(
            _ event: some SecurityEventKind, of account: UniqueID?, client: String, place: AuditHead.Place,
            at: Timestamp
        ) {
            kind = event.rawValue
            self.account = account
            self.client = client
            self.place = place
            self.at = at
        }
    }

    /// Reads the entry of a step.
    /// - Returns: `nil` unless it is genuine, and of the same kind, account, client and time.
    package func entry(
        of step: RecordedStep, now: Timestamp, on connection: any SQLConnection
    ) throws -> GenuineEntry? {
        guard let found = try genuineEntry(at: step.place, now: now, on: connection), found.entry.kind == step.kind,
            found.entry.account == step.account?.bytes, found.entry.client == step.client,
            found.entry.occurredAt == step.at
        else { return nil }
        return found
    }

    /// Whether the log has the erasure of an account after an entry, or its merge, which alone remove details. That a row calls the account
    /// erased proves nothing.
    package func isErased(
        _ account: UniqueID, after place: AuditHead.Place, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try [AuditVerification.erasure, AuditVerification.merge].contains { kind in
            guard let erasure = try AuditChains.newest(kind, of: account, on: connection),
                erasure.partition == place.partition, erasure.sequence > place.sequence,
                let found = try genuineEntry(at: erasure, now: now, on: connection)
            else { return false }
            return found.entry.kind == kind && found.entry.account == account.bytes
        }
    }
}
