import AuthAccount
import AuthCallers
import AuthCore
import AuthCredentials
import AuthFlows
import AuthTransactions
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `POST /v1/pin/evaluate`, and `PUT` and `DELETE /v1/devices/{deviceId}/pin` (docs/wpin-1.md).
///
/// The folder owns the device PIN and the biometric key. The account PIN is in `AccountPIN`.
struct PINEndpoints: Sendable {
    let server: AuthorizationServer
    let transactions: TransactionFlows
    let devices: DeviceAnswers
    let faults: FaultAnswers

    @Sendable func evaluate(
        _ request: EndpointRequest, _ signed: DeviceRequest<PINEvaluationRequest>
    ) async throws -> Response {
        let outcome = try await server.pins.evaluate(
            signed.content, call: signed.call, forTransactionsOf: transactions.pinSubject)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func set(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.pins.set(PINSettingRequest(request.json()), on: id, call: call)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func forget(_ request: EndpointRequest, _ call: AppCaller) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.pins.forget(on: id, call: call)
        return devices.response(to: outcome, request) { Response(status: .noContent) }
    }

    func answer(to outcome: Result<JSONObject, DevicePINRefusal>, _ request: EndpointRequest) -> Response {
        PINAnswers(server: server, devices: devices, faults: faults).response(to: outcome, request)
    }
}

extension PINEvaluationRequest: DeviceContent {}
