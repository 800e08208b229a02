/// Registers a device's biometric key (`PUT /v1/devices/{id}/biometric-key`).
public struct BiometricKeyRequest: WireRequest {
    /// The public half of the key, of P-256.
    public var publicKey: JWK
    /// An assertion by the device and its PIN, for ``AssertionPurpose/biometric`` over this key.
    public var assertion: SignedAssertion
    /// What the platform says about the app or the key, over the assertion's nonce.
    public var attestation: AttestationStatement?

    /// Creates a request.
    /// - Parameters:
    ///   - publicKey: the public half of the key, of P-256.
    ///   - assertion: the assertion by the device and its PIN.
    ///   - attestation: what the platform says about the app or the key.
    public init(publicKey: JWK, assertion: SignedAssertion, attestation: AttestationStatement? = nil) {
        self.publicKey = publicKey
        self.assertion = assertion
        self.attestation = attestation
    }

    enum CodingKeys: String, CodingKey {
        case publicKey
        case assertion = "pinAssertion"
        case attestation
    }
}
