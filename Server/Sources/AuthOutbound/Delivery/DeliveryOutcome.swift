package import AuthCore

/// What came of an attempt to deliver. Reasons hold codes and words of this program, never a text of the other side.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The other side has taken it.
    case delivered
    /// It may work later; `retryAfter` is what the other side asked for.
    case postponed(String, retryAfter: Duration? = nil)
    /// It will not work, however often it is tried.
    case refused(String)
}

/// A way for messages to leave.
package protocol MessageTransport: Sendable {
    /// Attempts to deliver, within a minute.
    /// - Parameters:
    ///   - message: what and to whom.
    ///   - now: the present.
    /// - Returns: what came of it.
    /// - Throws: `CancellationError` alone: the server stops, and whether it was delivered is not known.
    func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome

    /// Tries everything short of sending.
    /// - Returns: what is wrong, in one line; `nil` where nothing is.
    func examine() async -> String?
}
