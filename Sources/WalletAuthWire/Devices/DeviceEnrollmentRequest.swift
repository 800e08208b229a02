/// Enrolls a device for the signed-in account (`POST /v1/devices`).
///
/// The session requires a fresh sign-in with two categories of factor. `proof` shows possession of the key, over a
/// challenge of purpose ``ChallengeRequest/Purpose/enroll``.
public struct DeviceEnrollmentRequest: WireRequest {
    /// The owner's name for the device.
    public var name: DeviceName
    /// The device's platform.
    public var platform: DevicePlatform
    /// The public half of its signing key, P-256.
    public var deviceKey: JWK
    /// The signed challenge.
    public var challengeID: ChallengeID
    /// The new key's signature over the challenge.
    public var proof: DeviceProof
    /// What the platform says about the app, over the challenge and the key.
    public var attestation: AttestationStatement?

    /// Creates a request.
    /// - Parameters:
    ///   - name: the owner's name for the device.
    ///   - platform: the device's platform.
    ///   - deviceKey: the public half of its signing key, P-256.
    ///   - challengeID: the signed challenge.
    ///   - proof: the new key's signature over the challenge.
    ///   - attestation: what the platform says about the app.
    public init(
        name: DeviceName, platform: DevicePlatform, deviceKey: JWK, challengeID: ChallengeID, proof: DeviceProof,
        attestation: AttestationStatement? = nil
    ) {
        self.name = name
        self.platform = platform
        self.deviceKey = deviceKey
        self.challengeID = challengeID
        self.proof = proof
        self.attestation = attestation
    }

    enum CodingKeys: String, CodingKey {
        case name, platform, deviceKey
        case challengeID = "challengeId"
        case proof, attestation
    }

    /// Refuses a name that cannot be displayed faithfully.
    public func validate() throws(MalformedValue) { try name.refuseIllegible() }
}

/// A person's name for a device: 1 to 64 characters on one line.
public struct DeviceName: WireValue {
    /// The form of its text.
    public static var form: TextForm { .printable(1...256) }

    /// The name.
    public let rawValue: String

    /// Validates a name.
    /// - Parameter text: 1 to 64 characters without control or bidirectional formatting characters, not only spaces.
    public init(_ text: String) throws(MalformedValue) {
        func refuse(_ reason: String) -> MalformedValue { MalformedValue(field: "name", reason: reason) }
        if let reason = TextRule.printable(text, 1...256) { throw refuse(reason) }
        guard text.count <= 64 else { throw refuse("is longer than 64 characters") }
        // It appears next to other devices and in messages, so it must not change the direction of surrounding text.
        guard text.unicodeScalars.allSatisfy({ !Self.isDirectional($0) }) else {
            throw refuse("has a character that changes the direction of text")
        }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { throw refuse("is empty") }
        rawValue = text
    }

    /// Refuses a new name that cannot be displayed faithfully (``ShownText/fault(in:)``). Existing names stay readable.
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

/// A device's platform: `ios`, `android`, `macos`, `linux`, optionally with a version (`ios/18.2`).
public struct DevicePlatform: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...64) }

    /// The platform.
    public let rawValue: String

    /// Validates a platform.
    /// - Parameter text: 1 to 64 visible ASCII characters.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "platform") }
}
