import AuthFlows
import AuthTokens
import Hummingbird
import WalletAuthWire

/// `POST /oauth2/token` (RFC 6749 §3.2).
///
/// The folder owns the OAuth endpoints that take or return tokens. Tokens are issued in AuthTokens and checked in AuthCallers.
struct TokenEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let proof = try request.proof()
        let outcome = try await server.tokens.token(
            TokenRequest(form: request.form(), authorization: request.authorization()), proof: proof,
            origin: request.origin)
        var response: Response
        switch outcome {
        case .issued(let tokens): response = .bytes(type: "application/json", tokens.bytes)
        case .refused(let refusal): response = .refusal(refusal)
        }
        response.offerNonce(server, answering: proof)
        return response
    }
}
