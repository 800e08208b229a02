internal import Synchronization

/// The newest audit key for which this process has written an endorsement into its archive of checkpoints.
///
/// Used where each of several processes has an archive of its own: the database cannot know for all of them. It begins at 0, as
/// for an empty archive, so the first checkpoint of a process repeats the endorsements. Readers ignore repetitions.
package final class EndorsedAuditKey: Sendable {
    private let newest = Mutex<UInt32>(0)

    init() {}

    package var number: UInt32 { newest.withLock { $0 } }

    package func raise(to number: UInt32) {
        newest.withLock { $0 = max($0, number) }
    }
}
