import HTTPTypes
import WalletAuthWire
import Web

/// `/v1/device-authentication-tokens`: the long-lived session of the calling device.
struct DeviceTokenEndpoints: Sendable {
    let tokens: DeviceAuthenticationTokens
    let devices: DeviceAnswers

    @Sendable func issue(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let json = try request.json()
        // A name that no account can have gets the same answer as a wrong one.
        if let name = try? json.string("username"), (try? Username(name)) == nil {
            return answer(to: .failure(.credentials(.invalid)), request, during: .generatingDeviceToken)
        }
        let outcome = try await tokens.issue(
            PresentedDeviceTokenRequest(
                request: DeviceTokenRequest(json), body: request.body,
                signature: try request.headers.single(.deviceSignature)),
            call: call)
        return answer(to: outcome.map(\.json), request, .created, during: .generatingDeviceToken)
    }

    @Sendable func show(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        answer(to: try await tokens.consent(call: call).map(\.json), request)
    }

    @Sendable func decline(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let consent = try DeviceTokenConsent(request.json())
        guard consent.state == .declined, consent.expiresIn == nil else {
            throw RequestFault.malformed("consent can only be set to declined here.")
        }
        return answer(to: try await tokens.decline(call: call).map(\.json), request)
    }

    @Sendable func expire(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        switch try await tokens.expire(call: call) {
        case .success: EndpointResponse(status: .noContent)
        case .failure(let refusal): answer(to: .failure(refusal), request)
        }
    }

    private func answer(
        to outcome: Result<JSONObject, DeviceTokenRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok, during operation: ErrorCode.Operation = .other
    ) -> EndpointResponse {
        switch outcome {
        case .success(let json): return .bytes(status, type: "application/json", json.bytes)
        case .failure(.device(let refusal)): return devices.answer(to: refusal, request.context)
        case .failure(.credentials(.tooManyAttempts(let seconds))), .failure(.credentials(.networkHeld(let seconds))):
            return devices.faults.tooManyAttempts(retryAfter: seconds, request.context)
        case .failure(.credentials(.busy(let seconds))):
            return devices.faults.problem(
                .serviceUnavailable, code: "busy", detail: "Many people are signing in right now.",
                retryAfter: seconds, request.context)
        case .failure(.credentials(.unavailable(let seconds))):
            return devices.faults.problem(
                .serviceUnavailable, code: "busy", detail: "Passwords cannot be verified right now.",
                retryAfter: seconds, request.context)
        case .failure(let refusal):
            let (code, detail) = refusal.entry
            let problem = Problem(
                status: code.httpStatus ?? 400, code: code.rawValue,
                title: HTTPResponse.Status(code: code.httpStatus ?? 400).reasonPhrase, detail: detail,
                statusCode: code.statusCode(during: operation), traceID: request.context.trace.traceID)
            var response = EndpointResponse.problem(
                HTTPResponse.Status(code: problem.status), code: problem.code, problem.json)
            if problem.status == 401 { response.headers[.wwwAuthenticate] = "DPoP" }
            return response
        }
    }
}

extension DeviceTokenRefusal {
    /// The code on the wire, and the detail for developers.
    fileprivate var entry: (code: ErrorCode, detail: String) {
        switch self {
        case .credentials(.invalid):
            (.invalidCredentials, "The user name, the password or the device's signature is incorrect.")
        case .unsupported:
            (
                .deviceAuthenticationUnsupported,
                "The client may not use long-lived sessions, or the account signs in with another provider."
            )
        case .credentials(.walletDeactivated): (.walletDeactivated, "The wallet is deactivated.")
        case .credentials(.deviceSuspended): (.deviceSuspended, "The device is suspended.")
        case .credentials(.deviceDeactivated): (.deviceDeactivated, "The device is deactivated.")
        case .passwordChangeRequired: (.passwordChangeRequired, "Sign in and choose a new password first.")
        case .alreadyExpired: (.tokenAlreadyExpired, "There is no token, or it has already ended.")
        case .device, .credentials(.tooManyAttempts), .credentials(.networkHeld), .credentials(.busy),
            .credentials(.unavailable):
            (.serverError, "")
        }
    }
}

extension DeviceTokenEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = {
            DeviceTokenRefusal.all.map { answer(to: .failure($0), .unknown) }
        }
        return [
            Route(.post, Endpoints.deviceAuthenticationTokens.path, body: .json, .problem, by: .app, issue).stating(
                .devices, "createDeviceToken", "Issues a token with which this device signs in for months"
            ) {
                Contract(
                    "The token", takes: DeviceTokenRequest.shape, .created, gives: DeviceTokenResponse.shape,
                    refuses: refusals())
            },
            Route(.get, Endpoints.currentDeviceAuthenticationToken.path, .problem, by: .app, show).stating(
                .devices, "getDeviceToken", "Shows whether this device has a token, or the person wanted none"
            ) {
                Contract("The state", gives: DeviceTokenConsent.shape, refuses: refusals())
            },
            Route(.put, Endpoints.currentDeviceAuthenticationToken.path, body: .json, .problem, by: .app, decline)
                .stating(.devices, "declineDeviceToken", "Remembers that the person wants no token for this device") {
                    Contract(
                        "The state", takes: DeviceTokenConsent.shape, gives: DeviceTokenConsent.shape,
                        refuses: refusals())
                },
            Route(.delete, Endpoints.currentDeviceAuthenticationToken.path, .problem, by: .app, expire).stating(
                .devices, "expireDeviceToken", "Ends the token of this device"
            ) {
                Contract("The token has ended", .noContent, refuses: refusals())
            },
        ]
    }
}
