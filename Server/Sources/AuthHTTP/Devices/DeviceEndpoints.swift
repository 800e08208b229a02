import AuthAccount
import AuthCallers
import AuthCore
import AuthCredentials
import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `/v1/challenges` and `/v1/devices`: the devices of an account, for the holder's app.
///
/// The folder owns parsing and answers. Enrollment and its rules are in AuthAccount; requests that a device signs are
/// admitted by ``CallerRequirement``.
struct DeviceEndpoints: Sendable {
    let server: AuthorizationServer
    let answers: DeviceAnswers

    @Sendable func challenge(_ request: EndpointRequest, _ caller: ChallengeCaller) async throws -> Response {
        .bytes(type: "application/json", try server.devices.challenge(by: caller).json.bytes)
    }

    @Sendable func enroll(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let outcome = try await server.devices.enroll(DeviceEnrollmentRequest(request.json()), call: call)
        return answers.response(to: outcome, request) { device in
            var response = Response.bytes(.created, type: "application/json", device.json.bytes)
            response.headers[.location] = Endpoints.device.path(device.id)
            return response
        }
    }

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        .bytes(type: "application/json", try await server.devices.list(call: call).json.bytes)
    }

    @Sendable func rename(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.rename(
            id, to: DeviceRenaming(request.json()).name, call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func remove(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.remove(id, call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func setPushAddress(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.setPushAddress(
            PushAddress(request.json()), of: id, call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func removePushAddress(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.setPushAddress(nil, of: id, call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func verify(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.verify(
            DeviceVerification(request.json()), of: id, call: call)
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }
}

extension CallerRequirement where Admitted == ChallengeCaller {
    /// An app, or a key that is about to sign in. The purpose of the challenge decides.
    static var challenge: Self {
        Self(callers: [.app]) { request, callers in
            let call = try request.call()
            let asked: ChallengeRequest
            do { asked = try ChallengeRequest(request.json()) } catch {
                _ = try await callers.app(call)
                throw error
            }
            return try await callers.challenge(asked, call)
        }
    }
}
