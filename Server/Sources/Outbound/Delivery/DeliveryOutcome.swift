package import Core

/// The result of a delivery. Reasons are codes and words of this program, never text from the other side.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The other side accepted it.
    case delivered
    /// A later attempt may succeed. `retryAfter` is the other side's request.
    case postponed(String, retryAfter: Duration? = nil)
    /// The service takes no message for any recipient now, such as without a connection or with a wrong key. Other pushes wait until it
    /// answers.
    case unavailable(String, retryAfter: Duration? = nil)
    /// No attempt can succeed.
    case refused(String)
    /// The address of a push no longer leads to the app. `since` is when it became void, if the service said so.
    case unregistered(String, since: Timestamp? = nil)
}

/// A transport for messages.
package protocol MessageTransport: Sendable {
    /// Attempts a delivery, within a minute.
    /// - Throws: only `CancellationError`, when the server stops. It is unknown whether the message was delivered.
    func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome

    /// Tests everything except sending.
    /// - Returns: the fault, in one line; `nil` if there is none.
    func examine() async -> String?
}
