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

    /// Who delivers push messages to the device.
    public enum Service: String, Hashable, Sendable, Codable, CaseIterable {
        /// Apple's push service.
        case apns
        /// Firebase Cloud Messaging.
        case fcm
    }

    /// The platform's token for this app on this device.
    public var token: PushToken
    /// The service that issued it.
    public var environment: Environment
    /// Who delivers the messages.
    public var service: Service

    /// Creates an address.
    /// - Parameters:
    ///   - token: the platform's token for this app on this device. Apple's is in hexadecimal.
    ///   - environment: the service that issued it. Firebase has only one, whatever is given.
    ///   - service: who delivers the messages.
    public init(token: PushToken, environment: Environment, service: Service = .apns) {
        self.token = token
        self.environment = environment
        self.service = service
    }

    /// Apple's push service.
    public static var defaults: [String: JSONValue] { ["service": "apns"] }

    /// Refuses a token that the service cannot have issued.
    public func validate() throws(MalformedValue) {
        guard service == .apns else { return }
        let text = token.reveal()
        guard (64...200).contains(text.utf8.count), text.utf8.count % 2 == 0,
            text.utf8.allSatisfy({ ASCII.hexValue($0) != nil })
        else {
            throw MalformedValue(field: SecretKinds.PushToken.field, reason: "is not 32 to 100 bytes in hexadecimal")
        }
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
