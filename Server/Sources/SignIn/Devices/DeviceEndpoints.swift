import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `/v1/challenges` and `/v1/devices`: the devices of an account, for the holder's app.
struct DeviceEndpoints: Sendable {
    let devices: EnrolledDevices
    let issuer: Issuer
    let answers: DeviceAnswers

    @Sendable func challenge(_ request: EndpointRequest, _ caller: ChallengeCaller) async throws -> EndpointResponse {
        .bytes(type: "application/json", try devices.challenge(by: caller).json.bytes)
    }

    @Sendable func enroll(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await devices.enroll(DeviceEnrollmentRequest(request.json()), call: call)
        return answers.response(to: outcome, request) { device in
            var response = EndpointResponse.bytes(.created, type: "application/json", device.json.bytes)
            // A proxy may serve the issuer below a path, and clients resolve this against the URL that they used.
            response.headers[.location] = issuer.pathPrefix + Endpoints.device.path(device.id)
            return response
        }
    }

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        .bytes(type: "application/json", try await devices.list(call: call).json.bytes)
    }

    @Sendable func rename(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await devices.rename(
            id, to: DeviceRenaming(request.json()).name, call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func remove(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await devices.remove(id, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func setPushAddress(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await devices.setPushAddress(
            PushAddress(request.json()), of: id, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func removePushAddress(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await devices.setPushAddress(nil, of: id, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func verify(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await devices.verify(
            DeviceVerification(request.json()), of: id, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

extension CallerRequirement where Admitted == ChallengeCaller {
    /// An app, or a key that is about to sign in. The purpose of the challenge decides.
    static var challenge: Self {
        Self(callers: [.app, .provedByContent]) { request, callers in
            let call = try request.credentials()
            let asked: ChallengeRequest
            do { asked = try ChallengeRequest(request.json()) } catch {
                _ = try await callers.app(call)
                throw error
            }
            return try await callers.challenge(asked, call)
        }
    }
}

/// Maps the refusals of the device flows to responses.
struct DeviceAnswers: FlowAnswers {
    let faults: FaultAnswers

    func answer(to refusal: DeviceRefusal, _ context: RequestFacts) -> EndpointResponse {
        func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> EndpointResponse {
            faults.problem(status, code: code, detail: detail, context)
        }
        switch refusal {
        case .unauthorized(let refusal): return .challenge(refusal, to: context.scheme)
        case .strongerSignIn(let seconds):
            // 0 is asked for by a sign-in that was used up, however young it is.
            var response = problem(
                .unauthorized, AuthenticationRequirements.error,
                seconds == 0
                    ? "This sign-in has enrolled a device already. Sign in again with two factors first."
                    : "Sign in again with two factors; the sign-in may be at most \(seconds) seconds old.")
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
                "No attestation that counts here vouches for this key. In production it is no factor without one.")
        case .attestationRequired:
            return problem(
                .forbidden, "attestation_required",
                "The app has to prove with an attestation of its platform what it is.")
        case .attestationInvalid:
            return problem(.forbidden, "attestation_invalid", "The attestation does not prove that this is the app.")
        case .invalidCode: return problem(.badRequest, "invalid_code", "The code is incorrect or has expired.")
        case .nothingToVerify: return problem(.conflict, "nothing_to_verify", "The device is not waiting for a code.")
        case .accountChanged:
            return problem(.conflict, "account_changed", "The account has changed. Sign in again.")
        case .tooManyAttempts(let seconds):
            return faults.tooManyAttempts(
                "Too many requests. Wait before you try again.", retryAfter: seconds, context)
        }
    }
}

extension DeviceEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = {
            DeviceRefusal.all.map { answers.answer(to: $0, RequestFacts()) }
        }
        return [
            Route(.post, Endpoints.challenges.path, body: .json, .problem, by: .challenge, challenge).stating(
                .devices, "createChallenge", "Returns fresh data for a device to sign"
            ) {
                Contract(
                    "The challenge", takes: ChallengeRequest.shape, gives: ChallengeResponse.shape, refuses: refusals())
            },
            Route(.get, Endpoints.devices.path, .problem, by: .app, list).stating(
                .devices, "listDevices", "Lists the devices of the account"
            ) {
                Contract("The devices", gives: EnrolledDeviceList.shape)
            },
            Route(.post, Endpoints.devices.path, body: .json, .problem, by: .app, enroll).stating(
                .devices, "enrollDevice", "Enrolls a device with its key"
            ) {
                Contract(
                    "The enrolled device", takes: DeviceEnrollmentRequest.shape, .created, gives: EnrolledDevice.shape,
                    refuses: refusals())
            },
            Route(.patch, Endpoints.device.path, body: .json, .problem, by: .app, rename).stating(
                .devices, "renameDevice", "Renames a device"
            ) {
                Contract(
                    "The renamed device", takes: DeviceRenaming.shape, gives: EnrolledDevice.shape, refuses: refusals())
            },
            Route(.delete, Endpoints.device.path, .problem, by: .app, remove).stating(
                .devices, "removeDevice", "Removes a device"
            ) {
                Contract("The device is removed", .noContent, refuses: refusals())
            },
            Route(.put, Endpoints.devicePush.path, body: .json, .problem, by: .app, setPushAddress).stating(
                .devices, "setPushAddress", "Stores the push address of a device"
            ) {
                Contract("The address is stored", takes: PushAddress.shape, .noContent, refuses: refusals())
            },
            Route(.delete, Endpoints.devicePush.path, .problem, by: .app, removePushAddress).stating(
                .devices, "removePushAddress", "Removes the push address of a device"
            ) {
                Contract("The device has no push address", .noContent, refuses: refusals())
            },
            Route(.post, Endpoints.deviceVerification.path, body: .json, .problem, by: .app, verify).stating(
                .devices, "verifyDevice", "Confirms the installation on a device with the code that was sent"
            ) {
                Contract(
                    "The installation is confirmed", takes: DeviceVerification.shape, .noContent, refuses: refusals())
            },
        ]
    }
}
