package import Core
package import Store
internal import Synchronization
internal import WalletAuthWire

/// The audit log's checkpoints.
///
/// This folder owns the log. Each feature declares its own events; operators verify it in `Operations/Audit`.
///
/// Of several processes on one database, the leader makes them, in its own archive. The next leader continues in another one,
/// which verifies by itself as far as it goes.
package final class Audit: Sendable {
    package let database: any Database
    package let keyRing: KeyRing
    /// `nil` if checkpoints are not archived.
    package let archive: (any AuditCheckpointArchive)?
    package let clock: any Clock
    private let clocks: ClockMonitor
    private let issuer: Issuer
    /// The newest audit key that this process has endorsed in its archive.
    ///
    /// Used where each of several processes has an archive of its own: the database cannot know for all of them. It begins at 0, as
    /// for an empty archive, so the first checkpoint of a process repeats the endorsements. Readers ignore repetitions.
    private let endorsedKey = Mutex<UInt32>(0)

    init(
        database: any Database, keyRing: KeyRing, archive: (any AuditCheckpointArchive)?, clock: any Clock,
        clocks: ClockMonitor, issuer: Issuer
    ) {
        self.database = database
        self.keyRing = keyRing
        self.archive = archive
        self.clock = clock
        self.clocks = clocks
        self.issuer = issuer
    }

    /// A checkpoint is due after this many entries.
    static let entriesBetweenCheckpoints: Int64 = 1000
    /// A checkpoint is due after this time, if there are new entries.
    static let timeBetweenCheckpoints = Duration.hours(1)
    package static let pageSize = 1000

    /// Name of the newest checkpoint in ``Meta``. The next one continues from it.
    private static let newestName = "audit.checkpoint"
    /// Name of the last endorsed key's number in ``Meta``, if one process uses the database.
    private static let endorsedName = "audit.endorsed"
    /// Name of the newest checkpoint's archive in ``Meta``, if several processes may use the database.
    private static let archiveName = "audit.archive"

    /// The log does not verify, so no checkpoint may vouch for it.
    package struct Damaged: Error, CustomStringConvertible {
        let finding: AuditFinding

        package var description: String {
            "the audit log is not intact (\(finding)): run `walletauth audit verify`, and make no further changes"
        }
    }

    /// Creates a checkpoint if a thousand entries or an hour passed since the last, and there are new entries.
    /// - Returns: the checkpoint, if one was due.
    /// - Throws: an error if the log does not verify or the archive cannot be written.
    @discardableResult
    package func checkpointIfDue(now: Timestamp) async throws -> String? {
        let newest = try await newest()
        let ends = try await ends()
        let entries = ends.values.reduce(0, &+) &- (newest?.entries ?? 0)
        guard entries != 0 else { return nil }
        // One from the future says nothing of the time since: the clock was wrong then.
        if let newest, entries < Self.entriesBetweenCheckpoints, newest.issuedAt <= now,
            now - newest.issuedAt < Self.timeBetweenCheckpoints
        {
            return nil
        }
        return try await checkpoint(after: newest, now: now)
    }

    /// Creates a checkpoint of everything recorded, unless the last one covers it. Called when the server stops. Only the leader
    /// does it, and none with a clock in doubt: a checkpoint's time is signed.
    /// - Throws: an error if the log does not verify or the archive cannot be written.
    package func checkpointTheRest() async throws {
        guard await database.leads(), clocks.check().allowsRequests else { return }
        let newest = try await newest()
        guard try await ends().values.reduce(0, &+) != newest?.entries ?? 0 else { return }
        _ = try await checkpoint(after: newest, now: clock.now())
    }

    /// - Returns: a compact JWS.
    package func checkpoint(now: Timestamp) async throws -> String {
        try await checkpoint(after: try await newest(), now: now)
    }

    /// Verifies the entries since the last checkpoint, signs the heads of the chains, and appends the result to the archive.
    private func checkpoint(after newest: AuditCheckpoint?, now: Timestamp) async throws -> String {
        var heads: [AuditHead] = []
        for partition in AuditPartition.all {
            let start = newest?.heads.first { $0.partition == partition } ?? .beginning(of: partition)
            let head = try await head(after: start, now: now)
            if head.sequence > 0 { heads.append(head) }
        }
        let checkpoint = AuditCheckpoint(
            issuer: issuer.rawValue, issuedAt: Timestamp(seconds: now.seconds), heads: heads)
        let key = try keyRing.active(.audit)
        let text = try AuditCheckpointKey(key).sign(checkpoint)
        try await endorse(now: now)
        try await archive?.append(text)
        let (isShared, place) = (database.group != nil, archive?.name ?? "")
        // After it is archived: a process that ends in between creates another, which contradicts nothing.
        try await database.write { connection in
            try Meta.set(Self.newestName, to: text, on: connection)
            if isShared {
                try Meta.set(Self.archiveName, to: place, on: connection)
            } else {
                try Meta.set(Self.endorsedName, to: String(key.id.value), on: connection)
            }
        }
        return text
    }

    /// Has each key since the last checkpoint endorsed by the one before it. A database restored from an older copy lacks the
    /// newer keys, but checkpoints signed with them must still verify.
    private func endorse(now: Timestamp) async throws {
        guard let archive else { return }
        // A new file gets all of them.
        let endorsed = try await archive.isEmpty ? 0 : lastEndorsed()
        let keys = keyRing.keys(.audit, at: now).sorted { $0.id.value < $1.id.value }
        for (former, key) in zip(keys, keys.dropFirst()) where key.id.value > endorsed {
            let endorsement = AuditKeyEndorsement(
                issuer: issuer.rawValue, issuedAt: Timestamp(seconds: now.seconds),
                key: try AuditCheckpointKey(key).publicKey)
            try await archive.append(AuditCheckpointKey(former).sign(endorsement))
            endorsedKey.withLock { $0 = max($0, key.id.value) }
        }
    }

    /// The newest key that this process's archive has an endorsement of.
    private func lastEndorsed() async throws -> UInt32 {
        guard database.group == nil else { return endorsedKey.withLock { $0 } }
        return try await database.read { try Meta.value(Self.endorsedName, on: $0) }.flatMap { UInt32($0) } ?? 0
    }

    /// The head of a chain, after verifying every link up to it.
    private func head(after start: AuditHead, now: Timestamp) async throws -> AuditHead {
        var head = start
        if start.sequence > 0 {
            // The entry that the last checkpoint covers must still exist.
            let seen = try await database.read {
                try AuditChains.page(of: start.partition, after: start.sequence - 1, limit: 1, on: $0).first
            }
            guard let seen, seen.entry.sequence == start.sequence, seen.link == start.link else {
                throw Damaged(finding: .changed(AuditPlace(start.partition, start.sequence)))
            }
        }
        while true {
            let from = head.sequence
            let page = try await database.read {
                try AuditChains.page(of: start.partition, after: from, limit: Self.pageSize, on: $0)
            }
            for record in page {
                let place = AuditPlace(start.partition, record.entry.sequence)
                guard record.entry.sequence == head.sequence + 1 else {
                    throw Damaged(finding: .missing(start.partition, head.sequence + 1...place.sequence - 1))
                }
                guard let key = auditKey(record.keyID, now: now) else { throw Damaged(finding: .unknownKey(place)) }
                guard record.entry.link(after: head.link, key: key) == record.link,
                    let digest = record.entry.digest(after: head.digest)
                else { throw Damaged(finding: .changed(place)) }
                head = AuditHead(
                    partition: start.partition, sequence: record.entry.sequence, link: record.link, digest: digest)
            }
            if page.count < Self.pageSize { return head }
        }
    }

    package func auditKey(_ id: Int64?, now: Timestamp) -> DataKey? {
        id.flatMap { UInt32(exactly: $0) }.flatMap { keyRing.key(.audit, KeyID($0), at: now) }
    }

    /// Every key that a checkpoint may be signed with.
    package func checkpointKeys(now: Timestamp) throws -> [AuditCheckpointKey] {
        try keyRing.keys(.audit, at: now).map { try AuditCheckpointKey($0) }
    }

    /// The newest checkpoint; `nil` if none was signed here, so that the next one starts from the beginning.
    private func newest() async throws -> AuditCheckpoint? {
        let keys = try checkpointKeys(now: clock.now())
        return try await remembered().flatMap { try? AuditCheckpointKey.read($0, trusting: keys) }
    }

    /// The newest checkpoint's line, from the database.
    package func remembered() async throws -> String? {
        try await database.read { try Meta.value(Self.newestName, on: $0) }
    }

    /// The archive that has the newest checkpoint, if it is another process's; `nil` otherwise.
    package func otherArchive() async throws -> String? {
        guard database.group != nil else { return nil }
        let name = try await database.read { try Meta.value(Self.archiveName, on: $0) }
        return name == archive?.name ? nil : name
    }

    private func ends() async throws -> [AuditPartition: Int64] {
        try await database.read { connection in
            var ends: [AuditPartition: Int64] = [:]
            for partition in AuditPartition.all {
                ends[partition] = try AuditChains.head(of: partition, on: connection).sequence
            }
            return ends
        }
    }
}
