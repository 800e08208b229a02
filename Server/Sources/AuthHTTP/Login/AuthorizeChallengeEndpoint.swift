import AuthCore
import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `POST /oauth2/authorize-challenge`: native sign-in (OAuth 2.0 for First-Party Applications).
struct AuthorizeChallengeEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let proof = try request.proof()
        let outcome = try await server.nativeSignIn.challenge(
            AuthorizeChallengeRequest(form: request.form()), proof: proof, origin: request.origin)
        var response: Response
        switch outcome {
        case .authorized(let answer): response = .bytes(type: "application/json", answer.json.bytes)
        case .refused(let refusal): response = Self.answer(to: refusal, request.context)
        case .invalid(let refusal): response = .refusal(refusal)
        }
        if proof.header != nil { response.offerNonce(server) }
        return response
    }

    private static func answer(to refusal: SignInRefusal, _ context: ServerRequestContext) -> Response {
        var response = Response.json(HTTPResponse.Status(code: refusal.status)) {
            $0.member("error", refusal.error)
            $0.member("error_code", refusal.errorCode)
            $0.member("status_code", Int64(refusal.statusCode))
            $0.member("auth_session", refusal.session?.reveal())
            if case .passwordUnacceptable(_, let fault) = refusal { $0.member("password_fault", fault.rawValue) }
        }
        if refusal.status == 401 {
            // Every 401 says how to authenticate (RFC 9110 §15.5.2); here that is by the form, with a proof.
            response.headers[.wwwAuthenticate] = "DPoP algs=\"\(Response.proofAlgorithms)\""
        }
        if let seconds = refusal.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}
