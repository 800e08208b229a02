import HTTPTypes
package import Kernel
package import WalletAuthWire
package import Web

/// `PUT` and `DELETE /v1/devices/{deviceId}/pin` (docs/wpin-1.md). A PIN may be evaluated for a transaction, so `Transactions` has
/// that endpoint.
struct PINEndpoints: Sendable {
    let pins: DevicePINs
    let biometrics: DeviceBiometrics
    let answers: PINAnswers

    @Sendable func set(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await pins.set(PINSettingRequest(request.json()), on: id, call: call)
        return answers.response(to: outcome.map(\.json), request)
    }

    @Sendable func forget(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await pins.forget(on: id, call: call)
        return answers.devices.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

/// `PUT` and `DELETE /v1/devices/{deviceId}/biometric-key`.
extension PINEndpoints {
    @Sendable func setBiometricKey(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        switch try await biometrics.set(BiometricKeyRequest(request.json()), on: id, call: call) {
        case .success: return EndpointResponse(status: .noContent)
        case .failure(let refusal): return answers.answer(to: refusal, request)
        }
    }

    @Sendable func removeBiometricKey(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await biometrics.remove(from: id, call: call)
        return answers.devices.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

/// Maps the refusals of the PIN flows and of device-signed requests to responses.
package struct PINAnswers: Sendable {
    package let proofs: ProofOfPossession
    let devices: DeviceAnswers

    package init(_ edge: Edge) {
        proofs = edge.proofs
        devices = DeviceAnswers(faults: edge.faults)
    }

    package func response(
        to outcome: Result<JSONObject, PINRefusal>, _ request: EndpointRequest
    ) -> EndpointResponse {
        switch outcome {
        case .success(let json):
            var response = EndpointResponse.bytes(type: "application/json", json.bytes)
            response.offerNonce(proofs)
            return response
        case .failure(let refusal): return answer(to: refusal, request)
        }
    }

    package func answer(to refusal: PINRefusal, _ request: EndpointRequest) -> EndpointResponse {
        var response = problem(refusal, request)
        switch refusal {
        case .device(let refusal): return devices.answer(to: refusal, request.context)
        case .transaction(let refusal): response = .refusal(refusal, request)
        case .staleNonce(let nonce):
            response.headers[.wwwAuthenticate] = "DPoP error=\"use_dpop_nonce\""
            response.headers[.dpopNonce] = nonce
            return response
        case .invalidCredentials, .wrongPIN: response.headers[.wwwAuthenticate] = "DPoP"
        case .exhausted(let seconds): response.headers[.retryAfter] = String(seconds)
        case .notSet, .epochMismatch, .locked, .idempotencyMismatch, .challengeOver, .deviceSuspended,
            .deviceDeactivated:
            break
        }
        response.offerNonce(proofs)
        return response
    }

    private func problem(_ refusal: PINRefusal, _ request: EndpointRequest) -> EndpointResponse {
        let (status, code) = (refusal.status, refusal.answer.code)
        var problem = Problem(
            status: status.code, code: code, title: status.reasonPhrase, detail: refusal.detail,
            statusCode: ErrorCode(rawValue: code)?.statusCode() ?? status.code, traceID: request.context.trace.traceID)
        if case .wrongPIN(let remaining) = refusal { problem.remainingAttempts = remaining }
        if case .locked(let reason) = refusal { problem.lockReason = reason }
        return .problem(status, code: code, problem.json)
    }
}

extension PINRefusal {
    var status: HTTPResponse.Status {
        switch self {
        case .staleNonce: .unauthorized
        case .deviceSuspended: .forbidden
        default: HTTPResponse.Status(code: answer.status)
        }
    }

    /// For developers. It reveals nothing beyond the code.
    var detail: String {
        switch self {
        case .staleNonce: "Sign again with the nonce in this response."
        case .invalidCredentials, .transaction, .device: "The device's signature or the assertion is invalid."
        case .wrongPIN: "The PIN is incorrect."
        case .notSet: "The device has no PIN. Set one."
        case .epochMismatch: "The PIN has since been changed."
        case .locked(.tooManyTries): "Too many wrong PINs. Sign in with a second factor and set a new one."
        case .locked(.restore):
            "The PIN was locked by a restore from a backup. Sign in with a second factor and set a new one."
        case .exhausted:
            "Too many failed attempts in thirty days. No PIN can be evaluated or set on this enrollment until "
                + "the time in Retry-After. Enroll the device again and set a PIN there."
        case .idempotencyMismatch: "The Idempotency-Key was used for another request."
        case .challengeOver: "The challenge has expired. Request another evaluation."
        case .deviceSuspended: "The device is suspended."
        case .deviceDeactivated: "The device is deactivated."
        }
    }
}

extension PINEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = { PINRefusal.all.map { answers.answer(to: $0, .unknown) } }
        return [
            Route(.put, Endpoints.devicePIN.path, body: .json, .problem, by: .app, set).stating(
                .devices, "setDevicePIN", "Sets or changes the PIN of a device"
            ) {
                Contract(
                    "The server's share of the PIN's key", takes: PINSettingRequest.shape,
                    gives: PINSettingResponse.shape, refuses: refusals())
            },
            Route(.delete, Endpoints.devicePIN.path, .problem, by: .app, forget).stating(
                .devices, "removeDevicePIN", "Forgets the PIN of a device"
            ) {
                Contract("The device has no PIN", .noContent, refuses: refusals())
            },
            Route(.put, Endpoints.deviceBiometricKey.path, body: .json, .problem, by: .app, setBiometricKey).stating(
                .devices, "setBiometricKey", "Registers the biometric key of a device"
            ) {
                Contract("The key is registered", takes: BiometricKeyRequest.shape, .noContent, refuses: refusals())
            },
            Route(.delete, Endpoints.deviceBiometricKey.path, .problem, by: .app, removeBiometricKey).stating(
                .devices, "removeBiometricKey", "Removes the biometric key of a device"
            ) {
                Contract("The device has no biometric key", .noContent, refuses: refusals())
            },
        ]
    }
}
