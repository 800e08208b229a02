// The audit log as a data structure: entries, chains, checkpoints, and their verification.

internal import WalletAuthWire

/// Verifies the chains of the audit log, entry by entry, and its checkpoints.
///
/// Pure: the caller reads the entries of each partition in order, the operators' partition first, and to the end. The
/// end is reached only when a page comes back short, because an account erased during the verification is recorded in a
/// later entry of the same partition.
package struct AuditVerification: Sendable {
    /// A recorded restore. Everything after the copy was made is lost, and is reported as lost.
    package struct Break: Sendable, Hashable {
        /// When the restored database was first opened.
        package var at: Timestamp
        /// The last entry of each partition in the copy.
        package var heads: [AuditPartition: Int64]
        /// The highest entry that a checkpoint covers and the copy lacks.
        package var lost: [AuditPartition: Int64] = [:]
    }

    private struct Witness {
        var checkpoint: AuditCheckpoint
        var name: String
    }

    /// The state of one chain during the reading.
    private struct Chain {
        var head: AuditHead
        var isWhole = true
        /// The entry before is missing, so the next link cannot be verified.
        var isTorn = false
    }

    /// The limit of findings kept. The first ones show where to look.
    package static let mostFindings = 100

    package static let erasure = "account.erased"
    /// A merge takes the details of the account that ends.
    package static let merge = "account.merged"
    /// The kind of the entry that records a restore from a copy.
    package static let restore = "database.restored"
    package static let genesis = "audit.began"

    package private(set) var entries: Int64 = 0
    /// The number of checkpoints compared with the chains.
    package var checkpoints: Int { witnesses.count }
    /// In the order found; at most ``mostFindings``.
    package private(set) var findings: [AuditFinding] = []
    /// The number of findings beyond ``mostFindings``.
    package private(set) var furtherFindings = 0
    /// The number of entries without details, by erased account.
    package private(set) var erased: [[UInt8]: Int64] = [:]
    /// Checkpoint lines cut short while they were written.
    package private(set) var tornLines = 0
    /// The restores that the log records.
    package private(set) var breaks: [Break] = []
    /// The time of the newest checkpoint and the archive that has it, if another process wrote it.
    package private(set) var newestElsewhere: (time: String, archive: String)?

    private let keys: @Sendable (Int64) -> DataKey?
    private var chains: [AuditPartition: Chain] = [:]
    private var witnesses: [Witness] = []
    private var wanted: Set<AuditPlace> = []
    private var seen: [AuditPlace: (head: AuditHead, isWhole: Bool)] = [:]
    private var erasedAccounts: Set<[UInt8]> = []
    private var withoutDetails: [(place: AuditPlace, account: [UInt8]?)] = []
    private var unchainedAtGenesis: Int64 = 0

    /// - Parameter keys: returns the audit key with an id, retired ones included.
    package init(keys: @escaping @Sendable (Int64) -> DataKey?) {
        self.keys = keys
    }

    /// Adds a checkpoint. Call this before reading the first entry.
    /// - Parameters:
    ///   - checkpoint: one with a valid signature.
    ///   - name: its name in findings, such as its line in a file.
    package mutating func hold(_ checkpoint: AuditCheckpoint, named name: String) {
        witnesses.append(Witness(checkpoint: checkpoint, name: name))
        for head in checkpoint.heads { wanted.insert(AuditPlace(head.partition, head.sequence)) }
    }

    /// Adds the newest checkpoint, which the database remembers and another process's archive has.
    package mutating func holdElsewhere(_ checkpoint: AuditCheckpoint, in archive: String, at time: String) {
        hold(checkpoint, named: "the newest checkpoint of \(time), in \(archive)")
        newestElsewhere = (time, archive)
    }

    /// Counts a checkpoint line that was cut short while it was written. The log is not at fault.
    package mutating func holdTornLine() { tornLines += 1 }

    /// Adds a finding from outside the chains.
    package mutating func note(_ finding: AuditFinding) {
        guard findings.count < Self.mostFindings else {
            furtherFindings += 1
            return
        }
        findings.append(finding)
    }

    /// Reads the next entry of its partition.
    package mutating func read(_ record: UnverifiedEvent) {
        let entry = record.entry
        let place = AuditPlace(entry.partition, entry.sequence)
        var chain = chains[entry.partition] ?? Chain(head: .beginning(of: entry.partition))
        if entry.sequence > chain.head.sequence + 1 {
            note(.missing(entry.partition, chain.head.sequence + 1...entry.sequence - 1))
            chain.isWhole = false
            chain.isTorn = true
        }
        let isGood = examine(record, after: chain, at: place)
        chain.isWhole = chain.isWhole && isGood
        chain.isTorn = false
        chain.head = AuditHead(
            partition: entry.partition, sequence: entry.sequence, link: record.link,
            // Without one it is not good, and what is compared later ignores the digest.
            digest: entry.digest(after: chain.head.digest) ?? chain.head.digest)
        chains[entry.partition] = chain
        if wanted.contains(place) { seen[place] = (chain.head, chain.isWhole) }
        entries += 1
        if isGood { learn(from: record) }
    }

    /// - Returns: whether the entry is as it was written.
    private mutating func examine(_ record: UnverifiedEvent, after chain: Chain, at place: AuditPlace) -> Bool {
        let before = findings.count + furtherFindings
        let entry = record.entry
        if AuditPartition(account: entry.account) != entry.partition { note(.misplaced(place)) }
        if let key = record.keyID.flatMap(keys) {
            let isLinked = entry.link(after: chain.head.link, key: key).map {
                chain.isTorn || ConstantTime.equal($0, record.link)
            }
            if isLinked != true { note(.changed(place)) }
        } else {
            note(.unknownKey(place))
        }
        if let salt = record.salt {
            if !entry.binds(record.details, salt: salt) { note(.detailsChanged(place)) }
        } else if record.details == UnverifiedEvent.erasedDetails {
            withoutDetails.append((place, entry.account))
        } else {
            note(.detailsChanged(place))
        }
        // No link covers the column.
        if record.about != OperatorCallDetails.subject(of: record.details, account: entry.account) {
            note(.changed(place))
        }
        return findings.count + furtherFindings == before
    }

    /// Collects what a valid entry states about other entries.
    private mutating func learn(from record: UnverifiedEvent) {
        switch record.entry.kind {
        case Self.erasure, Self.merge:
            if let account = record.entry.account { erasedAccounts.insert(account) }
        case Self.restore where record.entry.partition == .operators:
            guard let json = try? JSONValue.object(parsing: Array(record.details.utf8)) else { return }
            var heads: [AuditPartition: Int64] = [:]
            for partition in AuditPartition.all { heads[partition] = json[String(partition.rawValue)]?.integer ?? 0 }
            breaks.append(Break(at: record.entry.occurredAt, heads: heads))
        case Self.genesis where record.entry.partition == .operators:
            let json = try? JSONValue.object(parsing: Array(record.details.utf8))
            unchainedAtGenesis = json?["unchained"]?.integer ?? 0
        default: break
        }
    }

    /// Adds the findings that depend on the whole log. Call this once, after the last entry.
    /// - Parameter unchained: the number of events outside the chains.
    package mutating func finish(unchained: Int64) {
        for (place, account) in withoutDetails {
            if let account, erasedAccounts.contains(account) {
                erased[account, default: 0] += 1
            } else {
                note(.detailsRemoved(place))
            }
        }
        for witness in witnesses {
            for head in witness.checkpoint.heads { compare(head, of: witness) }
        }
        if unchained != unchainedAtGenesis { note(.unchained(found: unchained, expected: unchainedAtGenesis)) }
    }

    private mutating func compare(_ head: AuditHead, of witness: Witness) {
        guard head.sequence > 0 else { return }
        let place = AuditPlace(head.partition, head.sequence)
        let found = seen[place]
        // The digest covers every earlier entry. Compare it only if none of them is known to be wrong.
        if let found, found.head.link == head.link, !found.isWhole || found.head.digest == head.digest { return }
        let isLost = { (restore: Break) in
            restore.at.seconds >= witness.checkpoint.issuedAt.seconds
                && restore.heads[head.partition, default: 0] < head.sequence
        }
        let last = chains[head.partition]?.head.sequence ?? 0
        if let index = breaks.firstIndex(where: isLost) {
            breaks[index].lost[head.partition] = max(breaks[index].lost[head.partition] ?? 0, head.sequence)
        } else if found != nil {
            note(.rewritten(place, checkpoint: witness.name))
        } else if last < head.sequence {
            // A gap before the end is reported already.
            note(.cut(head.partition, last: last, seen: head.sequence, checkpoint: witness.name))
        }
    }
}
