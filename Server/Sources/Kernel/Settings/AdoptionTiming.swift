/// The time of sign-ins in a brand where a former system is asked for passwords.
package struct AdoptionTiming: Sendable {
    /// The longest time that a question takes.
    package var limit: Duration
    /// How long every wrong password takes on a device that the account does not know, whether there was a question or not. The rest of it
    /// is for what comes after the question.
    package var window: Duration
    package var sleep: @Sendable (Duration) async throws -> Void

    package init() {
        limit = .milliseconds(2750)
        window = .seconds(3)
        sleep = { try await Task.sleep(for: $0) }
    }
}
