package import AuthCore

/// What the operator decides of wallet operations.
package struct SCASettings: Sendable, Hashable {
    /// Which of them need consent. Default: all.
    package var policy: SCAPolicy
    /// For how long an operation is kept as evidence. Default 548 days: 13 months, in which a payer can contest a payment
    /// (PSD2 article 71), and time to answer.
    package var evidenceRetention: Duration

    /// - Parameters:
    ///   - policy: which operations need consent.
    ///   - evidenceRetention: for how long one is kept.
    package init(policy: SCAPolicy = SCAPolicy(), evidenceRetention: Duration = .days(548)) {
        self.policy = policy
        self.evidenceRetention = evidenceRetention
    }
}
