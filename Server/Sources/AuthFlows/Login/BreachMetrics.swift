/// What was asked of a list of stolen passwords, and answered, since the start of this process.
package struct BreachMetrics: Sendable, Hashable {
    /// Which: `url` or `file`.
    package var list: String
    /// It had the password.
    package var found: UInt64 = 0
    /// It had it not.
    package var absent: UInt64 = 0
    /// It did not answer in time, or not as it should.
    package var failed: UInt64 = 0
    /// It was not asked: it failed a moment ago, or too many searches were under way.
    package var skipped: UInt64 = 0
}

extension AuthorizationServer {
    /// What was asked of each list of stolen passwords.
    package var breachMetrics: [BreachMetrics] { context.breaches.metrics }
}
