import AuthCallers
import AuthCore
import AuthFlows
import AuthTokens
import Hummingbird
import WalletAuthWire

/// `GET|POST /oauth2/userinfo` (OpenID Connect Core §5.3). The token is in the `Authorization` header, or in a form as
/// a bearer token (RFC 6750 §2.2). It is never in the URL, which would be logged.
struct UserInfoEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func answer(_ request: EndpointRequest) async throws -> Response {
        let proof = try request.proof()
        let token: PresentedAccessToken?
        // A token in a form is a bearer token.
        let scheme = request.context.scheme ?? .bearer
        do {
            token = try Self.token(of: request)
        } catch is MalformedValue { return .challenge(.invalidToken, to: scheme) }
        guard let token else { return .tokenMissing() }
        let outcome = try await server.tokens.userInfo(token, proof: proof, origin: request.origin)
        var response: Response
        switch outcome {
        case .claims(let claims): response = .bytes(type: "application/json", claims.claims.bytes)
        case .refused(let refusal): response = .challenge(refusal, to: scheme)
        }
        response.offerNonce(server, answering: proof)
        return response
    }

    private static func token(of request: EndpointRequest) throws -> PresentedAccessToken? {
        let posted = try request.form()["access_token"]
        let header = try request.accessToken()
        guard let posted else { return header }
        // One method per request (RFC 6750 §2). With two tokens, the check could use one and the handler the other.
        guard header == nil else { throw RequestFault.malformed("The token appears in both the header and the form.") }
        return .bearer(try AccessToken(posted))
    }
}
