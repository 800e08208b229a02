/// An enrolled device as its owner sees it.
public struct EnrolledDevice: WireMessage {
    /// The state of the device.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// May sign in.
        case active
        /// Suspended by an operator for a while.
        case suspended
        /// Deactivated after too many failures on it, or by an operator.
        case deactivated
    }

    /// Its id.
    public var id: DeviceID
    /// The owner's name for it.
    public var name: DeviceName
    /// Its platform.
    public var platform: DevicePlatform
    /// Its state.
    public var state: State
    /// Whether it is the device making the request.
    public var isCurrent: Bool
    /// Whether its installation has yet to confirm a code (`POST /v1/devices/{id}/verification`).
    public var awaitsVerification: Bool
    /// Whether it has a PIN that is neither locked nor pending.
    public var hasPIN: Bool
    /// Whether it has a biometric key.
    public var hasBiometricKey: Bool
    /// Whether push messages can reach it.
    public var hasPushAddress: Bool
    /// When it was enrolled.
    public var createdAt: NumericDate
    /// Until when lower limits apply, because it is new.
    public var coolingUntil: NumericDate
    /// When it last signed in.
    public var lastUsedAt: NumericDate

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        id: DeviceID, name: DeviceName, platform: DevicePlatform, state: State, isCurrent: Bool,
        awaitsVerification: Bool, hasPIN: Bool, hasBiometricKey: Bool, hasPushAddress: Bool, createdAt: NumericDate,
        coolingUntil: NumericDate, lastUsedAt: NumericDate
    ) {
        self.id = id
        self.name = name
        self.platform = platform
        self.state = state
        self.isCurrent = isCurrent
        self.awaitsVerification = awaitsVerification
        self.hasPIN = hasPIN
        self.hasBiometricKey = hasBiometricKey
        self.hasPushAddress = hasPushAddress
        self.createdAt = createdAt
        self.coolingUntil = coolingUntil
        self.lastUsedAt = lastUsedAt
    }

    enum CodingKeys: String, CodingKey {
        case id = "deviceId"
        case name, platform, state
        case isCurrent = "current"
        case awaitsVerification
        case hasPIN = "pin"
        case hasBiometricKey = "biometricKey"
        case hasPushAddress = "push"
        case createdAt, coolingUntil, lastUsedAt
    }
}

/// The devices of an account (`GET /v1/devices`).
public struct EnrolledDeviceList: WireMessage {
    /// The devices, oldest first.
    public let devices: [EnrolledDevice]

    /// Creates a list.
    /// - Parameter devices: the devices, oldest first.
    public init(devices: [EnrolledDevice]) {
        self.devices = devices
    }
}
