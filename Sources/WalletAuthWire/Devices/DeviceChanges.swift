/// Renames a device (`PATCH /v1/devices/{deviceId}`).
public struct DeviceRenaming: WireRequest {
    /// The new name.
    public var name: DeviceName

    /// Creates a request.
    /// - Parameter name: the new name.
    public init(name: DeviceName) {
        self.name = name
    }

    /// Refuses a name that cannot be displayed faithfully.
    public func validate() throws(MalformedValue) { try name.refuseIllegible() }
}

/// Registers a device's push token (`PUT /v1/devices/{deviceId}/push`).
public struct PushAddress: WireRequest {
    /// The platform's push service that issued the token.
    public enum Environment: String, Hashable, Sendable, Codable, CaseIterable {
        /// For apps in development.
        case sandbox
        /// For released apps.
        case production
    }

    /// The platform's token for this app on this device.
    public var token: PushToken
    /// The service that issued it.
    public var environment: Environment

    /// Creates an address.
    /// - Parameters:
    ///   - token: the platform's token for this app on this device.
    ///   - environment: the service that issued it.
    public init(token: PushToken, environment: Environment) {
        self.token = token
        self.environment = environment
    }
}

/// Confirms an installation of the app with the code sent to its owner (`POST /v1/devices/{deviceId}/verification`).
public enum DeviceVerification: Hashable, Sendable {
    /// The code, as typed.
    case code(OneTimeCode)
    /// Requests the code again.
    case resend

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        let code: OneTimeCode? = try object.secret("code")
        switch (code, object["resend"]) {
        case (let code?, nil): self = .code(code)
        case (nil, .bool(true)?): self = .resend
        default: throw MalformedValue(field: "code", reason: "and resend: exactly one of them is required")
        }
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .code(let code): object.set("code", code.reveal())
        case .resend: object["resend"] = .bool(true)
        }
        return object
    }
}

extension DeviceVerification: WireShaped {
    /// Its members, of which a request has one.
    public static let shape = WireShape.request(
        DeviceVerification.self, [.optional("code", .of(OneTimeCode.self)), .optional("resend", .truth)])
}
