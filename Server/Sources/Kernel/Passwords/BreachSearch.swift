package import Core
package import Logging
internal import Outbound
internal import Synchronization
package import WalletAuthWire

/// Searches lists of breached passwords. An unreachable list blocks no one: after the deadline the result is unknown, the
/// operator is warned, and the list rests for a while.
package final class BreachSearch: Sendable {
    package enum Finding: Sendable, Hashable {
        /// At least one list has it.
        case found
        /// No list has it.
        case absent
        /// Not every list answered, and those that did do not have it.
        case unknown
    }

    private let lists: BreachLists
    private let logger: Logger
    private let states: Mutex<[ListState]>

    private struct ListState: Sendable {
        var underWay = 0
        /// The end of the rest after a failure.
        var restsUntil: Timestamp?
        var isFailing = false
        var metrics: BreachMetrics
    }

    private enum Answer {
        case found
        case absent
        case failed(any Error)
    }

    /// The number of concurrent searches per list. A slow list must not pile up sign-ins.
    private static let most = 32
    /// How long a failed list is skipped, so that no sign-in waits for its deadline.
    private static let rest = Duration.seconds(30)

    package init(_ lists: BreachLists, logger: Logger) {
        self.lists = lists
        self.logger = logger
        states = Mutex(lists.sources.map { ListState(metrics: BreachMetrics(list: $0.name)) })
    }

    package var hasLists: Bool { !lists.sources.isEmpty }

    /// The counts since the start of this process.
    package var metrics: [BreachMetrics] { states.withLock { $0.map(\.metrics) } }

    /// Searches all lists in parallel.
    /// - Parameter password: as typed. The digests made from it are not kept.
    /// - Throws: `CancellationError` if the caller no longer waits for the result.
    package func look(for password: Password, now: Timestamp) async throws -> Finding {
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
                // An abandoned search keeps its slot until it ends.
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

    /// Counts the result, and logs once when a list starts to fail and once when it recovers.
    private func settle(_ index: Int, _ answer: Answer, now: Timestamp) {
        let wasFailing = states.withLock { states in
            let before = states[index].isFailing
            switch answer {
            case .found: states[index].metrics.found += 1
            case .absent: states[index].metrics.absent += 1
            case .failed: states[index].metrics.failed += 1
            }
            if case .failed = answer {
                (states[index].isFailing, states[index].restsUntil) = (true, now + Self.rest)
            } else {
                (states[index].isFailing, states[index].restsUntil) = (false, nil)
            }
            return before
        }
        let list = Logger.MetadataValue.string(lists.sources[index].name)
        if case .failed(let error) = answer {
            guard !wasFailing else { return }
            logger.warning(
                "the list of breached passwords cannot be reached; sign-ins continue without it",
                metadata: ["list": list, "reason": "\(error)"])
        } else if wasFailing {
            logger.notice("the list of breached passwords is reachable again", metadata: ["list": list])
        }
    }
}
