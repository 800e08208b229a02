import Hummingbird
import Kernel
import Operations
import WalletAuthWire

/// Discovery documents and public keys. The metadata does not change while the server runs, so it is serialized once.
struct MetadataEndpoints: Sendable {
    private let server: AuthorizationServer
    private let metadata: ByteBuffer

    init(server: AuthorizationServer) {
        self.server = server
        metadata = ByteBuffer(bytes: server.discovery.metadata().json.bytes)
    }

    /// `GET /.well-known/openid-configuration` and `/.well-known/oauth-authorization-server`.
    @Sendable func document(_ request: EndpointRequest) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: metadata))
    }

    /// `GET /.well-known/apple-app-site-association`: with it, iOS opens links to transactions in the app instead of
    /// the browser.
    @Sendable func associatedApps(_ request: EndpointRequest) async throws -> Response {
        var component = JSONObject()
        component.set("/", server.context.settings.issuer.pathPrefix + "/t/*")
        var detail = JSONObject()
        detail["appIDs"] = .strings(try await server.discovery.associatedApps())
        detail["components"] = .array([.object(component)])
        var links = JSONObject()
        links["details"] = .array([.object(detail)])
        var document = JSONObject()
        document["applinks"] = .object(links)
        var response = Response.bytes(type: "application/json", document.bytes)
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }

    /// `GET /.well-known/jwks.json`. How long a key is published before it signs limits how long the answer may be
    /// cached.
    @Sendable func keys(_ request: EndpointRequest) async throws -> Response {
        let (set, maximumAge) = try await server.discovery.keySet()
        var response = Response.bytes(type: "application/jwk-set+json", set.json.bytes)
        response.headers[.cacheControl] = "public, max-age=\(maximumAge)"
        return response
    }
}
