import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `POST /oauth2/bc-authorize` (OpenID CIBA Core 1.0 §7).
struct BackchannelAuthenticationEndpoint: Sendable {
    let authentications: BackchannelAuthentications
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await authentications.begin(
            BackchannelAuthenticationRequest(form: request.form(), authorization: request.authorization()),
            proof: proof, origin: request.origin)
        var response: EndpointResponse
        switch outcome {
        case .success(let answer): response = .bytes(type: "application/json", answer.json.bytes)
        case .failure(let refusal): response = .refusal(refusal)
        }
        response.offerNonce(proofs, answering: proof)
        return response
    }

    var routes: [Route] {
        [
            Route(.post, Endpoints.backchannelAuthentication.path, body: .form, .oauth, post).stating(
                .tokens, "authenticateByBackchannel", "Has a person whom the client names sign in on their phone"
            ) {
                Contract(
                    "What to ask for tokens with", takes: BackchannelAuthenticationRequest.shape,
                    proves: .clientAndKey, gives: BackchannelAuthenticationResponse.shape,
                    refuses: OAuthRefusal.ofBackchannel.map { .refusal($0) })
            }
        ]
    }
}
