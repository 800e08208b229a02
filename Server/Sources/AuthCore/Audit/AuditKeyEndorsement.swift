package import WalletAuthWire

/// A statement in which an audit key vouches for its successor.
package struct AuditKeyEndorsement: Sendable, Hashable {
    package var issuer: String
    /// In whole seconds.
    package var issuedAt: Timestamp
    /// The public half of the key that signs checkpoints from now on.
    package var key: JWK

    package init(issuer: String, issuedAt: Timestamp, key: JWK) {
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.key = key
    }

    /// The `typ` header (RFC 8725 §3.11).
    package static let type = JWSType("walletauth-audit-key+jwt")

    var json: JSONObject {
        var json = JSONObject()
        json.set("iss", issuer)
        json.set("iat", issuedAt.seconds)
        json["key"] = .object(key.json)
        return json
    }

    init(_ json: JSONObject) throws {
        issuer = try json.required("iss", try json.string("iss"))
        issuedAt = Timestamp(seconds: try json.required("iat", try json.integer("iat")))
        key = try JWK(json.required("key", json["key"]?.object))
    }
}
