import HTTPTypes
package import Kernel
package import WalletAuthWire
package import Web

/// `POST /v1/pin/evaluate`, and `PUT` and `DELETE /v1/devices/{deviceId}/pin` (docs/wpin-1.md).
///
/// This folder owns the device PIN and the biometric key. The account PIN is in `Pages/Forms`.
struct PINEndpoints: Sendable {
    let pins: DevicePINs
    let biometrics: DeviceBiometrics
    let answers: PINAnswers
    /// What a PIN is evaluated for, beside this folder's own acts.
    let transactions: any PINSubject

    @Sendable func evaluate(
        _ request: EndpointRequest, _ signed: DeviceRequest<PINEvaluationRequest>
    ) async throws -> EndpointResponse {
        let outcome = try await pins.evaluate(
            signed.content, call: signed.call, forTransactionsOf: transactions)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func set(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await pins.set(PINSettingRequest(request.json()), on: id, call: call)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func forget(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        let outcome = try await pins.forget(on: id, call: call)
        return answers.devices.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    private func answer(
        to outcome: Result<JSONObject, DevicePINRefusal>, _ request: EndpointRequest
    ) -> EndpointResponse {
        answers.response(to: outcome, request)
    }
}

extension PINEvaluationRequest: DeviceContent {}

/// `PUT` and `DELETE /v1/devices/{deviceId}/biometric-key`.
extension PINEndpoints {
    @Sendable func setBiometricKey(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: DeviceID = try request.pathValue()
        switch try await biometrics.set(BiometricKeyRequest(request.json()), on: id, call: call) {
        case .success: return EndpointResponse(status: .noContent)
        case .failure(let refusal): return answer(to: .failure(refusal), request)
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
    private let faults: FaultAnswers

    package init(_ edge: Edge) {
        proofs = edge.proofs
        devices = DeviceAnswers(faults: edge.faults)
        faults = edge.faults
    }

    package func response(
        to outcome: Result<JSONObject, DevicePINRefusal>, _ request: EndpointRequest
    ) -> EndpointResponse {
        var response: EndpointResponse
        switch outcome {
        case .success(let json): response = .bytes(type: "application/json", json.bytes)
        case .failure(.device(let refusal)): return devices.answer(to: refusal, request.context)
        case .failure(.staleNonce(let nonce)):
            response = problem(.unauthorized, "use_dpop_nonce", "Sign again with the nonce in this response.", request)
            response.headers[.wwwAuthenticate] = "DPoP error=\"use_dpop_nonce\""
            response.headers[.dpopNonce] = nonce
            return response
        case .failure(.wrongPIN(let remaining)):
            response = problem(.invalidCredentials, "The PIN is incorrect.", request) {
                $0.remainingAttempts = remaining
            }
            response.headers[.wwwAuthenticate] = "DPoP"
        case .failure(.exhausted(let seconds)):
            response = problem(.exhausted, PINRefusal.exhausted.detail, request) { _ in }
            response.headers[.retryAfter] = String(seconds)
        case .failure(.deviceSuspended):
            response = problem(.forbidden, ErrorCode.deviceSuspended, "The device is suspended.", request)
        case .failure(.deviceDeactivated):
            response = problem(
                HTTPResponse.Status(code: 423), ErrorCode.deviceDeactivated, "The device is deactivated.", request)
        case .failure(.transaction(let refusal)): response = .refusal(refusal, request)
        case .failure(.lockedByRestore):
            let detail =
                "The PIN was locked by a restore from a backup. Sign in with a second factor and set a new one."
            response = problem(.locked, detail, request) { $0.lockReason = .restore }
        case .failure(.refused(let refusal)):
            response = problem(refusal, refusal.detail, request) {
                if refusal == .locked { $0.lockReason = .tooManyTries }
            }
            if refusal == .invalidCredentials { response.headers[.wwwAuthenticate] = "DPoP" }
        }
        response.offerNonce(proofs)
        return response
    }

    private func problem(
        _ refusal: PINRefusal, _ detail: String, _ request: EndpointRequest, adding add: (inout Problem) -> Void
    ) -> EndpointResponse {
        let status = refusal.status
        var problem = Problem(
            status: status.code, code: refusal.rawValue, title: status.reasonPhrase, detail: detail,
            statusCode: status.code, traceID: request.context.trace.traceID)
        add(&problem)
        return .bytes(status, type: Problem.contentType, problem.json.bytes)
    }

    private func problem(
        _ status: HTTPResponse.Status, _ code: ErrorCode, _ detail: String, _ request: EndpointRequest
    ) -> EndpointResponse {
        let problem = Problem(
            status: status.code, code: code.rawValue, title: status.reasonPhrase, detail: detail,
            statusCode: code.statusCode(), traceID: request.context.trace.traceID)
        return .bytes(status, type: Problem.contentType, problem.json.bytes)
    }

    private func problem(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, _ request: EndpointRequest
    ) -> EndpointResponse {
        faults.problem(status, code: code, detail: detail, request.context)
    }
}

extension PINRefusal {
    var status: HTTPResponse.Status {
        let code =
            switch self {
            case .invalidCredentials: 401
            case .notSet, .epochMismatch, .challengeOver: 409
            case .locked: 423
            case .exhausted: 429
            case .idempotencyMismatch: 422
            }
        return HTTPResponse.Status(code: code)
    }

    /// For developers. It reveals nothing beyond the code.
    fileprivate var detail: String {
        switch self {
        case .invalidCredentials: "The device's signature or the assertion is invalid."
        case .notSet: "The device has no PIN. Set one."
        case .epochMismatch: "The PIN has since been changed."
        case .locked: "Too many wrong PINs. Sign in with a second factor and set a new one."
        case .exhausted:
            "Too many failed attempts in thirty days. No PIN can be evaluated or set on this enrollment until "
                + "the time in Retry-After. Enroll the device again and set a PIN there."
        case .idempotencyMismatch: "The Idempotency-Key was used for another request."
        case .challengeOver: "The challenge has expired. Request another evaluation."
        }
    }
}

extension PINEndpoints {
    var routes: [Route] {
        [
            Route(.put, Endpoints.devicePIN.path, body: .json, .problem, by: .app, set),
            Route(.delete, Endpoints.devicePIN.path, .problem, by: .app, forget),
            Route(.put, Endpoints.deviceBiometricKey.path, body: .json, .problem, by: .app, setBiometricKey),
            Route(.delete, Endpoints.deviceBiometricKey.path, .problem, by: .app, removeBiometricKey),
            Route(
                .post, Endpoints.pinEvaluation.path, body: .json, .problem,
                by: .device(PINEvaluationRequest.self, at: Endpoints.pinEvaluation), evaluate),
        ]
    }
}
