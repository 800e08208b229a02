import HTTPTypes
import Hummingbird
import Operations
import SignIn
import Transactions
import WalletAuthWire

/// Maps the refusals of the transaction flows to responses.
///
/// This folder owns the requests of backends, devices and the page about transactions. Their states and signatures are
/// in AuthTransactions.
struct TransactionAnswers: Sendable {
    let server: AuthorizationServer
    let pins: PINAnswers

    func response<Value>(
        to outcome: Result<Value, TransactionRefusal>, _ request: EndpointRequest, _ success: (Value) -> Response
    ) -> Response {
        switch outcome {
        case .success(let value): success(value)
        case .failure(let refusal): .refusal(refusal, request)
        }
    }

    func response(
        to outcome: Result<JSONObject, TransactionRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> Response {
        response(to: outcome, request) { .bytes(status, type: "application/json", $0.bytes) }
    }

    func response(
        to outcome: Result<JSONObject, DeviceTransactionRefusal>, _ request: EndpointRequest,
        _ status: HTTPResponse.Status = .ok
    ) -> Response {
        switch outcome {
        case .success(let json):
            var response = Response.bytes(status, type: "application/json", json.bytes)
            response.offerNonce(server)
            return response
        case .failure(.assertion(let refusal)): return pins.response(to: .failure(DevicePINRefusal(refusal)), request)
        case .failure(.refused(let refusal)):
            var response = Response.refusal(refusal, request)
            response.offerNonce(server)
            return response
        }
    }
}
