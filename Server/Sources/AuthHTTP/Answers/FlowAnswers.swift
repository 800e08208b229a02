import Hummingbird

/// Tells what the flows of one matter refuse to apps.
protocol FlowAnswers: Sendable {
    /// What is refused.
    associatedtype Refusal: Error

    var faults: FaultAnswers { get }

    /// The answer to a refusal.
    func answer(to refusal: Refusal, _ context: ServerRequestContext) -> Response
}

extension FlowAnswers {
    /// The answer to an outcome.
    func response<Value>(
        to outcome: Result<Value, Refusal>, _ request: EndpointRequest, _ success: (Value) -> Response
    ) -> Response {
        switch outcome {
        case .success(let value): success(value)
        case .failure(let refusal): answer(to: refusal, request.context)
        }
    }
}
