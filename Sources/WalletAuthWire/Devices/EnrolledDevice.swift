/// An enrolled device as its owner sees it.
public struct EnrolledDevice: Hashable, Sendable {
    /// The state of the device.
    public enum State: String, Hashable, Sendable, Codable {
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

    /// Reads a device's JSON.
    /// - Parameter object: the answer, or one member of a list.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        func flag(_ name: String) throws(MalformedValue) -> Bool {
            guard case .bool(let value)? = object[name] else {
                throw MalformedValue(field: name, reason: "is not a boolean")
            }
            return value
        }
        func date(_ name: String) throws(MalformedValue) -> NumericDate {
            NumericDate(clamping: try object.required(name, object.integer(name)))
        }
        id = try object.required("deviceId", object.value("deviceId"))
        name = try object.required("name", object.value("name"))
        platform = try object.required("platform", object.value("platform"))
        guard let state = State(rawValue: try object.required("state", object.string("state"))) else {
            throw MalformedValue(field: "state", reason: "is not known")
        }
        self.state = state
        isCurrent = try flag("current")
        awaitsVerification = try flag("awaitsVerification")
        hasPIN = try flag("pin")
        hasBiometricKey = try flag("biometricKey")
        hasPushAddress = try flag("push")
        createdAt = try date("createdAt")
        coolingUntil = try date("coolingUntil")
        lastUsedAt = try date("lastUsedAt")
    }

    /// The device's JSON; times in seconds since 1970.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("deviceId", id)
        object.set("name", name)
        object.set("platform", platform)
        object.set("state", state.rawValue)
        object["current"] = .bool(isCurrent)
        object["awaitsVerification"] = .bool(awaitsVerification)
        object["pin"] = .bool(hasPIN)
        object["biometricKey"] = .bool(hasBiometricKey)
        object["push"] = .bool(hasPushAddress)
        object.set("createdAt", createdAt.secondsSince1970)
        object.set("coolingUntil", coolingUntil.secondsSince1970)
        object.set("lastUsedAt", lastUsedAt.secondsSince1970)
        return object
    }
}

/// The devices of an account (`GET /v1/devices`).
public struct EnrolledDeviceList: Hashable, Sendable {
    /// The devices, oldest first.
    public let devices: [EnrolledDevice]

    /// Creates a list.
    /// - Parameter devices: the devices, oldest first.
    public init(devices: [EnrolledDevice]) {
        self.devices = devices
    }

    /// Reads a list's JSON.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        var devices: [EnrolledDevice] = []
        for entry in try object.required("devices", object.objects("devices")) {
            devices.append(try EnrolledDevice(entry))
        }
        self.devices = devices
    }

    /// The list's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["devices"] = .array(devices.map { .object($0.json) })
        return object
    }
}
