import AuthCore
import AuthFlows
import AuthTransactions
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `POST /v1/pin/evaluate`, and `PUT` and `DELETE /v1/devices/{deviceId}/pin` (docs/wpin-1.md).
struct PINEndpoints: Sendable {
    let server: AuthorizationServer
    let transactions: TransactionFlows
    let devices: DeviceAnswers
    let faults: FaultAnswers

    @Sendable func evaluate(_ request: EndpointRequest) async throws -> Response {
        guard let key = try request.headers.single(.idempotencyKey) else {
            throw RequestFault.malformed("The Idempotency-Key header is missing.")
        }
        let outcome = try await server.pins.evaluate(
            PresentedEvaluation(
                request: PINEvaluationRequest(request.json()), body: request.body,
                signature: try request.headers.single(.deviceSignature), idempotencyKey: try IdempotencyKey(key),
                origin: request.origin),
            forTransactionsOf: transactions.pinSubject)
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func set(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.pins.set(PINSettingRequest(request.json()), on: id, call: request.call())
        return answer(to: outcome.map(\.json), request)
    }

    @Sendable func forget(_ request: EndpointRequest) async throws -> Response {
        let id: DeviceID = try request.pathValue("deviceId")
        let outcome = try await server.pins.forget(on: id, call: request.call())
        return devices.response(to: outcome, request) { Response(status: .noContent) }
    }

    func answer(to outcome: Result<JSONObject, DevicePINRefusal>, _ request: EndpointRequest) -> Response {
        PINAnswers(server: server, devices: devices, faults: faults).response(to: outcome, request)
    }
}
