internal import Core

/// The operator's settings for wallet operations.
package struct SCASettings: Sendable, Hashable {
    /// The operations that need consent. Default: all.
    package var policy: SCAPolicy
    /// How long the evidence of an operation is kept. Default 548 days: the 13 months in which a payer can contest a payment (PSD2
    /// article 71), plus time to respond.
    package var evidenceRetention: Duration

    package init(policy: SCAPolicy = SCAPolicy(), evidenceRetention: Duration = .days(548)) {
        self.policy = policy
        self.evidenceRetention = evidenceRetention
    }
}
