package import WalletAuthWire

/// Lets another product of this package sign a transaction with its own second factor, as WalletAuthPIN does with the
/// PIN's key.
package struct TransactionSigning: Sendable {
    /// Signs and submits the assertion.
    package typealias Prove = @Sendable (TransactionSigning) async throws -> DeviceTransaction

    package let authentication: DeviceAuthentication
    /// The enrollment of the signing account.
    package let enrollment: Enrollment
    /// The transaction and the hash of its bytes.
    package let act: DeviceAssertion.Act
    /// The draft of a transaction that the app began; the server has stored nothing of it.
    package let draft: TransactionDraft?
    /// The operation for errors.
    package let operation: WalletError.Operation
    /// Submits the assertion. The same one again returns the same answer.
    package let submit: @Sendable (SignedAssertion) async throws -> DeviceTransaction
}

extension TransactionSigning {
    /// Signs with the biometric key.
    func signed(by challenge: ChallengeResponse, reason: String) async throws -> DeviceTransaction {
        let assertion = try await authentication.presenceAssertion(
            act, challenge: challenge.challengeID, nonce: challenge.nonce, of: enrollment, reason: reason,
            during: operation)
        return try await submit(assertion)
    }
}
