/// An identity at a provider, linked to an account (`GET /v1/account/federated-identities`).
public struct JoinedIdentity: Hashable, Sendable, Identifiable {
    /// The server's identifier for it.
    public var id: JoinedIdentityID
    /// The operator's name for the provider at the time of linking.
    public var provider: ProviderID
    /// When it was linked.
    public var joinedAt: NumericDate

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: JoinedIdentityID, provider: ProviderID, joinedAt: NumericDate) {
        self.id = id
        self.provider = provider
        self.joinedAt = joinedAt
    }

    /// Reads one.
    /// - Parameter object: the body, or a member of a list.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
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

/// The identities of an account, oldest first.
public struct JoinedIdentityList: Hashable, Sendable {
    /// The identities.
    public var identities: [JoinedIdentity]

    /// Creates a list.
    /// - Parameter identities: the identities, oldest first.
    public init(identities: [JoinedIdentity]) {
        self.identities = identities
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
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

/// Links an identity to the signed-in account (`PUT /v1/account/federated-identities`): contains the `auth_session` of
/// `no_matching_guest`.
public struct IdentityJoining: Hashable, Sendable {
    /// The session of the federated sign-in.
    public var session: AuthSession

    /// Creates a request.
    /// - Parameter session: the session of the federated sign-in.
    public init(session: AuthSession) {
        self.session = session
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
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

/// The server's identifier for a linked identity: 32 bytes, base64url.
public struct JoinedIdentityID: WireValue {
    /// The text.
    public let rawValue: String

    /// Validates an id.
    /// - Parameter text: the received text.
    /// - Throws: ``MalformedValue`` with the rule that the text breaks.
    public init(_ text: String) throws(MalformedValue) {
        guard Base64URL.decode(text)?.count == 32 else {
            throw MalformedValue(field: "identityId", reason: "is not an identity's id")
        }
        rawValue = text
    }
}
