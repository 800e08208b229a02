import AuthCore
import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `/v1/challenges` and `/v1/devices`: an account's devices, for their holder's app.
struct DeviceEndpoints: Sendable {
    let server: AuthorizationServer
    let answers: DeviceAnswers

    @Sendable func challenge(_ request: EndpointRequest) async throws -> Response {
        let outcome = try await server.devices.challenge(ChallengeRequest(request.json()), call: request.call())
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func enroll(_ request: EndpointRequest) async throws -> Response {
        let outcome = try await server.devices.enroll(DeviceEnrollmentRequest(request.json()), call: request.call())
        return answers.response(to: outcome, request) { device in
            var response = Response.bytes(.created, type: "application/json", device.json.bytes)
            response.headers[.location] = Endpoints.device.path(device.id)
            return response
        }
    }

    @Sendable func list(_ request: EndpointRequest) async throws -> Response {
        let outcome = try await server.devices.list(call: request.call())
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func rename(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.rename(
            id, to: DeviceRenaming(request.json()).name, call: request.call())
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func remove(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.remove(id, call: request.call())
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func setPushAddress(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.setPushAddress(
            PushAddress(request.json()), of: id, call: request.call())
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func removePushAddress(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.setPushAddress(nil, of: id, call: request.call())
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }

    @Sendable func verify(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.devices.verify(
            DeviceVerification(request.json()), of: id, call: request.call())
        return answers.response(to: outcome, request) { Response(status: .noContent) }
    }
}
