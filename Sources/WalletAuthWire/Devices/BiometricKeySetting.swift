/// Registers a device's biometric key (`PUT /v1/devices/{id}/biometric-key`).
public struct BiometricKeyRequest: Hashable, Sendable {
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

    /// Reads a request. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["publicKey", "pinAssertion"])
        publicKey = try object.p256Key("publicKey")
        assertion = try object.required("pinAssertion", object.secret("pinAssertion"))
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object["publicKey"] = .object(publicKey.publicMembers)
        object.set("pinAssertion", assertion.reveal())
        return object
    }
}
