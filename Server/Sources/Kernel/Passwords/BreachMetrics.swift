/// The searches in one list of breached passwords since the start of this process.
package struct BreachMetrics: Sendable, Hashable {
    /// The kind of list: `url` or `file`.
    package var list: String
    /// The list had the password.
    package var found: UInt64 = 0
    /// The list did not have the password.
    package var absent: UInt64 = 0
    /// The list did not answer in time, or answered incorrectly.
    package var failed: UInt64 = 0
    /// The list was not asked: it failed recently, or too many searches were in progress.
    package var skipped: UInt64 = 0
}
