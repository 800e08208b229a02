/// What is wrong with the audit log, and exactly where.
package enum AuditFinding: Sendable, Hashable {
    /// An entry's link is not the one that the key makes of it and of the link before.
    case changed(AuditPlace)
    /// An entry names an audit key that there is none of.
    case unknownKey(AuditPlace)
    /// The circumstances are not those that the entry was made with.
    case detailsChanged(AuditPlace)
    /// The circumstances are gone, and no entry says that the account was erased.
    case detailsRemoved(AuditPlace)
    /// An entry stands in another chain than its account's.
    case misplaced(AuditPlace)
    /// Entries are not there.
    case missing(AuditPartition, ClosedRange<Int64>)
    /// The chain ends before an entry that a checkpoint has seen.
    case cut(AuditPartition, last: Int64, seen: Int64, checkpoint: String)
    /// The chain holds, and is another than the one that a checkpoint has seen.
    case rewritten(AuditPlace, checkpoint: String)
    /// A line that is not a checkpoint signed by this server.
    case badCheckpoint(String)
    /// The server's own file lacks the newest checkpoint that the database remembers: lines were removed, or the whole file.
    case lostCheckpoints(newest: String)
    /// A file has no checkpoint at all, and the database remembers one.
    case noCheckpoints(newest: String)
    /// The database remembers a newest checkpoint that this server did not sign.
    case unknownNewestCheckpoint
    /// Events that stand in no chain, and were not there when the chains began.
    case unchained(found: Int64, expected: Int64)
}

/// One place in the record.
package struct AuditPlace: Sendable, Hashable {
    /// Which chain.
    package var partition: AuditPartition
    /// Which entry.
    package var sequence: Int64

    /// Each parameter is the property of its name.
    package init(_ partition: AuditPartition, _ sequence: Int64) {
        self.partition = partition
        self.sequence = sequence
    }
}

extension AuditPartition: CustomStringConvertible {
    /// The number.
    package var description: String { String(rawValue) }
}

extension AuditPlace: CustomStringConvertible {
    /// `partition 3, entry 17`.
    package var description: String { "partition \(partition), entry \(sequence)" }
}

extension AuditFinding: CustomStringConvertible {
    /// What an auditor reads.
    package var description: String {
        switch self {
        case .changed(let place): "\(place): it or its link was changed, or the entry before it was"
        case .unknownKey(let place): "\(place): it names an audit key that does not exist"
        case .detailsChanged(let place): "\(place): its details were changed"
        case .detailsRemoved(let place): "\(place): its details were removed, and its account was never erased"
        case .misplaced(let place): "\(place): its account's entries belong in another partition"
        case .missing(let partition, let range):
            range.count == 1
                ? "partition \(partition), entry \(range.lowerBound): it is missing"
                : "partition \(partition), entries \(range.lowerBound) to \(range.upperBound): they are missing"
        case .cut(let partition, let last, let seen, let checkpoint):
            "partition \(partition): it ends at entry \(last), but \(checkpoint) covers entry \(seen)"
        case .rewritten(let place, let checkpoint):
            "\(place): it is not the entry that \(checkpoint) covers"
        case .badCheckpoint(let which): "\(which): this server did not sign this checkpoint"
        case .lostCheckpoints(let newest):
            """
            the file of checkpoints lacks the newest one that the database remembers, of \(newest): lines were removed \
            from it, or the whole file was
            """
        case .noCheckpoints(let newest):
            "there is no checkpoint in the file, but the database remembers one of \(newest)"
        case .unknownNewestCheckpoint:
            "this server did not sign the newest checkpoint that the database remembers"
        case .unchained(let found, let expected):
            "\(found) events are outside the chains, but \(expected) were there when the chains began"
        }
    }
}
