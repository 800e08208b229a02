import HTTPTypes
import Operations
import WalletAuthWire
import Web

/// Discovery documents and public keys. The metadata does not change while the server runs, so it is serialized once.
struct MetadataEndpoints: Sendable {
    private let discovery: Discovery
    private let issuer: Issuer
    private let metadata: [UInt8]
    private static let keySetType = "application/jwk-set+json"

    init(discovery: Discovery, issuer: Issuer) {
        self.discovery = discovery
        self.issuer = issuer
        metadata = discovery.metadata().json.bytes
    }

    /// `GET /.well-known/openid-configuration` and `/.well-known/oauth-authorization-server`.
    @Sendable func document(_ request: EndpointRequest) async throws -> EndpointResponse {
        EndpointResponse(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
            body: metadata)
    }

    /// `GET /.well-known/apple-app-site-association`: with it, iOS opens links to transactions in the app instead of
    /// the browser.
    @Sendable func associatedApps(_ request: EndpointRequest) async throws -> EndpointResponse {
        var component = JSONObject()
        component.set("/", issuer.pathPrefix + "/t/*")
        var detail = JSONObject()
        detail["appIDs"] = .strings(try await discovery.associatedApps())
        detail["components"] = .array([.object(component)])
        var links = JSONObject()
        links["details"] = .array([.object(detail)])
        var document = JSONObject()
        document["applinks"] = .object(links)
        var response = EndpointResponse.bytes(type: "application/json", document.bytes)
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }

    /// `GET /.well-known/jwks.json`. How long a key is published before it signs limits how long the answer may be
    /// cached.
    @Sendable func keys(_ request: EndpointRequest) async throws -> EndpointResponse {
        let (set, maximumAge) = try await discovery.keySet()
        var response = EndpointResponse.bytes(type: Self.keySetType, set.json.bytes)
        response.headers[.cacheControl] = "public, max-age=\(maximumAge)"
        return response
    }
}

extension MetadataEndpoints {
    var routes: [Route] {
        [
            metadata(
                at: Endpoints.oauthMetadata.path, "getOAuthMetadata", "Describes the authorization server (RFC 8414)"),
            metadata(
                at: Endpoints.openIDConfiguration.path, "getOpenIDConfiguration",
                "Describes the OpenID provider (OpenID Connect Discovery)"),
            Route(.get, Endpoints.keys.path, .plain, from: .any, keys)
                .stating(.discovery, "getKeys", "Returns the public keys that verify tokens") {
                    Contract(
                        "The keys", as: Self.keySetType,
                        gives: .answer(JWKSet.self, [.required("keys", .array(.names(.anything)))])
                    )
                },
            Route(.get, Endpoints.appleAppSiteAssociation.path, .plain, associatedApps)
                .stating(.discovery, "getAppleAppSiteAssociation", "Lists the apps that open this site's links") {
                    Contract(
                        "Apple's format",
                        gives: .object(
                            WireObject(
                                name: "AppleAppSiteAssociation", members: [.required("applinks", .names(.anything))],
                                isOpen: true)))
                },
        ] + atIssuerPath
    }

    /// RFC 8414 §3.1 puts the path of an issuer after the well-known part.
    private var atIssuerPath: [Route] {
        guard !issuer.pathPrefix.isEmpty else { return [] }
        let path = Endpoints.oauthMetadata.path + issuer.pathPrefix
        return [Route(.get, path, .problem, from: .any, document)]
    }

    private func metadata(at path: String, _ id: String, _ summary: String) -> Route {
        Route(.get, path, .problem, from: .any, document).stating(.discovery, id, summary) {
            Contract("The metadata", gives: ServerMetadata.shape)
        }
    }
}
