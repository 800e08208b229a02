import AuthAccount
import AuthCallers
import AuthFlows
import Hummingbird
import WalletAuthWire

/// `PUT` and `DELETE /v1/devices/{deviceId}/biometric-key`.
extension PINEndpoints {
    @Sendable func setBiometricKey(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        switch try await server.biometrics.set(BiometricKeyRequest(request.json()), on: id, call: call) {
        case .success: return Response(status: .noContent)
        case .failure(let refusal): return answer(to: .failure(refusal), request)
        }
    }

    @Sendable func removeBiometricKey(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.biometrics.remove(from: id, call: call)
        return devices.response(to: outcome, request) { Response(status: .noContent) }
    }
}
