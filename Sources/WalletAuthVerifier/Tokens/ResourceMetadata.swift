public import WalletAuthWire

/// What clients can learn of a protected resource before their first request (RFC 9728), in addition to what its verifier knows.
public struct ResourceMetadata: Hashable, Sendable {
    /// The scopes of this backend's requirements; empty leaves them out.
    public var scopes: Scope
    /// Whether every token must be bound to a key, as with ``AccessRequirement/Binding/proofOfPossession`` in all requirements.
    public var requiresProofOfPossession: Bool
    /// Its name for people.
    public var name: String?

    /// Creates metadata. Each parameter sets the property of the same name.
    public init(scopes: Scope = .none, requiresProofOfPossession: Bool = false, name: String? = nil) {
        self.scopes = scopes
        self.requiresProofOfPossession = requiresProofOfPossession
        self.name = name
    }
}

/// The metadata document of a protected resource (RFC 9728), which it serves at ``path`` with status 200 to everyone.
public struct ResourceMetadataDocument: Hashable, Sendable {
    /// Its URL, which challenges name as `resource_metadata`.
    public let url: String
    /// The path in ``url``. It begins at the host: a backend that is reached below a path has its proxy forward this one too.
    public let path: String
    /// The header fields of the response.
    public let headers = [
        HeaderField("Content-Type", "application/json"), HeaderField("Cache-Control", "public, max-age=300"),
    ]
    /// The body's members.
    public let json: JSONObject

    /// The body in UTF-8.
    public var body: [UInt8] { json.bytes }

    private static let wellKnown = "/.well-known/oauth-protected-resource"

    /// - Returns: `nil` if the resource is no URL of this backend's own host: a client compares it with the URL that it called (RFC 9728
    ///   §3.3).
    init?(_ metadata: ResourceMetadata, of resource: String, at externalURL: WebURL, issuer: Issuer) {
        guard let identifier = try? WebURL(resource), !resource.contains("?") else { return nil }
        let (origin, path) = Self.parts(of: identifier)
        guard origin == Self.parts(of: externalURL).origin else { return nil }
        // A slash that ends the host is none of the path (RFC 9728 §3.1).
        self.path = Self.wellKnown + (path == "/" ? "" : path)
        url = origin + self.path
        var json = JSONObject()
        json.set("resource", resource)
        json.set("authorization_servers", [issuer.rawValue])
        if !metadata.scopes.isEmpty { json.set("scopes_supported", metadata.scopes.tokens) }
        json.set("bearer_methods_supported", ["header"])
        json.set("resource_name", metadata.name)
        json.set("dpop_signing_alg_values_supported", DPoPProof.algorithmNames)
        json["dpop_bound_access_tokens_required"] = .bool(metadata.requiresProofOfPossession)
        self.json = json
    }

    private static func parts(of url: WebURL) -> (origin: String, path: String) {
        let parts = url.rawValue.prefix { $0 != "?" }
            .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return (parts.prefix(3).joined(separator: "/"), parts.count > 3 ? "/" + parts[3] : "")
    }
}
