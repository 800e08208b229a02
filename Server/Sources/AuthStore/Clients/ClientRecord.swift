package import AuthCore

/// Whether a client can keep a secret (RFC 6749 §2.1).
package enum ClientKind: String, Sendable, Codable, CaseIterable {
    case `public`
    case confidential
}

/// How a client authenticates at the token endpoint (RFC 7591 §2).
package enum RegisteredAuthenticationMethod: String, Sendable, Codable, CaseIterable {
    case none
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
}

/// A row of a client.
package struct ClientRecord: Sendable, Hashable {
    /// The `client_id`.
    package var id: String
    /// The brand whose accounts it signs in; `nil` for any.
    package var brandID: String?
    package var name: String
    /// A client is public if and only if its method is ``RegisteredAuthenticationMethod/none``.
    package var kind: ClientKind
    package var authenticationMethod: RegisteredAuthenticationMethod
    /// SHA-256 of its secret of at least 128 bits, for the two methods that have one.
    package var secretHash: [UInt8]?
    /// A JWK set as JSON (RFC 7517 §5).
    package var jwks: String?
    /// A JSON array of strings.
    package var redirectURIs: String
    /// The scopes it may request, space-separated.
    package var scopes: String
    /// Lifetimes and flags: JSON that AuthFoundation defines.
    package var settings: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String, brandID: String?, name: String, kind: ClientKind,
        authenticationMethod: RegisteredAuthenticationMethod, secretHash: [UInt8]?, jwks: String?, redirectURIs: String,
        scopes: String, settings: String, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.id = id
        self.brandID = brandID
        self.name = name
        self.kind = kind
        self.authenticationMethod = authenticationMethod
        self.secretHash = secretHash
        self.jwks = jwks
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.settings = settings
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, brand_id, name, kind, auth_method, secret_hash, jwks, redirect_uris, scopes, settings, created_at, updated_at
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.text(0), brandID: try row.optionalText(1), name: try row.text(2), kind: try row.name(3),
            authenticationMethod: try row.name(4), secretHash: try row.optionalBlob(5),
            jwks: try row.optionalText(6), redirectURIs: try row.text(7), scopes: try row.text(8),
            settings: try row.text(9), createdAt: try row.time(10), updatedAt: try row.time(11))
    }

    var values: [SQLValue] {
        [
            .text(id), .optional(brandID), .text(name), .name(kind), .name(authenticationMethod),
            .optional(secretHash), .optional(jwks), .text(redirectURIs), .text(scopes), .text(settings),
            .time(createdAt), .time(updatedAt),
        ]
    }
}
