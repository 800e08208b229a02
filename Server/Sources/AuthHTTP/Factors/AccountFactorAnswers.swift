import AuthCore
import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// Tells what the flows about an account's own factors refuse.
struct AccountFactorAnswers: FlowAnswers {
    let server: AuthorizationServer
    let faults: FaultAnswers

    func answer(to refusal: FactorRefusal, _ context: ServerRequestContext) -> Response {
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> Response {
            faults.problem(status, code: code, detail: detail, context)
        }
        func wait(_ status: HTTPResponse.Status, _ code: String, _ detail: String, _ seconds: Int64) -> Response {
            faults.problem(status, code: code, detail: detail, retryAfter: seconds, context)
        }
        switch refusal {
        case .unauthorized(.unauthorizedClient):
            return problem(.forbidden, "client_not_allowed", "Only the operator's own apps may do this.")
        case .unauthorized(let refusal): return .challenge(refusal, to: context.scheme)
        case .strongerSignIn(let seconds, let acr):
            var response = problem(
                .unauthorized, AuthenticationRequirements.error,
                "Sign in again, as strongly as asked; the sign-in may be \(seconds) seconds old.")
            response.demand(
                AuthenticationRequirements(acrValues: [acr], maximumAge: seconds),
                "A fresh or stronger sign-in is needed.")
            return response
        case .cooling(let seconds):
            return wait(
                .forbidden, "recovery_cooling",
                "The password was recovered, or the identity restored from a backup, lately: wait.", seconds)
        case .nothingPending:
            return problem(.conflict, "nothing_to_confirm", "Nothing waits to be confirmed: begin again.")
        case .invalidCode: return problem(.badRequest, "invalid_code", "The code is not the one shown now.")
        case .notFound: return problem(.notFound, "factor_not_found", "The account has no such factor.")
        case .invalidSession:
            return problem(
                .badRequest, "invalid_session", "The federated sign-in is over, or another device's: begin it again.")
        case .identityTaken:
            return problem(.conflict, "identity_taken", "The identity belongs to another account.")
        case .tooManyIdentities(let limit):
            return problem(.conflict, "too_many_identities", "The account has \(limit) identities: take one away.")
        case .identityNotFound: return problem(.notFound, "identity_not_found", "The account has no such identity.")
        case .lastWayIn:
            return problem(
                .conflict, "last_way_in", "Nobody could sign in any more: set a password or join another one first.")
        case .questionsOff:
            return problem(.conflict, "secret_questions_off", "The operator takes no secret questions.")
        case .unacceptableAnswers:
            return problem(
                .badRequest, "unacceptable_answers",
                "Answer \(SecretQuestion.chosen.lowerBound) to \(SecretQuestion.chosen.upperBound) different questions "
                    + "of the catalog, each differently.")
        case .passwordUnacceptable(let fault):
            return problem(.badRequest, "password_\(fault.rawValue)", fault.explanation)
        case .invalidCredentials:
            return problem(.forbidden, "invalid_credentials", "The present password is not right.")
        case .walletDeactivated: return problem(.forbidden, "wallet_deactivated", "This wallet has been deactivated.")
        case .deviceDeactivated:
            return problem(HTTPResponse.Status(code: 423), "device_deactivated", "This device has been deactivated.")
        case .tooManyAttempts(let seconds):
            return wait(.tooManyRequests, "too_many_attempts", "Wait before the next try.", seconds)
        case .busy(let seconds):
            return wait(.serviceUnavailable, "temporarily_unavailable", "Many people are signing in now.", seconds)
        case .accountChanged:
            return problem(.conflict, "account_changed", "The account changed meanwhile: sign in again.")
        }
    }
}
