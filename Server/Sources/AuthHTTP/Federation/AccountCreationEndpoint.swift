import AuthFlows
import AuthSignIn
import Hummingbird
import WalletAuthWire

/// `POST /v1/accounts`: creates an account for a person a provider has identified, and continues the sign-in. The
/// answer has the same format as a sign-in step.
struct AccountCreationEndpoint: Sendable {
    let server: AuthorizationServer

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let proof = try request.proof()
        let outcome = try await server.nativeSignIn.createAccount(
            AccountCreationRequest(request.json()), proof: proof, origin: request.origin)
        var response = AuthorizeChallengeEndpoint.answer(to: outcome)
        response.offerNonce(server, answering: proof)
        return response
    }
}
