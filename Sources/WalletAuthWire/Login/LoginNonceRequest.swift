/// A request for a login nonce (`POST /v1/login-nonces`): by a confidential client's backend, for a person of its
/// brand.
public struct LoginNonceRequest: Hashable, Sendable {
    /// The person who will sign in.
    public enum Person: Hashable, Sendable {
        /// By the account's id.
        case account(AccountID)
        /// By a user name in the brand of the requesting client.
        case username(Username)
    }

    /// The person who will sign in.
    public var person: Person
    /// The app that may use the nonce.
    public var clientID: ClientID
    /// The purpose; the app names the same one when it signs in.
    public var purpose: LoginPurpose
    /// The only DPoP key that may use it (RFC 7638); nil if the backend does not know the app's key.
    public var keyThumbprint: JWKThumbprint?

    /// Creates a request.
    /// - Parameters:
    ///   - person: the person who will sign in.
    ///   - clientID: the app that may use the nonce.
    ///   - purpose: the purpose.
    ///   - keyThumbprint: the only DPoP key that may use it.
    public init(
        person: Person, clientID: ClientID, purpose: LoginPurpose = .login, keyThumbprint: JWKThumbprint? = nil
    ) {
        self.person = person
        self.clientID = clientID
        self.purpose = purpose
        self.keyThumbprint = keyThumbprint
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        let account: AccountID? = try object.value("accountId")
        let username: Username? = try object.value("username")
        switch (account, username) {
        case (let account?, nil): person = .account(account)
        case (nil, let username?): person = .username(username)
        case (nil, nil): throw MalformedValue(field: "accountId", reason: "is missing, and so is username")
        case (_?, _?): throw MalformedValue(field: "username", reason: "is not allowed together with accountId")
        }
        clientID = try object.required("clientId", object.value("clientId"))
        purpose = try object.value("purpose") ?? .login
        keyThumbprint = try object.value("keyThumbprint")
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        switch person {
        case .account(let id): object.set("accountId", id)
        case .username(let name): object.set("username", name)
        }
        object.set("clientId", clientID)
        object.set("purpose", purpose)
        object.set("keyThumbprint", keyThumbprint)
        return object
    }
}

/// A login nonce, for a backend to pass to its person's app.
public struct LoginNonceResponse: WireMessage {
    /// The nonce; it signs in once.
    public let nonce: LoginNonce
    /// The validity in seconds.
    public let expiresIn: Int64

    /// Creates an answer.
    /// - Parameters:
    ///   - nonce: the nonce.
    ///   - expiresIn: seconds.
    public init(nonce: LoginNonce, expiresIn: Int64) {
        self.nonce = nonce
        self.expiresIn = expiresIn
    }
}

/// The purpose of a login nonce, chosen by its issuer: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
public struct LoginPurpose: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The word.
    public let rawValue: String

    /// The default: `login`.
    public static let login = LoginPurpose(unchecked: "login")

    /// Validates a word.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "purpose") }

    private init(unchecked text: String) { rawValue = text }
}

extension LoginNonceRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        LoginNonceRequest.self,
        [
            .optional("accountId", .of(AccountID.self)), .optional("username", .of(Username.self)),
            .required("clientId", .of(ClientID.self)), .optional("purpose", .of(LoginPurpose.self)),
            .optional("keyThumbprint", .of(JWKThumbprint.self)),
        ])
}
