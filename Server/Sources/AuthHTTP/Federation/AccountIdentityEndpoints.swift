import AuthAccount
import AuthCallers
import AuthFlows
import Hummingbird
import WalletAuthWire

/// `/v1/account/federated-identities`: the provider identities of an account, for the holder's app.
struct AccountIdentityEndpoints: Sendable {
    let server: AuthorizationServer
    let answers: AccountFactorAnswers

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        .bytes(type: "application/json", try await server.identities.list(call: call).json.bytes)
    }

    @Sendable func join(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.identities.join(IdentityJoining(request.json()), call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func leave(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: JoinedIdentityID = try request.pathValue("identityId")
        let outcome = try await server.identities.leave(id, call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }
}
