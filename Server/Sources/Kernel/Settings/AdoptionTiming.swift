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
    /// The same while there is one failed sign-in after another.
    package var longestCheckLifetime: Duration
    package var sleep: @Sendable (Duration) async throws -> Void

    package init() {
        limit = .milliseconds(2750)
        window = .seconds(3)
        places = 64
        checkLifetime = .seconds(5)
        longestCheckLifetime = .seconds(30)
        sleep = { try await Task.sleep(for: $0) }
    }

    /// How long a good check holds that follows another.
    /// - Parameters:
    ///   - last: how long the other one held.
    ///   - age: how long ago that one ended.
    package func checkLifetime(after last: Duration, age: Duration) -> Duration {
        age < last + longestCheckLifetime ? min(last * 2, longestCheckLifetime) : checkLifetime
    }
}
