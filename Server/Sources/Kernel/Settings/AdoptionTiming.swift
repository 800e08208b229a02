/// The time of sign-ins in a brand where a former system is asked for passwords, and how many there may be at once.
package struct AdoptionTiming: Sendable {
    /// The longest time that a question takes.
    package var limit: Duration
    /// How long every wrong password takes on a device that the account does not know, whether there was a question or not. The rest of it
    /// is for what comes after the question.
    package var window: Duration
    /// The most attempts of a brand at once on devices that the accounts do not know. Each wrong one takes the ``window``.
    package var places: Int
    /// How long it is known whether the system answers.
    package var checkLifetime: Duration
    package var sleep: @Sendable (Duration) async throws -> Void

    package init() {
        limit = .milliseconds(2750)
        window = .seconds(3)
        places = 64
        checkLifetime = .seconds(5)
        sleep = { try await Task.sleep(for: $0) }
    }
}
