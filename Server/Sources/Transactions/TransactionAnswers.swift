import HTTPTypes
import SignIn
import WalletAuthWire
import Web

/// Maps the refusals of the transaction flows to responses.
struct TransactionAnswers: Sendable {
    let pins: PINAnswers

    func response<Value>(
        to outcome: Result<Value, TransactionRefusal>, _ request: EndpointRequest,
        _ success: (Value) -> EndpointResponse
    ) -> EndpointResponse {
        switch outcome {
        case .success(let value): success(value)
        case .failure(let refusal): .refusal(refusal, request)
        }
    }

    func response(
        to outcome: Result<JSONObject, TransactionRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        response(to: outcome, request) { .bytes(status, type: "application/json", $0.bytes) }
    }

    func response(
        to outcome: Result<JSONObject, DeviceTransactionRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        switch outcome {
        case .success(let json):
            var response = EndpointResponse.bytes(status, type: "application/json", json.bytes)
            response.offerNonce(pins.proofs)
            return response
        case .failure(.assertion(let refusal)): return pins.answer(to: refusal, request)
        case .failure(.refused(let refusal)):
            var response = EndpointResponse.refusal(refusal, request)
            response.offerNonce(pins.proofs)
            return response
        }
    }
}
