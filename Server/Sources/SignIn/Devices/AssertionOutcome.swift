package import Core
package import Kernel

/// The outcome of an assertion that an enrolled device signs with its key, and with its PIN or its biometric key.
package enum AssertionOutcome: Sendable {
    /// Valid. A repeated assertion whose response was lost is valid again, changes nothing, and does not count as a newer proof.
    case proven(AssertionProof)
    case refused(AssertionRefusal)
}

/// Why an assertion proves nothing.
package enum AssertionRefusal: Error, Sendable, Hashable {
    /// The caller does not learn why.
    case invalid
    /// From the right device, but with a wrong PIN; never for a biometric key. Only a caller that proved the device's key learns
    /// this; it could count the attempts itself.
    case wrongPIN(remaining: Int)
    /// A wrong PIN on the last attempt; never for a biometric key.
    case pinLocked
    /// The device is suspended. Only a caller that proved its key learns this.
    case deviceSuspended
    /// The device is deactivated. Only a caller that proved its key learns this.
    case deviceDeactivated
}

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

/// The outcome of an assertion, and what the write that committed it returned.
package struct VerifiedAssertion<Effect: Sendable>: Sendable {
    package var outcome: AssertionOutcome
    /// `nil` for a repetition, and for an outcome without effect.
    package var effect: Effect?

    /// A refusal without effect.
    static func refused(_ refusal: AssertionRefusal) -> Self { Self(outcome: .refused(refusal)) }
}
