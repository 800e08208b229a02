import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `POST /oauth2/par`: an authorization request from the client's own program (RFC 9126).
struct PushedRequestEndpoint: Sendable {
    let pushing: RequestPushing
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let (proof, form) = (try request.proof(), try request.form())
        let client = try ClientAuthentication(
            form: form, authorization: request.authorization(), attestation: request.clientAttestation())
        var response = Self.answer(
            to: try await pushing.push(form, from: client, proof: proof, origin: request.origin))
        response.offerNonce(proofs, answering: proof)
        return response
    }

    private static func answer(to outcome: RequestPushing.Outcome) -> EndpointResponse {
        switch outcome {
        case .pushed(let answer): return .bytes(.created, type: "application/json", answer.json.bytes)
        case .refused(let refusal): return .refusal(refusal)
        case .invalid(let error): return .error(error)
        case .held(let seconds):
            var response = EndpointResponse.error(
                OAuthError(.temporarilyUnavailable, "too many requests from this network"))
            response.status = .tooManyRequests
            response.headers[.retryAfter] = String(seconds)
            return response
        }
    }

    private static let refusals: [EndpointResponse] = {
        let clients = OAuthRefusal.ofProofs + [.clientAttestation(.otherKey), .clientAttestation(.expired)]
        let requests: [OAuthError.Code] = [
            .unsupportedResponseType, .invalidScope, .invalidTarget, .invalidAuthorizationDetails, .requestNotSupported,
            .invalidRequestObject,
            .unmetAuthenticationRequirements,
        ]
        let held = Self.answer(to: .held(retryAfter: 1))
        return clients.map { EndpointResponse.refusal($0) } + requests.map { EndpointResponse.error(OAuthError($0)) }
            + [held]
    }()
}

extension PushedRequestEndpoint {
    var routes: [Route] {
        [
            Route(.post, Endpoints.pushedRequests.path, body: .form, .oauth, from: .any, post).stating(
                .tokens, "pushAuthorizationRequest", "Takes an authorization request ahead of the browser"
            ) {
                Contract(
                    "The reference to the request", takes: AuthorizationRequest.shape, proves: .clientAndKey, .created,
                    gives: PushedAuthorizationResponse.shape, refuses: Self.refusals)
            }
        ]
    }
}
