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
        return .json(outcome.map(\.json.bytes), to: proof, by: proofs)
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
