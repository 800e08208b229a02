package import WalletAuthWire

/// An act for this device to sign with a second factor. Another product of this package proves a factor with a key of its own,
/// as WalletAuthPIN does with the PIN's.
package struct DeviceSigning<Answer: Sendable>: Sendable {
    /// Proves the factor and submits the assertion.
    package typealias Prove = @Sendable (DeviceSigning) async throws -> Answer

    package let authentication: DeviceAuthentication
    /// The enrollment of the signing account.
    package let enrollment: Enrollment
    /// The content to sign: an event or a transaction, and the hash of its bytes.
    package let act: DeviceAssertion.Act
    /// The draft of a transaction that the app began; the server has stored nothing of it.
    package var draft: TransactionDraft?
    /// The operation for errors.
    package let operation: WalletError.Operation
    /// Submits the assertion. The same one again returns the same answer.
    package let submit: @Sendable (SignedAssertion) async throws -> Answer

    /// Signs with the biometric key.
    func signed(by challenge: ChallengeID, nonce: Nonce, reason: String) async throws -> Answer {
        try await submit(
            try await authentication.presenceAssertion(
                act, challenge: challenge, nonce: nonce, of: enrollment, reason: reason, during: operation))
    }
}
