/// A fault of the audit log and its exact place.
package enum AuditFinding: Sendable, Hashable {
    /// The link does not match the key, the entry and the link before.
    case changed(AuditPlace)
    /// The entry names an audit key that does not exist.
    case unknownKey(AuditPlace)
    /// The details are not those the entry was written with.
    case detailsChanged(AuditPlace)
    /// The details are gone, and no entry records that the account was erased.
    case detailsRemoved(AuditPlace)
    /// The entry is in another chain than its account's.
    case misplaced(AuditPlace)
    case missing(AuditPartition, ClosedRange<Int64>)
    /// The chain ends before an entry that a checkpoint covers.
    case cut(AuditPartition, last: Int64, seen: Int64, checkpoint: String)
    /// The chain is consistent but differs from the one a checkpoint covers.
    case rewritten(AuditPlace, checkpoint: String)
    /// A line is not a checkpoint signed by this server.
    case badCheckpoint(String)
    /// The server's own file lacks the newest checkpoint that the database remembers: lines or the whole file were
    /// removed.
    case lostCheckpoints(newest: String)
    /// A file has no checkpoint, although the database remembers one.
    case noCheckpoints(newest: String)
    /// This server did not sign the newest checkpoint that the database remembers.
    case unknownNewestCheckpoint
    /// There are events outside the chains that were not there when the chains began.
    case unchained(found: Int64, expected: Int64)
}

package struct AuditPlace: Sendable, Hashable {
    package var partition: AuditPartition
    package var sequence: Int64

    package init(_ partition: AuditPartition, _ sequence: Int64) {
        self.partition = partition
        self.sequence = sequence
    }
}

extension AuditPartition: CustomStringConvertible {
    package var description: String { String(rawValue) }
}

extension AuditPlace: CustomStringConvertible {
    /// `partition 3, entry 17`.
    package var description: String { "partition \(partition), entry \(sequence)" }
}

extension AuditFinding: CustomStringConvertible {
    /// The text for auditors.
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
            the file of checkpoints lacks the newest one that the database remembers, of \(newest): lines of it, or \
            the whole file, were removed
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
