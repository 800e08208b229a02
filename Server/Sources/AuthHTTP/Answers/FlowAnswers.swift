import Hummingbird

/// Maps the refusals of one group of flows to responses for apps.
protocol FlowAnswers: Sendable {
    associatedtype Refusal: Error

    var faults: FaultAnswers { get }

    func answer(to refusal: Refusal, _ context: ServerRequestContext) -> Response
}

extension FlowAnswers {
    func response<Value>(
        to outcome: Result<Value, Refusal>, _ request: EndpointRequest, _ success: (Value) -> Response
    ) -> Response {
        switch outcome {
        case .success(let value): success(value)
        case .failure(let refusal): answer(to: refusal, request.context)
        }
    }
}
