import AuthFlows
import Hummingbird

/// Tells what the flows of one matter refuse, to apps that bind their calls to a key.
protocol FlowAnswers: Sendable {
    /// What is refused.
    associatedtype Refusal: Error

    var server: AuthorizationServer { get }
    var faults: FaultAnswers { get }

    /// The answer to a refusal.
    func answer(to refusal: Refusal, _ context: ServerRequestContext) -> Response
}

extension FlowAnswers {
    /// The answer to an outcome, with a fresh nonce for the app's next proof.
    func response<Value>(
        to outcome: Result<Value, Refusal>, _ request: EndpointRequest, _ success: (Value) -> Response
    ) -> Response {
        var response: Response
        switch outcome {
        case .success(let value): response = success(value)
        case .failure(let refusal): response = answer(to: refusal, request.context)
        }
        response.offerNonce(server)
        return response
    }
}
