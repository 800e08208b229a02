/// Asks for a login nonce (`POST /v1/login-nonces`): by a confidential client's backend, for one of its brand's people.
public struct LoginNonceRequest: Hashable, Sendable {
    /// Whose sign-in it is to be.
    public enum Person: Hashable, Sendable {
        /// By the account's id.
        case account(AccountID)
        /// By a user name within the brand of the client that asks.
        case username(Username)
    }

    /// Whose sign-in it is to be.
    public var person: Person
    /// The app that may use the nonce.
    public var clientID: ClientID
    /// What for: the app names the same when it signs in.
    public var purpose: LoginPurpose
    /// The DPoP key that alone may use it (RFC 7638); nil where the backend does not know the app's key.
    public var keyThumbprint: JWKThumbprint?

    /// Asks.
    /// - Parameters:
    ///   - person: whose sign-in it is to be.
    ///   - clientID: the app that may use the nonce.
    ///   - purpose: what for.
    ///   - keyThumbprint: the DPoP key that alone may use it.
    public init(
        person: Person, clientID: ClientID, purpose: LoginPurpose = .login, keyThumbprint: JWKThumbprint? = nil
    ) {
        self.person = person
        self.clientID = clientID
        self.purpose = purpose
        self.keyThumbprint = keyThumbprint
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["accountId", "username", "clientId", "purpose", "keyThumbprint"])
        let account: AccountID? = try object.value("accountId")
        let username: Username? = try object.value("username")
        switch (account, username) {
        case (let account?, nil): person = .account(account)
        case (nil, let username?): person = .username(username)
        case (nil, nil): throw MalformedValue(field: "accountId", reason: "is missing, and username as well")
        case (_?, _?): throw MalformedValue(field: "username", reason: "is there beside accountId")
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

/// A login nonce for a backend to hand to its person's app.
public struct LoginNonceResponse: Hashable, Sendable {
    /// The nonce: it signs in once.
    public let nonce: LoginNonce
    /// For how many seconds it serves.
    public let expiresIn: Int64

    /// Makes an answer.
    /// - Parameters:
    ///   - nonce: the nonce.
    ///   - expiresIn: seconds.
    public init(nonce: LoginNonce, expiresIn: Int64) {
        self.nonce = nonce
        self.expiresIn = expiresIn
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        nonce = try object.required("nonce", object.secret("nonce"))
        expiresIn = try object.required("expiresIn", object.integer("expiresIn"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("nonce", nonce.reveal())
        object.set("expiresIn", expiresIn)
        return object
    }
}

/// What a login nonce is for, in its issuer's words: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
public struct LoginPurpose: WireValue {
    /// The word.
    public let rawValue: String

    /// What is meant where nobody says otherwise: `login`.
    public static let login = LoginPurpose(unchecked: "login")

    /// Checks a word.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.identifier(text, 1...64) { throw MalformedValue(field: "purpose", reason: reason) }
        rawValue = text
    }

    private init(unchecked text: String) { rawValue = text }
}
