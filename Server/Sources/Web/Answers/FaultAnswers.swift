package import HTTPTypes
internal import Kernel
package import Logging
internal import Store
internal import WalletAuthWire

/// Renders faults in the error format of each route.
///
/// This folder owns the shape of answers: problem documents, OAuth errors, challenges and nonces. Which refusal gets
/// which answer is decided next to the endpoints of each flow.
package struct FaultAnswers: Sendable {
    package let pages: Pages
    package let logger: Logger

    /// The answer to a request that failed before it reached an endpoint.
    package func response(
        to fault: RequestFault, _ errorFormat: Route.ErrorFormat, _ context: RequestFacts
    ) -> EndpointResponse {
        var response: EndpointResponse
        switch errorFormat {
        case .oauth, .resource:
            response = .json(fault.status) {
                $0.member("error", "invalid_request")
                $0.member("error_description", fault.detail)
            }
        case .loyalty:
            response = .bytes(
                fault.status, type: "application/json", LoyaltyFailure(.invalidRequest, fault.detail).json.bytes)
        case .scim: response = SCIMFailure(fault).response
        case .problem, .plain:
            response = problem(fault.status, code: fault.code, detail: fault.detail, context)
        case .page:
            response = pages.fault(PageFault(fault), status: fault.status, code: fault.code, context)
        }
        if case .methodNotAllowed(let methods) = fault {
            response.headers[.allow] = methods.map(\.rawValue).joined(separator: ", ")
        }
        return response.refused(fault.code, fault.detail)
    }

    /// The answer to an error of the server's own. The log gets the details under the trace id; the client gets the id
    /// and whether a retry makes sense.
    package func response(
        toInfrastructure error: any Error, _ errorFormat: Route.ErrorFormat, _ context: RequestFacts
    ) -> EndpointResponse {
        let isPassing =
            error is CancellationError || error is PasswordOverload || (error as? StoreError)?.isPassing ?? false
        logger.error(
            "request failed",
            metadata: [
                "route": .string(context.route ?? "other"), "trace": .string(context.trace.traceID),
                "error": .string(String(describing: error)),
            ])
        return failure(isPassing ? .serviceUnavailable : .internalServerError, errorFormat, context, retryAfter: 1)
    }

    /// 503 while the clocks disagree: whatever depends on the time would be decided wrongly. The clocks' monitor has logged it.
    package func response(toDisagreeingClocks errorFormat: Route.ErrorFormat, _ context: RequestFacts)
        -> EndpointResponse
    {
        failure(.serviceUnavailable, errorFormat, context, retryAfter: 10)
    }

    /// The answers to everything that can go wrong around an endpoint.
    package func every(on route: Route) -> [EndpointResponse] {
        let faults =
            if case .none = route.body { RequestFault.always } else { RequestFault.always + RequestFault.ofBodies }
        let (format, facts) = (route.errorFormat, RequestFacts())
        return faults.map { response(to: $0, format, facts) }
            + [.internalServerError, .serviceUnavailable].map { failure($0, format, facts, retryAfter: 1) }
    }

    private func failure(
        _ status: HTTPResponse.Status, _ errorFormat: Route.ErrorFormat, _ context: RequestFacts,
        retryAfter seconds: Int64
    ) -> EndpointResponse {
        let isPassing = status == .serviceUnavailable
        let code = isPassing ? "temporarily_unavailable" : "server_error"
        var response: EndpointResponse
        switch errorFormat {
        case .oauth, .resource:
            response = .json(status) {
                $0.member("error", code)
                $0.member("error_code", code)
                $0.member("status_code", Int64(status.code))
                $0.member("trace_id", context.trace.traceID)
            }
        case .loyalty:
            let isOneTimePassword = context.route == Endpoints.oneTimePassword.path
            let failure = LoyaltyFailure(
                isPassing ? .busy : isOneTimePassword ? .oneTimePasswordSystemError : .systemError)
            response = .bytes(status, type: "application/json", failure.json.bytes)
        case .scim:
            response = SCIMFailure(status, isPassing ? "Try again in a moment." : "The server failed.").response
        case .problem, .plain:
            response = problem(status, code: code, detail: nil, context)
        case .page:
            response = pages.fault(isPassing ? .unavailable : .serverFault, status: status, code: code, context)
        }
        if isPassing { response.headers[.retryAfter] = String(seconds) }
        return response.refused(code, "An earlier line says why.")
    }

    /// A problem document (RFC 9457) with the members that the wire contract adds.
    package func problem(
        _ status: HTTPResponse.Status, code: String, detail: String?, _ context: RequestFacts
    ) -> EndpointResponse {
        let problem = Problem(
            status: status.code, code: code, title: status.reasonPhrase, detail: detail, statusCode: status.code,
            traceID: context.trace.traceID)
        return .problem(status, code: code, problem.json)
    }

    /// A problem document with a `Retry-After`, in seconds.
    package func problem(
        _ status: HTTPResponse.Status, code: String, detail: String?, retryAfter seconds: Int64,
        _ context: RequestFacts
    ) -> EndpointResponse {
        var response = problem(status, code: code, detail: detail, context)
        response.headers[.retryAfter] = String(seconds)
        return response
    }

    /// 429 with a `Retry-After`, in seconds.
    package func tooManyAttempts(
        _ detail: String = "Wait before you try again.", retryAfter seconds: Int64, _ context: RequestFacts
    ) -> EndpointResponse {
        problem(.tooManyRequests, code: "too_many_attempts", detail: detail, retryAfter: seconds, context)
    }
}

/// Maps the refusals of one group of flows to responses for apps.
package protocol FlowAnswers: Sendable {
    associatedtype Refusal: Error

    func answer(to refusal: Refusal, _ context: RequestFacts) -> EndpointResponse
}

extension FlowAnswers {
    package func response<Value>(
        to outcome: Result<Value, Refusal>, _ request: EndpointRequest, _ success: (Value) -> EndpointResponse
    ) -> EndpointResponse {
        switch outcome {
        case .success(let value): success(value)
        case .failure(let refusal): answer(to: refusal, request.context)
        }
    }
}
