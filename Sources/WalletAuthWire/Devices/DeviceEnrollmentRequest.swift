/// Enrolls a device for the account that is signed in (`POST /v1/devices`).
///
/// The session has to stand on a fresh sign-in with two categories of factor; `proof` shows that whoever enrolls the key
/// holds it, over a challenge of purpose ``ChallengeRequest/Purpose/enroll``.
public struct DeviceEnrollmentRequest: Hashable, Sendable {
    /// What its holder calls it.
    public var name: DeviceName
    /// What it is.
    public var platform: DevicePlatform
    /// The public half of its signing key, P-256.
    public var deviceKey: JWK
    /// The challenge that was signed.
    public var challengeID: ChallengeID
    /// The new key's signature over the challenge.
    public var proof: DeviceProof

    /// Makes a request.
    /// - Parameters:
    ///   - name: what its holder calls it.
    ///   - platform: what it is.
    ///   - deviceKey: the public half of its signing key, P-256.
    ///   - challengeID: the challenge that was signed.
    ///   - proof: the new key's signature over the challenge.
    public init(
        name: DeviceName, platform: DevicePlatform, deviceKey: JWK, challengeID: ChallengeID, proof: DeviceProof
    ) {
        self.name = name
        self.platform = platform
        self.deviceKey = deviceKey
        self.challengeID = challengeID
        self.proof = proof
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["name", "platform", "deviceKey", "challengeId", "proof"])
        name = try object.required("name", object.value("name"))
        try name.refuseIllegible()
        platform = try object.required("platform", object.value("platform"))
        challengeID = try object.required("challengeId", object.value("challengeId"))
        proof = try object.required("proof", object.secret("proof"))
        guard let key = object["deviceKey"]?.object else {
            throw MalformedValue(field: "deviceKey", reason: object["deviceKey"] == nil ? "is missing" : "is no JWK")
        }
        do { deviceKey = try JWK(key) } catch { throw MalformedValue(field: "deviceKey", reason: "\(error)") }
        guard case .p256 = deviceKey.key else { throw MalformedValue(field: "deviceKey", reason: "is not P-256") }
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("name", name)
        object.set("platform", platform)
        object["deviceKey"] = .object(deviceKey.publicMembers)
        object.set("challengeId", challengeID)
        object.set("proof", proof.reveal())
        return object
    }
}

/// What a person calls a device: 1 to 64 characters on one line.
public struct DeviceName: WireValue {
    /// The name.
    public let rawValue: String

    /// Checks a name.
    /// - Parameter text: 1 to 64 characters without control or bidirectional formatting characters, not only spaces.
    public init(_ text: String) throws(MalformedValue) {
        func refuse(_ reason: String) -> MalformedValue { MalformedValue(field: "name", reason: reason) }
        if let reason = TextRule.printable(text, 1...256) { throw refuse(reason) }
        guard text.count <= 64 else { throw refuse("is longer than 64 characters") }
        // It is shown beside other devices and in messages: nothing in it may turn the text around it.
        guard text.unicodeScalars.allSatisfy({ !Self.isDirectional($0) }) else {
            throw refuse("has a character that changes the direction of text")
        }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { throw refuse("is empty") }
        rawValue = text
    }

    /// Refuses a new name that cannot be shown as it is (``ShownText/fault(in:)``). Names that were given before stay readable.
    func refuseIllegible() throws(MalformedValue) {
        if let reason = ShownText.fault(in: rawValue) { throw MalformedValue(field: "name", reason: reason) }
    }

    private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// What a device is: `ios`, `android`, `macos`, `linux`, with a version where the app tells it (`ios/18.2`).
public struct DevicePlatform: WireValue {
    /// The platform.
    public let rawValue: String

    /// Checks a platform.
    /// - Parameter text: 1 to 64 visible ASCII characters.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...64) { throw MalformedValue(field: "platform", reason: reason) }
        rawValue = text
    }
}
