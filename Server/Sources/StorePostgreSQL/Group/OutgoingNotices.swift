import Store

/// The notices that wait to be sent. There are never many: duplicates are one, and too many are
/// ``Store/ChangeNotice/everything``.
final class OutgoingNotices: Sendable {
    static let limit = 1024

    private struct State {
        var order: [ChangeNotice] = []
        var present: Set<ChangeNotice> = []

        mutating func add(_ notice: ChangeNotice) {
            guard !present.contains(notice), !present.contains(.everything) else { return }
            if order.count == OutgoingNotices.limit || notice == .everything {
                order = [.everything]
                present = [.everything]
            } else {
                order.append(notice)
                present.insert(notice)
            }
        }
    }

    private let state = LockedValue(State())

    /// - Returns: whether it is the first, so that the sender has to be woken.
    func add(_ notice: ChangeNotice) -> Bool {
        state.withLock { state in
            defer { state.add(notice) }
            return state.order.isEmpty
        }
    }

    func takeAll() -> [ChangeNotice] {
        state.withLock { state in
            defer { state = State() }
            return state.order
        }
    }

    /// Returns what could not be sent. Its order does not matter.
    func putBack(_ notices: [ChangeNotice]) {
        state.withLock { state in
            for notice in notices { state.add(notice) }
        }
    }
}
