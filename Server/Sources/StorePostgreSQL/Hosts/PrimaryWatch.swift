import Foundation
import Store

/// Checks periodically whether another host accepts writes, and whether it took over from the server of the group's session. That
/// session may live on at an old primary, where what is acknowledged is lost.
///
/// It has a thread of its own, because a host that is gone takes seconds to ask. The thread ends after ``close()``.
final class PrimaryWatch: Sendable {
    private struct State {
        /// `nil` while there is no session to compare with.
        var place: GroupSession.Place?
        /// Why the session must not go on.
        var error: StoreError?
        /// The names of the other hosts that accept writes.
        var others: Set<String> = []
        /// Those that were reported.
        var reported: Set<String> = []
    }

    private let connecting: Connecting
    private let state = LockedValue(State())
    private let pauses = Pauses()

    init(_ connecting: Connecting) {
        self.connecting = connecting
    }

    /// - Parameter found: called on the watch's thread before ``check()`` throws, or ``newFindings`` changes.
    func start(found: @escaping @Sendable () -> Void) {
        guard connecting.string.targets.count > 1 else { return }
        let thread = Thread { self.run(found) }
        thread.name = "store.postgresql.hosts"
        thread.start()
    }

    func close() { pauses.close() }

    /// Sets the session to compare with; `nil` for none.
    func watch(_ place: GroupSession.Place?) {
        // Findings of the former session that were not reported will be found again.
        state.withLock { $0 = State(place: place, others: $0.reported, reported: $0.reported) }
    }

    /// - Throws: ``StoreError`` with code `unavailable` if another host took over.
    func check() throws(StoreError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    /// All other hosts that accept writes, if they differ from those that were reported. They count only if the group's session still
    /// lives: once it has ended, another name of its server looks like another host.
    var newFindings: Set<String>? {
        state.withLock { $0.others == $0.reported ? nil : $0.others }
    }

    func noteReported(_ others: Set<String>) {
        state.withLock { $0.reported = others }
    }

    private func run(_ found: @Sendable () -> Void) {
        while pauses.wait(connecting.options.takeoverInterval) {
            guard let place = state.withLock({ $0.place }) else { continue }
            let (primaries, unasked) = connecting.primaries(besides: place.target, key: place.key)
            let names = Set(primaries.map(\.name))
            let error = primaries.first { $0.timeline?.isLater(than: place.timeline) == true }
                .map { Connecting.overtaken(place.target.name, by: $0.name) }
            let hasNews = state.withLock { state in
                // The session may have been replaced meanwhile.
                guard state.place?.key == place.key else { return false }
                if let error { state.error = error }
                // A host that could not be asked may accept writes as before.
                state.others = names.union(state.others.intersection(unasked.map(\.name)))
                return state.error != nil || state.others != state.reported
            }
            if hasNews { found() }
        }
    }
}
