import HTTPTypes
import Kernel
import Operations
import WalletAuthWire
import Web

/// Discovery documents and public keys. The metadata is serialized once: only one member of it changes while the server runs.
struct MetadataEndpoints: Sendable {
    private let discovery: Discovery
    private let issuer: Issuer
    private let metadata: [UInt8]
    private let metadataWithClientDocuments: [UInt8]
    private static let keySetType = "application/jwk-set+json"

    init(discovery: Discovery, issuer: Issuer) {
        self.discovery = discovery
        self.issuer = issuer
        metadata = discovery.metadata().json.bytes
        metadataWithClientDocuments = discovery.metadata(readsClientDocuments: true).json.bytes
    }

    /// `GET /.well-known/openid-configuration` and `/.well-known/oauth-authorization-server`.
    @Sendable func document(_ request: EndpointRequest) async throws -> EndpointResponse {
        // Clients need the rest also while the database is away.
        let readsClientDocuments = try? await discovery.associatedApps().letsInSelfDescribed
        return EndpointResponse(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
            body: readsClientDocuments == true ? metadataWithClientDocuments : metadata)
    }

    /// `GET /.well-known/apple-app-site-association`: with it, iOS opens links to transactions in the app instead of
    /// the browser, and lets the app use passkeys.
    @Sendable func associatedApps(_ request: EndpointRequest) async throws -> EndpointResponse {
        var component = JSONObject()
        component.set("/", issuer.pathPrefix + "/t/*")
        let apps = try await discovery.associatedApps().appleIDs
        var detail = JSONObject()
        detail["appIDs"] = .strings(apps)
        detail["components"] = .array([.object(component)])
        var links = JSONObject()
        links["details"] = .array([.object(detail)])
        var document = JSONObject()
        document["applinks"] = .object(links)
        document["webcredentials"] = ["apps": .strings(apps)]
        return association(.object(document))
    }

    /// `GET /.well-known/assetlinks.json`: with it, Android lets the apps use passkeys.
    @Sendable func assetLinks(_ request: EndpointRequest) async throws -> EndpointResponse {
        let apps = try await discovery.associatedApps().androidApps
        return association(
            .array(
                apps.map { app -> JSONValue in
                    [
                        "relation": ["delegate_permission/common.get_login_creds"],
                        "target": [
                            "namespace": "android_app", "package_name": .string(app.name),
                            "sha256_cert_fingerprints": [.string(app.fingerprint)],
                        ],
                    ]
                }))
    }

    /// `GET /.well-known/webauthn`: with it, browsers let pages of these origins use passkeys.
    @Sendable func relatedOrigins(_ request: EndpointRequest) async throws -> EndpointResponse {
        association(["origins": .strings(try await discovery.associatedApps().passkeyOrigins)])
    }

    private func association(_ document: JSONValue) -> EndpointResponse {
        var response = EndpointResponse.bytes(type: "application/json", Array(document.text.utf8))
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
                                name: "AppleAppSiteAssociation",
                                members: [
                                    .required("applinks", .names(.anything)),
                                    .required("webcredentials", .names(.anything)),
                                ], isOpen: true)))
                },
            Route(.get, Endpoints.assetLinks.path, .plain, assetLinks)
                .stating(.discovery, "getAssetLinks", "Lists the Android apps that may use this site's passkeys") {
                    Contract("Google's format", gives: .array(.names(.anything)))
                },
            Route(.get, Endpoints.relatedOrigins.path, .plain, relatedOrigins)
                .stating(.discovery, "getRelatedOrigins", "Lists the websites that may use this site's passkeys") {
                    Contract(
                        "The format of WebAuthn",
                        gives: .object(
                            WireObject(
                                name: "RelatedOrigins", members: [.required("origins", .array(.text(nil)))],
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
