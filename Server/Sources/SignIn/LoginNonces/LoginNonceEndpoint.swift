import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `POST /v1/login-nonces`: issues a backend a one-time token that signs a person in to the app.
struct LoginNonceEndpoint: Sendable {
    let nonces: LoginNonceIssuer
    let faults: FaultAnswers

    @Sendable func post(_ request: EndpointRequest, _ call: BackendCaller) async throws -> EndpointResponse {
        switch try await nonces.issue(LoginNonceRequest(request.json()), call: call) {
        case .success(let nonce): .bytes(type: "application/json", nonce.json.bytes)
        case .failure(let refusal): answer(to: refusal, request.context)
        }
    }

    private func answer(to refusal: LoginNonceRefusal, _ context: RequestFacts) -> EndpointResponse {
        switch refusal {
        case .accountNotFound:
            faults.problem(.notFound, code: "account_not_found", detail: "Your brand has no such account.", context)
        case .clientNotFound:
            faults.problem(
                .badRequest, code: "client_not_allowed", detail: "clientId is not a first-party app of your brand.",
                context)
        }
    }
}

extension LoginNonceEndpoint {
    var routes: [Route] {
        [
            Route(
                .post, Endpoints.loginNonces.path, body: .json, .problem, by: .backend(LoginNonceIssuer.scope), post
            ).stating(.signIn, "createLoginNonce", "Issues a one-time token with which a person's app signs in") {
                Contract(
                    "The token", takes: LoginNonceRequest.shape, gives: LoginNonceResponse.shape,
                    refuses: [.accountNotFound, .clientNotFound].map { answer(to: $0, RequestFacts()) })
            }
        ]
    }
}
