/// Asks for what a passkey has to sign at an app's sign-in (`POST /v1/passkeys/options`): bound to this DPoP key, client and
/// sign-in. The answer is ``PasskeyRequestOptions``, the same for every person.
public struct PasskeyOptionsRequest: WireRequest {
    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the sign-in.
    public var codeChallenge: CodeChallenge

    /// Creates a value. Each parameter sets the property of the same name.
    public init(clientID: ClientID, codeChallenge: CodeChallenge) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge
    }
}

/// A passkey that the person's device has created (`POST /v1/account/passkeys`).
public struct PasskeyAddition: Hashable, Sendable {
    /// What the device responded.
    public var credential: PasskeyRegistrationResponse
    /// The holder's name for it; `nil` for the usual one.
    public var name: DeviceName?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(credential: PasskeyRegistrationResponse, name: DeviceName? = nil) {
        self.credential = credential
        self.name = name
    }

    /// Reads a request.
    /// - Parameter object: the body. Unknown members of the credential are ignored, because platforms add some.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        credential = try PasskeyRegistrationResponse(object.required("credential", object["credential"]?.object))
        name = try object.value("name")
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["credential"] = .object(credential.json)
        object.set("name", name)
        return object
    }
}

extension PasskeyAddition: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        PasskeyAddition.self, [.required("credential", .names(.anything)), .optional("name", .of(DeviceName.self))])
}

/// The server's identifier for a passkey of an account.
public struct PasskeyID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .uuid }

    /// The text.
    public let rawValue: String

    /// Validates an id.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "passkeyId") }
}
