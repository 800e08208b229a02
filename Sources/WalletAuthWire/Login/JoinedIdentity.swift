/// Who the holder of an account is at an identity provider (`GET /v1/account/federated-identities`).
public struct JoinedIdentity: Hashable, Sendable, Identifiable {
    /// What the server calls it.
    public var id: JoinedIdentityID
    /// The provider, as the operator named it when it was joined.
    public var provider: ProviderID
    /// When it was joined.
    public var joinedAt: NumericDate

    /// Each parameter is the property of its name.
    public init(id: JoinedIdentityID, provider: ProviderID, joinedAt: NumericDate) {
        self.id = id
        self.provider = provider
        self.joinedAt = joinedAt
    }

    /// Reads one.
    /// - Parameter object: the body, or a member of a list.
    public init(_ object: JSONObject) throws(MalformedValue) {
        id = try object.required("identityId", object.value("identityId"))
        provider = try object.required("provider", object.value("provider"))
        joinedAt = try object.required("joinedAt", object.date("joinedAt"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("identityId", id)
        object.set("provider", provider)
        object.set("joinedAt", joinedAt)
        return object
    }
}

/// The identities of an account, the oldest first.
public struct JoinedIdentityList: Hashable, Sendable {
    /// The identities.
    public var identities: [JoinedIdentity]

    /// - Parameter identities: the oldest first.
    public init(identities: [JoinedIdentity]) {
        self.identities = identities
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        identities = []
        for entry in try object.required("identities", object.objects("identities")) {
            identities.append(try JoinedIdentity(entry))
        }
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["identities"] = .array(identities.map { .object($0.json) })
        return object
    }
}

/// Joins an identity to the account that is signed in (`PUT /v1/account/federated-identities`): the `auth_session` that
/// `no_matching_guest` was answered with.
public struct IdentityJoining: Hashable, Sendable {
    /// The session of the federated sign-in.
    public var session: AuthSession

    /// - Parameter session: the session of the federated sign-in.
    public init(session: AuthSession) {
        self.session = session
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["authSession"])
        session = try object.required("authSession", object.secret("authSession"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("authSession", session.reveal())
        return object
    }
}

/// What the server calls an identity that is joined to an account: 32 bytes, base64url.
public struct JoinedIdentityID: WireValue {
    /// The text.
    public let rawValue: String

    /// Checks an id.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        guard Base64URL.decode(text)?.count == 32 else {
            throw MalformedValue(field: "identityId", reason: "is no identity's")
        }
        rawValue = text
    }
}
