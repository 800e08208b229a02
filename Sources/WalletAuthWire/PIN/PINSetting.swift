/// The end of setting or changing a PIN (`PUT /v1/devices/{id}/pin`): the public half of the new PIN key, and the assertion
/// that it signs along with the device's key and, where a PIN is changed, the old one.
public struct PINSettingRequest: Hashable, Sendable {
    /// The public half of the new PIN key. It is kept like a secret: beside the server's keys and a stolen device it tells
    /// whether a PIN is the right one.
    public var publicKey: JWK
    /// The assertion, for ``AssertionPurpose/enroll`` or ``AssertionPurpose/pinChange``.
    public var assertion: SignedAssertion

    /// Makes a request.
    /// - Parameters:
    ///   - publicKey: the public half of the new PIN key, of P-256.
    ///   - assertion: the assertion.
    public init(publicKey: JWK, assertion: SignedAssertion) {
        self.publicKey = publicKey
        self.assertion = assertion
    }

    /// Reads a request.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["publicKey", "assertion"])
        publicKey = try object.p256Key("publicKey")
        assertion = try object.required("assertion", object.secret("assertion"))
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object["publicKey"] = .object(publicKey.publicMembers)
        object.set("assertion", assertion.reveal())
        return object
    }
}

/// The answer: the PIN is in use.
public struct PINSettingResponse: Hashable, Sendable {
    /// The epoch that is in use from now on.
    public var epoch: PINEpoch

    /// Makes an answer.
    /// - Parameter epoch: the epoch that is in use from now on.
    public init(epoch: PINEpoch) { self.epoch = epoch }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        epoch = try object.required("epoch", object.epoch("epoch"))
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("epoch", Int64(epoch.number))
        return object
    }
}
