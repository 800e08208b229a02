import HTTP
import Testing

extension HTTPLimits {
    /// Limits of time that a busy machine keeps.
    static let patient = HTTPLimits(
        bodyDeadline: .seconds(600), idleTimeout: .seconds(600), handshakeDeadline: .seconds(600))
}

/// Waits until a condition holds that the server brings about in its own time. Only a test that would hang reaches the limit.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "waited in vain for \(what)")
        try await Task.sleep(for: .milliseconds(20))
    }
}
