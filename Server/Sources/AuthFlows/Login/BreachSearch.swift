internal import AuthCore
internal import AuthOutbound
internal import Logging
internal import Synchronization
internal import WalletAuthWire

/// Looks for passwords in the lists of stolen ones. A list that cannot be asked stands in nobody's way: what is not known
/// within the deadline is not known, is told to the operator, and the list is left alone for a while.
final class BreachSearch: Sendable {
    /// What the lists say of a password.
    enum Finding: Sendable, Hashable {
        /// One of them has it.
        case found
        /// None of them has it.
        case absent
        /// Not every list answered, and none of those that did has it.
        case unknown
    }

    private let lists: BreachLists
    private let logger: Logger
    private let states: Mutex<[ListState]>

    /// The state of one list.
    private struct ListState: Sendable {
        var underWay = 0
        /// Until when it is left alone, after a failure.
        var restsUntil: Timestamp?
        var isTroubled = false
        var metrics: BreachMetrics
    }

    /// What became of a search in one list.
    private enum Answer {
        case found
        case absent
        case failed(any Error)
    }

    /// How many searches of one list are under way at once; a slow one must not gather everybody's sign-ins.
    private static let most = 32
    /// A list that failed costs nobody its deadline for so long.
    private static let rest = Duration.seconds(30)

    init(_ lists: BreachLists, logger: Logger) {
        self.lists = lists
        self.logger = logger
        states = Mutex(lists.sources.map { ListState(metrics: BreachMetrics(list: $0.name)) })
    }

    /// Whether there is any list to ask.
    var hasLists: Bool { !lists.sources.isEmpty }

    /// What was asked and answered since the start.
    var metrics: [BreachMetrics] { states.withLock { $0.map(\.metrics) } }

    /// Looks for a password in every list at once.
    /// - Parameters:
    ///   - password: as typed. What is made of it to search by is gone with the answer.
    ///   - now: the present moment.
    /// - Throws: `CancellationError` where nobody waits for the answer any more.
    func look(for password: Password, now: Timestamp) async throws -> Finding {
        guard hasLists else { return .absent }
        let digest = BreachDigest(password.reveal())
        return try await withThrowingTaskGroup(of: Finding.self) { group in
            for index in lists.sources.indices {
                group.addTask { try await self.look(for: digest, inList: index, now: now) }
            }
            var finding = Finding.absent
            for try await one in group {
                switch one {
                case .found:
                    group.cancelAll()
                    return .found
                case .unknown: finding = .unknown
                case .absent: break
                }
            }
            return finding
        }
    }

    private func look(for digest: BreachDigest, inList index: Int, now: Timestamp) async throws -> Finding {
        guard begin(index, now: now) else { return .unknown }
        let source = lists.sources[index]
        do {
            let count = try await within(.now + lists.deadline) { [self] in
                // A search that nobody waits for any more still takes its place, until it ends.
                defer { states.withLock { $0[index].underWay -= 1 } }
                return try await source.count(of: digest)
            }
            let isFound = count >= lists.minimumCount
            settle(index, isFound ? .found : .absent, now: now)
            return isFound ? .found : .absent
        } catch let error as CancellationError {
            throw error
        } catch {
            settle(index, .failed(error), now: now)
            return .unknown
        }
    }

    private func begin(_ index: Int, now: Timestamp) -> Bool {
        states.withLock { states in
            guard states[index].underWay < Self.most, states[index].restsUntil.map({ now >= $0 }) ?? true else {
                states[index].metrics.skipped += 1
                return false
            }
            states[index].underWay += 1
            return true
        }
    }

    /// Counts what came of it, and tells the operator once that trouble began, and once that it is over.
    private func settle(_ index: Int, _ answer: Answer, now: Timestamp) {
        let wasTroubled = states.withLock { states in
            let before = states[index].isTroubled
            switch answer {
            case .found: states[index].metrics.found += 1
            case .absent: states[index].metrics.absent += 1
            case .failed: states[index].metrics.failed += 1
            }
            if case .failed = answer {
                (states[index].isTroubled, states[index].restsUntil) = (true, now + Self.rest)
            } else {
                (states[index].isTroubled, states[index].restsUntil) = (false, nil)
            }
            return before
        }
        let list = Logger.MetadataValue.string(lists.sources[index].name)
        if case .failed(let error) = answer {
            guard !wasTroubled else { return }
            logger.warning(
                "the list of stolen passwords cannot be reached; sign-ins continue without it",
                metadata: ["list": list, "reason": "\(error)"])
        } else if wasTroubled {
            logger.notice("the list of stolen passwords answers again", metadata: ["list": list])
        }
    }
}
