import HTTPTypes
import Hummingbird

/// Answers requests that match no route: unknown paths and unknown methods.
struct Faults: RouterMiddleware {
    typealias Context = ServerRequestContext

    let answers: FaultAnswers

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let fault: RequestFault =
                Route.knownMethods.contains(request.method) ? .unknownPath : .methodUnknown
            return answers.response(to: fault, Self.errorFormat(for: request), context)
        } catch {
            return answers.response(toInfrastructure: error, .problem, context)
        }
    }

    /// A person who mistyped an address gets a page, a program a problem document.
    private static func errorFormat(for request: Request) -> Route.ErrorFormat {
        guard request.method == .get || request.method == .head, request.headers[.accept]?.contains("text/html") == true
        else { return .problem }
        return .page
    }
}
