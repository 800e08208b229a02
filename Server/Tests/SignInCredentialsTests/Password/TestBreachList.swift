import Core
import Outbound
import Synchronization

@testable import Kernel

/// A list of stolen passwords that a test fills.
final class TestBreachList: BreachSource {
    let name = "test"
    private let state = Mutex(State())

    private struct State {
        var counts: [BreachDigest: Int] = [:]
        var asked = 0
        var meanwhile: (@Sendable () async throws -> Void)?
    }

    /// How often it was asked.
    var asked: Int { state.withLock { $0.asked } }

    /// From now on the list has a password.
    func steal(_ password: String, count: Int = 1) {
        state.withLock { $0.counts[BreachDigest(password)] = count }
    }

    /// What happens while the next search is under way; where it throws, so does the search.
    func meanwhile(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.meanwhile = body }
    }

    func count(of digest: BreachDigest) async throws -> Int {
        let (count, meanwhile) = state.withLock { state in
            state.asked += 1
            let meanwhile = state.meanwhile
            state.meanwhile = nil
            return (state.counts[digest] ?? 0, meanwhile)
        }
        try await meanwhile?()
        return count
    }

    func examine() async -> String? { nil }

    /// The list as the server is given it. A busy machine does not take it for one that is silent.
    func lists(minimumCount: Int = 1, deadline: Duration = .minutes(10)) -> BreachLists {
        BreachLists(sources: [self], minimumCount: minimumCount, deadline: deadline)
    }
}
