import AuthFlows
import AuthTokens
import Hummingbird
import WalletAuthWire

/// `POST /oauth2/introspect` (RFC 7662).
struct IntrospectionEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let outcome = try await server.tokens.introspect(
            IntrospectionRequest(form: request.form(), authorization: request.authorization()), origin: request.origin)
        switch outcome {
        case .answered(let answer): return .bytes(type: "application/json", answer.json.bytes)
        case .refused(let refusal): return .refusal(refusal)
        }
    }
}
