import HTTPTypes
import WalletAuthWire
import Web

/// `GET /openapi.json`: the route table with the shapes of its messages, as OpenAPI 3.1.
struct OpenAPIEndpoint: Sendable {
    let document: OpenAPIDocument

    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        var response = EndpointResponse.bytes(type: "application/json", await document.bytes)
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }

    var routes: [Route] { [Route(.get, Endpoints.openAPI.path, .plain, from: .any, get)] }
}
