import AuthStore
import Foundation

/// Looks from time to time whether another host took over from the server of the group's session. That session may live on at an old
/// primary, where what is acknowledged is lost.
///
/// It has a thread of its own, because a host that is gone takes seconds to ask. The thread ends after ``close()``.
final class PrimaryWatch: Sendable {
    private struct State {
        /// `nil` while there is no session to compare with.
        var place: GroupSession.Place?
        /// Why the session must not go on.
        var error: StoreError?
    }

    private let connecting: Connecting
    private let state = LockedValue(State())
    private let pauses = Pauses()

    init(_ connecting: Connecting) {
        self.connecting = connecting
    }

    /// - Parameter found: called on the watch's thread before ``check()`` throws.
    func start(found: @escaping @Sendable () -> Void) {
        guard connecting.string.targets.count > 1 else { return }
        let thread = Thread { self.run(found) }
        thread.name = "store.postgresql.hosts"
        thread.start()
    }

    func close() { pauses.close() }

    /// The group has a session, or none.
    func look(after place: GroupSession.Place?) {
        state.withLock { $0 = State(place: place) }
    }

    /// - Throws: ``StoreError`` with code `unavailable` if another host took over.
    func check() throws(StoreError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    private func run(_ found: @Sendable () -> Void) {
        while pauses.wait(connecting.options.takeoverInterval.inSeconds) {
            guard let place = state.withLock({ $0.place }), let error = takeover(from: place) else { continue }
            state.withLock { state in
                // The session may have been replaced meanwhile.
                if state.place?.key == place.key { state.error = error }
            }
            found()
        }
    }

    private func takeover(from place: GroupSession.Place) -> StoreError? {
        connecting.primaries(besides: place.target, key: place.key).found
            .first { $0.timeline?.isLater(than: place.timeline) == true }
            .map { Connecting.overtaken(place.target.name, by: $0.name) }
    }
}
