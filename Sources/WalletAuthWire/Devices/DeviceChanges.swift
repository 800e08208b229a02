/// Gives a device another name (`PATCH /v1/devices/{deviceId}`).
public struct DeviceRenaming: Hashable, Sendable {
    /// What its holder calls it from now on.
    public var name: DeviceName

    /// - Parameter name: what its holder calls it from now on.
    public init(name: DeviceName) {
        self.name = name
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["name"])
        name = try object.required("name", object.value("name"))
        try name.refuseIllegible()
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("name", name)
        return object
    }
}

/// Tells where push messages to a device go (`PUT /v1/devices/{deviceId}/push`).
public struct PushAddress: Hashable, Sendable {
    /// Which of the platform's push services made the token.
    public enum Environment: String, Hashable, Sendable, Codable {
        /// For apps under development.
        case sandbox
        /// For apps that people use.
        case production
    }

    /// The platform's token for this app on this device.
    public var token: PushToken
    /// Which service made it.
    public var environment: Environment

    /// Makes an address.
    /// - Parameters:
    ///   - token: the platform's token for this app on this device.
    ///   - environment: which service made it.
    public init(token: PushToken, environment: Environment) {
        self.token = token
        self.environment = environment
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["token", "environment"])
        token = try object.required("token", object.secret("token"))
        guard
            let environment = Environment(rawValue: try object.required("environment", object.string("environment")))
        else { throw MalformedValue(field: "environment", reason: "is neither sandbox nor production") }
        self.environment = environment
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("token", token.reveal())
        object.set("environment", environment.rawValue)
        return object
    }
}

/// Confirms an installation of the app by the code that was sent to its holder (`POST /v1/devices/{deviceId}/verification`).
public enum DeviceVerification: Hashable, Sendable {
    /// The code, as typed.
    case code(OneTimeCode)
    /// Have it sent again.
    case resend

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["code", "resend"])
        let code: OneTimeCode? = try object.secret("code")
        switch (code, object["resend"]) {
        case (let code?, nil): self = .code(code)
        case (nil, .bool(true)?): self = .resend
        default: throw MalformedValue(field: "code", reason: "and resend: exactly one of them has to be there")
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
