import Core
import FlowSupport
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

extension TestClient {
    /// Pushes an authorization request.
    func push(
        _ form: FormParameters, as presented: ClientAuthentication? = nil, proof: TestKey? = nil,
        from origin: RequestOrigin = TestServer.origin
    ) async throws -> RequestPushing.Outcome {
        let path = Endpoints.pushedRequests.path
        let proof = try proof.map { try $0.present(to: server, at: path) }
        return try await server.flows.signIn.pushing.push(
            form, from: presented ?? authentication,
            proof: proof ?? PresentedProof(header: nil, method: "POST", path: path), origin: origin)
    }

    /// What a browser brings after a request was pushed.
    func pushed(
        proof: TestKey? = nil, _ adjust: (inout [String: String?]) -> Void = { _ in }
    ) async throws -> FormParameters {
        try await push(request(adjust), proof: proof).response().form(of: id)
    }
}

extension RequestPushing.Outcome {
    /// The response of an outcome that has to be one.
    func response() throws -> PushedAuthorizationResponse {
        guard case .pushed(let response) = self else { throw NativeSignInOutcome.Unexpected(what: "\(self)") }
        return response
    }

    /// The code of a refusal; `nil` for none.
    var error: String? {
        switch self {
        case .pushed: nil
        case .refused(let refusal): refusal.code
        case .invalid(let error): error.code.rawValue
        case .held: "held"
        }
    }
}

extension PushedAuthorizationResponse {
    /// The parameters of the URL that a browser opens.
    func form(of client: ClientID) -> FormParameters {
        var form = FormParameters()
        form.append("client_id", client)
        form.append("request_uri", requestURI)
        return form
    }
}
