/// Completes setting or changing a PIN (`PUT /v1/devices/{id}/pin`): the public half of the new PIN key, and an
/// assertion signed by it, by the device's key and, for a change, by the old PIN key.
public struct PINSettingRequest: WireRequest {
    /// The public half of the new PIN key. It is treated as a secret: with the server's keys and a stolen device, it
    /// reveals whether a guessed PIN is right.
    public var publicKey: JWK
    /// The assertion, for ``AssertionPurpose/enroll`` or ``AssertionPurpose/pinChange``.
    public var assertion: SignedAssertion

    /// Creates a request.
    /// - Parameters:
    ///   - publicKey: the public half of the new PIN key, of P-256.
    ///   - assertion: the assertion.
    public init(publicKey: JWK, assertion: SignedAssertion) {
        self.publicKey = publicKey
        self.assertion = assertion
    }
}

/// The answer: the PIN is active.
public struct PINSettingResponse: WireMessage {
    /// The epoch that is now active.
    public var epoch: PINEpoch

    /// Creates an answer.
    /// - Parameter epoch: the epoch that is now active.
    public init(epoch: PINEpoch) { self.epoch = epoch }
}
