package import Core
package import Store
internal import WalletAuthWire

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
    /// An attester says whose key the DPoP proof is: each instance of the app authenticates as itself.
    case attestation = "attest_jwt_client_auth_dpop"

    /// The kind of client that it is for: an instance that is attested keeps no secret of the client.
    package var kind: ClientKind {
        switch self {
        case .none, .attestation: .public
        case .clientSecretBasic, .clientSecretPost, .privateKeyJWT: .confidential
        }
    }
}

/// A secret that was replaced. It is accepted next to its successor until its end, so that a backend can change without a gap.
package struct FormerSecret: Sendable, Hashable {
    /// SHA-256, as of the secret that replaced it.
    package var hash: [UInt8]
    package var endsAt: Timestamp

    package init(hash: [UInt8], endsAt: Timestamp) {
        self.hash = hash
        self.endsAt = endsAt
    }

    fileprivate init?(hash: [UInt8]?, endsAt: Timestamp?) {
        guard let hash, let endsAt else { return nil }
        self.init(hash: hash, endsAt: endsAt)
    }

    package func isAccepted(at now: Timestamp) -> Bool { now < endsAt }
}

/// A row of a client.
package struct ClientRecord: Sendable, Hashable {
    /// The `client_id`.
    package var id: String
    /// The brand whose accounts it signs in; `nil` for any.
    package var brandID: String?
    package var name: String
    /// The one of its method.
    package var kind: ClientKind
    package var authenticationMethod: RegisteredAuthenticationMethod
    /// SHA-256 of its secret of at least 128 bits, for the two methods that have one.
    package var secretHash: [UInt8]?
    /// A JWK set as JSON (RFC 7517 §5): the client's own, or its attester's.
    package var jwks: String?
    /// A JSON array of strings.
    package var redirectURIs: String
    /// The scopes it may request, space-separated.
    package var scopes: String
    /// Lifetimes and flags, as JSON (``ClientSettings``).
    package var settings: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    /// The secret before this one, as long as both are accepted, and afterwards until the next rotation.
    package var formerSecret: FormerSecret?

    package init(
        id: String, brandID: String?, name: String, kind: ClientKind,
        authenticationMethod: RegisteredAuthenticationMethod, secretHash: [UInt8]?, jwks: String?, redirectURIs: String,
        scopes: String, settings: String, createdAt: Timestamp, updatedAt: Timestamp,
        formerSecret: FormerSecret? = nil
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
        self.formerSecret = formerSecret
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, brandID, name, kind, authMethod, secretHash, jwks, redirectURIs, scopes, settings, createdAt, updatedAt
        case formerSecretHash, formerSecretEndsAt
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.text(.id), brandID: try row.optionalText(.brandID), name: try row.text(.name),
            kind: try row.name(.kind), authenticationMethod: try row.name(.authMethod),
            secretHash: try row.optionalBlob(.secretHash), jwks: try row.optionalText(.jwks),
            redirectURIs: try row.text(.redirectURIs), scopes: try row.text(.scopes),
            settings: try row.text(.settings), createdAt: try row.time(.createdAt),
            updatedAt: try row.time(.updatedAt),
            formerSecret: try FormerSecret(
                hash: row.optionalBlob(.formerSecretHash), endsAt: row.optionalTime(.formerSecretEndsAt)))
    }

    /// In the order of ``columns``.
    var values: [SQLValue] {
        [
            .text(id), .optional(brandID), .text(name), .name(kind), .name(authenticationMethod),
            .optional(secretHash), .optional(jwks), .text(redirectURIs), .text(scopes), .text(settings),
            .time(createdAt), .time(updatedAt), .optional(formerSecret?.hash),
            formerSecret.map { .time($0.endsAt) } ?? .null,
        ]
    }
}

/// Reads and writes clients. It owns the `clients` table.
///
/// A deleted client keeps its row: sessions and the audit log refer to it, and its id is never reused.
package enum Clients {
    /// Registers a client.
    /// - Returns: `false` if the id is or was taken; nothing was written then.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/constraint`` if its brand does not exist or
    ///   its kind, method and secret do not match.
    package static func create(_ client: ClientRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO clients (\(ClientRecord.columns), state)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'active') ON CONFLICT (id) DO NOTHING
            """, client.values) == 1
    }

    /// Finds a client that was not deleted, with one point read.
    package static func find(_ id: String, on connection: any SQLConnection) throws -> ClientRecord? {
        try connection.row(
            "SELECT \(ClientRecord.columns) FROM clients WHERE id = $1 AND state = 'active'", [.text(id)]
        ).map(ClientRecord.init)
    }

    /// Whether a client exists and was not deleted, with one point read.
    package static func isRegistered(_ id: String, on connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM clients WHERE id = $1 AND state = 'active'", [.text(id)]) != nil
    }

    /// Whether a client that was not deleted may request a scope. It reads all clients.
    package static func areAnyRegistered(forScope token: String, on connection: any SQLConnection) throws -> Bool {
        // Without LIKE, for which `_` is any letter and, in one engine, case does not count.
        try connection.row(
            """
            SELECT 1 FROM clients
            WHERE state = 'active' AND REPLACE(' ' || scopes || ' ', $1, '') <> ' ' || scopes || ' ' LIMIT 1
            """, [.text(" \(token) ")]) != nil
    }

    /// The clients whose codes this one redeems. It reads all that name a redeemer.
    package static func redeemed(by id: String, on connection: any SQLConnection) throws -> [RegisteredClient] {
        try connection.query(
            "SELECT \(ClientRecord.columns) FROM clients WHERE state = 'active' AND settings LIKE '%\"redeemer\":%'", []
        ).map { try RegisteredClient(ClientRecord($0)) }.filter { $0.redeemer?.rawValue == id }
    }

    /// The public clients of the operator's own. One whose row is damaged is left out: the advice that others are compared for must not
    /// depend on it.
    package static func ownApps(on connection: any SQLConnection) throws -> [RegisteredClient] {
        try connection.query(
            """
            SELECT \(ClientRecord.columns) FROM clients
            WHERE state = 'active' AND kind = 'public' AND settings LIKE '%"firstParty":true%'
            """, []
        ).compactMap { try? RegisteredClient(ClientRecord($0)) }
    }

    /// A page of clients after the given id, in the order of ids.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [ClientRecord] {
        try connection.query(
            """
            SELECT \(ClientRecord.columns) FROM clients WHERE id > $1 AND state = 'active' ORDER BY id LIMIT $2
            """, [.text(after), .integer(Int64(limit))]
        ).map(ClientRecord.init)
    }

    /// Replaces everything about a client except its id and its time of creation.
    /// - Parameter seen: the `updatedAt` that the change is based on; another one in the row refuses it.
    /// - Returns: whether the row was still the one that was seen.
    package static func update(
        _ client: ClientRecord, seen: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE clients SET brand_id = $2, name = $3, kind = $4, auth_method = $5, secret_hash = $6, jwks = $7,
                redirect_uris = $8, scopes = $9, settings = $10, updated_at = $12,
                former_secret_hash = $13, former_secret_ends_at = $14
            WHERE id = $1 AND state = 'active' AND created_at = $11 AND updated_at = $15
            """, client.values + [.time(seen)]) == 1
    }

    /// Deletes a client and its installations at merchants. From then on no session of it is
    /// living; their rows remain.
    /// - Returns: whether it existed.
    package static func delete(_ id: String, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        let deleted = try connection.execute(
            "UPDATE clients SET state = 'deleted', updated_at = $2 WHERE id = $1 AND state = 'active'",
            [.text(id), .time(now)])
        guard deleted == 1 else { return false }
        try connection.execute("DELETE FROM merchant_clients WHERE client_id = $1", [.text(id)])
        return true
    }
}
