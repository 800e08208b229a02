import AuthCore
import AuthFlows
import Hummingbird
import WalletAuthWire

/// `GET|POST /oauth2/userinfo` (OpenID Connect Core §5.3). The token stands in the `Authorization` header alone: in a URL
/// it would be logged, and in a form (RFC 6750 §2.2) it would make the endpoint one that a page can post to.
struct UserInfoEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func answer(_ request: EndpointRequest) async throws -> Response {
        let proof = try request.proof()
        let token: PresentedAccessToken?
        do { token = try request.accessToken() } catch is MalformedValue { return .challenge(.invalidToken) }
        guard let token else { return .tokenMissing() }
        let outcome = try await server.tokens.userInfo(token, proof: proof, origin: request.origin)
        var response: Response
        switch outcome {
        case .claims(let claims): response = .bytes(type: "application/json", claims.claims.bytes)
        case .refused(let refusal): response = .challenge(refusal)
        }
        if proof.header != nil { response.offerNonce(server) }
        return response
    }
}
