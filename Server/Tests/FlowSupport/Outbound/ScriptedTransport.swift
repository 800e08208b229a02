package import Core
package import Outbound
import Synchronization

/// A way out that says what a test wants to hear, and keeps what it was given.
package final class ScriptedTransport: MessageTransport {
    private let outcomes: Mutex<[DeliveryOutcome]>
    private let kept = Mutex<[OutgoingMessage]>([])
    /// An element for each message, once it is kept.
    package let (deliveries, delivery) = AsyncStream<Void>.makeStream()

    /// - Parameter outcomes: of the attempts, one after another; delivered where there is none left.
    package init(_ outcomes: [DeliveryOutcome] = []) {
        self.outcomes = Mutex(outcomes)
    }

    package var messages: [OutgoingMessage] { kept.withLock { $0 } }

    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        kept.withLock { $0.append(message) }
        delivery.yield()
        return outcomes.withLock { $0.isEmpty ? .delivered : $0.removeFirst() }
    }

    package func examine() async -> String? { nil }
}
