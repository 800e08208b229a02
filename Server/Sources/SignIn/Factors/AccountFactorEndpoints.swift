import HTTPTypes
import WalletAuthWire
import Web

/// `/v1/account/…`: the factors of an account, for the holder's app.
struct AccountFactorEndpoints: Sendable {
    let security: AccountSecurity
    let answers: AccountFactorAnswers

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        .bytes(type: "application/json", try await security.factors(call: call).json.bytes)
    }

    @Sendable func beginAuthenticator(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await security.authenticatorApps.begin(call: call)
        return answers.response(to: outcome, request) { .bytes(.created, type: "application/json", $0.json.bytes) }
    }

    @Sendable func confirmAuthenticator(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse
    {
        let outcome = try await security.authenticatorApps.confirm(
            AuthenticatorConfirmation(request.json()).code, call: call)
        return answers.response(to: outcome, request) { _ in EndpointResponse(status: .noContent) }
    }

    @Sendable func removeAuthenticator(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await security.authenticatorApps.remove(call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func makeRecoveryCodes(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await security.recoveryCodes.make(call: call)
        return answers.response(to: outcome, request) {
            .bytes(.created, type: "application/json", $0.codes.json.bytes)
        }
    }

    @Sendable func secretQuestions(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await security.secretQuestions.catalog(call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func setSecretQuestions(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await security.secretQuestions.set(
            SecretQuestionChoice(request.json()), call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func changePassword(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await security.password.change(
            PasswordChangeRequest(request.json()), call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

/// Maps the refusals of the account's factor flows to responses.
struct AccountFactorAnswers: FlowAnswers {
    let faults: FaultAnswers

    func answer(to refusal: FactorRefusal, _ context: RequestFacts) -> EndpointResponse {
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> EndpointResponse {
            faults.problem(status, code: code, detail: detail, context)
        }
        func wait(_ status: HTTPResponse.Status, _ code: String, _ detail: String, _ seconds: Int64) -> EndpointResponse
        {
            faults.problem(status, code: code, detail: detail, retryAfter: seconds, context)
        }
        switch refusal {
        case .unauthorized(let refusal): return .challenge(refusal, to: context.scheme)
        case .strongerSignIn(let seconds, let acr):
            var response = problem(
                .unauthorized, AuthenticationRequirements.error,
                "Sign in again with the required strength; the sign-in may be at most \(seconds) seconds old.")
            response.demand(
                AuthenticationRequirements(acrValues: [acr], maximumAge: seconds),
                "A fresh or stronger sign-in is needed.")
            return response
        case .cooling(let seconds):
            return wait(
                .forbidden, "recovery_cooling",
                """
                The password was recovered or the identity was restored from a backup recently. Wait before you try \
                again.
                """, seconds)
        case .nothingPending:
            return problem(.conflict, "nothing_to_confirm", "Nothing is waiting to be confirmed. Start again.")
        case .invalidCode: return problem(.badRequest, "invalid_code", "The code is not the current one.")
        case .notFound: return problem(.notFound, "factor_not_found", "The account has no such factor.")
        case .invalidSession:
            return problem(
                .badRequest, "invalid_session",
                "The federated sign-in has expired or belongs to another device. Start it again.")
        case .identityTaken:
            return problem(.conflict, "identity_taken", "The identity belongs to another account.")
        case .tooManyIdentities(let limit):
            return problem(
                .conflict, "too_many_identities",
                "The account has \(limit) linked identities, which is the limit. Remove one first.")
        case .identityNotFound: return problem(.notFound, "identity_not_found", "The account has no such identity.")
        case .lastWayIn:
            return problem(
                .conflict, "last_way_in",
                "This is the only way to sign in to the account. Set a password or link another identity first.")
        case .questionsOff:
            return problem(.conflict, "secret_questions_off", "The operator does not allow secret questions.")
        case .unacceptableAnswers:
            return problem(
                .badRequest, "unacceptable_answers",
                "Answer \(SecretQuestion.chosen.lowerBound) to \(SecretQuestion.chosen.upperBound) different "
                    + "questions from the catalog, each with a different answer.")
        case .passwordUnacceptable(let fault):
            return problem(.badRequest, "password_\(fault.rawValue)", fault.explanation)
        case .invalidCredentials:
            return problem(.forbidden, "invalid_credentials", "The current password is incorrect.")
        case .walletDeactivated: return problem(.forbidden, "wallet_deactivated", "This wallet has been deactivated.")
        case .deviceDeactivated:
            return problem(HTTPResponse.Status(code: 423), "device_deactivated", "This device has been deactivated.")
        case .tooManyAttempts(let seconds):
            return faults.tooManyAttempts(retryAfter: seconds, context)
        case .busy(let seconds):
            return wait(
                .serviceUnavailable, "temporarily_unavailable", "Many people are signing in right now.", seconds)
        case .accountChanged:
            return problem(.conflict, "account_changed", "The account has changed. Sign in again.")
        }
    }
}

extension AccountFactorEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = {
            FactorRefusal.all.map { answers.answer(to: $0, RequestFacts()) }
        }
        return [
            Route(.get, Endpoints.accountFactors.path, .problem, by: .app, list).stating(
                .account, "listFactors", "Lists the second factors of the account"
            ) {
                Contract("The factors", gives: AccountFactorList.shape)
            },
            Route(.post, Endpoints.authenticator.path, .problem, by: .app, beginAuthenticator).stating(
                .account, "beginAuthenticator", "Begins the setup of an authenticator app"
            ) {
                Contract("The secret for the app", .created, gives: AuthenticatorSetup.shape, refuses: refusals())
            },
            Route(.delete, Endpoints.authenticator.path, .problem, by: .app, removeAuthenticator).stating(
                .account, "removeAuthenticator", "Removes the authenticator app"
            ) {
                Contract("The account has no authenticator app", .noContent, refuses: refusals())
            },
            Route(
                .post, Endpoints.authenticatorConfirmation.path, body: .json, .problem, by: .app, confirmAuthenticator
            ).stating(
                .account, "confirmAuthenticator", "Completes the setup of an authenticator app with its first code"
            ) {
                Contract(
                    "The app is a factor now", takes: AuthenticatorConfirmation.shape, .noContent, refuses: refusals())
            },
            Route(.post, Endpoints.recoveryCodes.path, .problem, by: .app, makeRecoveryCodes).stating(
                .account, "createRecoveryCodes", "Replaces the recovery codes"
            ) {
                Contract("The new codes, shown only here", .created, gives: RecoveryCodeSet.shape, refuses: refusals())
            },
            Route(.get, Endpoints.secretQuestions.path, .problem, by: .app, secretQuestions).stating(
                .account, "listSecretQuestions", "Lists the secret questions to choose from"
            ) {
                Contract("The questions", gives: SecretQuestionCatalog.shape, refuses: refusals())
            },
            Route(.put, Endpoints.secretQuestions.path, body: .json, .problem, by: .app, setSecretQuestions).stating(
                .account, "setSecretQuestions", "Replaces the answers to the secret questions"
            ) {
                Contract("The answers are stored", takes: SecretQuestionChoice.shape, .noContent, refuses: refusals())
            },
            Route(.put, Endpoints.accountPassword.path, body: .json, .problem, by: .app, changePassword).stating(
                .account, "changePassword", "Changes the password"
            ) {
                Contract("The password is changed", takes: PasswordChangeRequest.shape, .noContent, refuses: refusals())
            },
        ]
    }
}
