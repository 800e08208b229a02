import AuthFlows
import Hummingbird
import WalletAuthWire

/// `POST /v1/accounts`: makes an account for somebody whom a provider knows, and goes on with the sign-in; it answers like
/// a step of the sign-in.
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
