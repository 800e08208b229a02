import AuthFlows
import AuthTokens
import Hummingbird
import WalletAuthWire

/// `POST /oauth2/revoke` (RFC 7009).
struct RevocationEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let outcome = try await server.tokens.revoke(
            RevocationRequest(form: request.form(), authorization: request.authorization()), origin: request.origin)
        switch outcome {
        case .done: return Response(status: .ok)
        case .refused(let refusal): return .refusal(refusal)
        }
    }
}
