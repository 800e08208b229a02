import AuthAccount
import AuthCallers
import AuthCore
import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `/v1/account/…`: the factors of an account, for the holder's app.
///
/// The folder owns the requests about an account's factors, from apps and from the account page. The sign-in before
/// that page is in `Authorization`; the page itself is in `Pages`.
struct AccountFactorEndpoints: Sendable {
    let server: AuthorizationServer
    let answers: AccountFactorAnswers

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        .bytes(type: "application/json", try await server.security.factors(call: call).json.bytes)
    }

    @Sendable func beginAuthenticator(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.beginAuthenticator(call: call)
        return answers.response(to: outcome, request) { .bytes(.created, type: "application/json", $0.json.bytes) }
    }

    @Sendable func confirmAuthenticator(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.confirmAuthenticator(
            AuthenticatorConfirmation(request.json()), call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func removeAuthenticator(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.removeAuthenticator(call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func makeRecoveryCodes(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.makeRecoveryCodes(call: call)
        return answers.response(to: outcome, request) { .bytes(.created, type: "application/json", $0.json.bytes) }
    }

    @Sendable func secretQuestions(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.secretQuestions(call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func setSecretQuestions(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.setSecretQuestions(
            SecretQuestionChoice(request.json()), call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func changePassword(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.security.changePassword(
            PasswordChangeRequest(request.json()), call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }
}
