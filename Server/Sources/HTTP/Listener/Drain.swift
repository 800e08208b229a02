import Synchronization

/// Whether the server is about to stop. Until then it serves requests, and proxies learn that others should get the next ones.
package final class Drain: Sendable {
    private let isOn = Atomic(false)

    package init() {}

    package func begin() { isOn.store(true, ordering: .relaxed) }

    var hasBegun: Bool { isOn.load(ordering: .relaxed) }
}
