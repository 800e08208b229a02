package import Core
package import Kernel

/// What an assertion by an enrolled device's key, and its PIN or its biometric key, proves. A repeated assertion whose response was lost
/// proves the same again, changes nothing, and does not count as a newer proof.
package typealias AssertionDecision = Result<AssertionProof, PINRefusal>

/// The proof, with the account's state when the assertion first arrived.
package struct AssertionProof: Sendable {
    package var device: DeviceRecord
    package var account: AccountRecord
    /// Identifies the one session that the assertion opens: 16 bytes, the same for every repetition.
    package var grantID: [UInt8]
    /// The account's security version when the assertion first arrived.
    package var securityVersion: Int64
    /// When the assertion first arrived.
    package var at: Timestamp
}

/// The decision about an assertion, and what the write that committed it returned.
package struct AssertionOutcome<Effect: Sendable>: Sendable {
    package var decision: AssertionDecision
    /// `nil` for a repetition, and for a decision without effect.
    package var effect: Effect?

    /// A refusal without effect.
    static func refused(_ refusal: PINRefusal) -> Self { Self(decision: .failure(refusal)) }
}
