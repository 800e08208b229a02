package import WalletAuthWire

/// The means to sign one transaction by a second factor of another product of this package: WalletAuthPIN signs by the PIN's key.
package struct TransactionSigning: Sendable {
    /// Signs, and hands the assertion in.
    package typealias Prove = @Sendable (TransactionSigning) async throws -> DeviceTransaction

    /// Signs for the device.
    package let authentication: DeviceAuthentication
    /// The enrollment of the account that signs.
    package let enrollment: Enrollment
    /// The transaction and the hash of its bytes.
    package let act: DeviceAssertion.Act
    /// The draft of a transaction that the app began: the server has stored nothing of it.
    package let draft: TransactionDraft?
    /// The operation that an error belongs to.
    package let operation: WalletError.Operation
    /// Hands the assertion in. The same one again gets the same answer.
    package let submit: @Sendable (SignedAssertion) async throws -> DeviceTransaction
}

extension TransactionSigning {
    /// Signs by the key behind the holder's presence.
    func signed(by challenge: ChallengeResponse, reason: String) async throws -> DeviceTransaction {
        let assertion = try await authentication.presenceAssertion(
            act, challenge: challenge.challengeID, nonce: challenge.nonce, of: enrollment, reason: reason,
            during: operation)
        return try await submit(assertion)
    }
}
