import AuthCore
import AuthCredentials
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// Maps the refusals of the device flows to responses.
struct DeviceAnswers: FlowAnswers {
    let faults: FaultAnswers

    func answer(to refusal: DeviceRefusal, _ context: ServerRequestContext) -> Response {
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> Response {
            faults.problem(status, code: code, detail: detail, context)
        }
        switch refusal {
        case .unauthorized(let refusal): return .challenge(refusal, to: context.scheme)
        case .strongerSignIn(let seconds):
            var response = problem(
                .unauthorized, AuthenticationRequirements.error,
                "Sign in again with two factors; the sign-in may be at most \(seconds) seconds old.")
            response.demand(
                AuthenticationRequirements(acrValues: [AuthenticationStrength.twoFactors], maximumAge: seconds),
                "A fresh sign-in with two factors is needed.")
            return response
        case .cooling(let seconds):
            return faults.problem(
                .forbidden, code: "recovery_cooling",
                detail: "The password was recovered recently. Wait before you try again.",
                retryAfter: seconds, context)
        case .invalidChallenge:
            return problem(
                .badRequest, "invalid_challenge",
                "The challenge has expired, was used, or is for something else. Request another one.")
        case .invalidProof:
            return problem(.badRequest, "invalid_proof", "The proof does not match this key and challenge.")
        case .keyTaken:
            return problem(
                .conflict, "device_key_taken", "The key was enrolled before. Create a new key for each enrollment.")
        case .tooManyDevices(let limit):
            return problem(
                .conflict, "too_many_devices", "The account has \(limit) devices, which is the limit. Remove one first."
            )
        case .notFound: return problem(.notFound, "device_not_found", "The account has no such device.")
        case .notActive: return problem(.conflict, "device_not_active", "The device is suspended or deactivated.")
        case .presenceNotAttested:
            return problem(
                .conflict, "presence_not_attested",
                "Nothing attests that this key verifies its holder. In production it does not count as a factor.")
        case .invalidCode: return problem(.badRequest, "invalid_code", "The code is incorrect or has expired.")
        case .nothingToVerify: return problem(.conflict, "nothing_to_verify", "The device is not waiting for a code.")
        case .accountChanged:
            return problem(.conflict, "account_changed", "The account has changed. Sign in again.")
        case .tooManyAttempts(let seconds):
            return faults.problem(
                .tooManyRequests, code: "too_many_attempts", detail: "Too many requests. Wait before you try again.",
                retryAfter: seconds,
                context)
        }
    }
}
