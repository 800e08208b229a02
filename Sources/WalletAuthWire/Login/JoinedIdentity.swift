/// An identity at a provider, linked to an account (`GET /v1/account/federated-identities`).
public struct JoinedIdentity: WireMessage, Identifiable {
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

    enum CodingKeys: String, CodingKey {
        case id = "identityId"
        case provider, joinedAt
    }
}

/// The identities of an account, oldest first.
public struct JoinedIdentityList: WireMessage {
    /// The identities.
    public var identities: [JoinedIdentity]

    /// Creates a list.
    /// - Parameter identities: the identities, oldest first.
    public init(identities: [JoinedIdentity]) {
        self.identities = identities
    }
}

/// Links an identity to the signed-in account (`PUT /v1/account/federated-identities`): contains the `auth_session` of
/// `no_matching_guest`.
public struct IdentityJoining: WireRequest {
    /// The session of the federated sign-in.
    public var session: AuthSession

    /// Creates a request.
    /// - Parameter session: the session of the federated sign-in.
    public init(session: AuthSession) {
        self.session = session
    }

    enum CodingKeys: String, CodingKey {
        case session = "authSession"
    }
}

/// The server's identifier for a linked identity: 32 bytes, base64url.
public struct JoinedIdentityID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .sha256 }

    /// The text.
    public let rawValue: String

    /// Validates an id.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
        rawValue = try Self.checked(text, "identityId")
    }
}
