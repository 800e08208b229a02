/// Completes setting or changing a PIN (`PUT /v1/devices/{id}/pin`): the public half of the new PIN key, and an
/// assertion signed by it, by the device's key and, for a change, by the old PIN key.
public struct PINSettingRequest: Hashable, Sendable {
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

    /// Reads a request.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
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

/// The answer: the PIN is active.
public struct PINSettingResponse: Hashable, Sendable {
    /// The epoch that is now active.
    public var epoch: PINEpoch

    /// Creates an answer.
    /// - Parameter epoch: the epoch that is now active.
    public init(epoch: PINEpoch) { self.epoch = epoch }

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
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
