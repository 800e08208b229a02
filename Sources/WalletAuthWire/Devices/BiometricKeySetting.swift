/// Registers a device's biometric key (`PUT /v1/devices/{id}/biometric-key`).
public struct BiometricKeyRequest: WireRequest {
    /// The public half of the key, of P-256.
    public var publicKey: JWK
    /// An assertion by the device and its PIN, for ``AssertionPurpose/biometric`` over this key.
    public var assertion: SignedAssertion

    /// Creates a request.
    /// - Parameters:
    ///   - publicKey: the public half of the key, of P-256.
    ///   - assertion: the assertion by the device and its PIN.
    public init(publicKey: JWK, assertion: SignedAssertion) {
        self.publicKey = publicKey
        self.assertion = assertion
    }

    enum CodingKeys: String, CodingKey {
        case publicKey
        case assertion = "pinAssertion"
    }
}
