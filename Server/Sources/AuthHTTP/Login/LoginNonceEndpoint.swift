import AuthCore
import AuthFlows
import Hummingbird
import WalletAuthWire

/// `POST /v1/login-nonces`: a backend has a one-time token issued by which its person's app signs in.
struct LoginNonceEndpoint: Sendable {
    let server: AuthorizationServer
    let faults: FaultAnswers

    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        let call = try request.call()
        var response = try await answer(to: request, call: call)
        response.offerNonce(server, answering: call.proof)
        return response
    }

    private func answer(to request: EndpointRequest, call: PresentedCall) async throws -> Response {
        guard call.authorization != nil else { return .tokenMissing() }
        switch try await server.loginNonces.issue(LoginNonceRequest(request.json()), call: call) {
        case .success(let nonce): return .bytes(type: "application/json", nonce.json.bytes)
        case .failure(.unauthorized(let refusal)): return .challenge(refusal, to: request.context.scheme)
        case .failure(.accountNotFound):
            return faults.problem(
                .notFound, code: "account_not_found", detail: "Your brand has no such account.", request.context)
        case .failure(.clientNotFound):
            return faults.problem(
                .badRequest, code: "client_not_allowed",
                detail: "clientId is not a first-party app of your brand.", request.context)
        }
    }
}
