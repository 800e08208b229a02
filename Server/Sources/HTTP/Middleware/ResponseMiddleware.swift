import HTTPTypes
import Hummingbird
import Web

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
            return noted(answers.response(to: fault, Self.errorFormat(for: request), context.facts), context)
        } catch {
            return noted(answers.response(toInfrastructure: error, .problem, context.facts), context)
        }
    }

    private func noted(_ response: EndpointResponse, _ context: ServerRequestContext) -> Response {
        context.refusal.note(response, to: nil)
        return Response(response)
    }

    /// A person who mistyped an address gets a page, a program a problem document.
    private static func errorFormat(for request: Request) -> Route.ErrorFormat {
        guard request.method == .get || request.method == .head, request.headers[.accept]?.contains("text/html") == true
        else { return .problem }
        return .page
    }
}

/// The headers of every answer. Pages add their own, see ``Pages``.
///
/// A header that the endpoint has set is kept: pages bring a policy with their own form target, and public documents
/// set how long they may be cached. Everything else is never stored.
struct SecurityHeaders: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// Whether the issuer is https. Browsers then get `Strict-Transport-Security`.
    let strictTransport: Bool

    /// For everything except pages: no content runs, loads or gets framed.
    static let closedPolicy = "default-src 'none'; frame-ancestors 'none'"

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        if !response.headers.contains(.contentSecurityPolicy) {
            response.headers[.contentSecurityPolicy] = Self.closedPolicy
        }
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        if strictTransport { response.headers[.strictTransportSecurity] = "max-age=63072000; includeSubDomains" }
        return response
    }
}

/// Removes the content from every answer to HEAD, refusals included, and keeps the fields GET would have (RFC 9110
/// §9.3.2). On a persistent connection, the peer would take content for the start of the next answer.
///
/// Removes the length from answers of status 204, which must not have one (RFC 9110 §8.6).
struct ContentlessAnswers: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if request.method == .head { response = response.createHeadResponse() }
        // For HTTP/1.1 the encoder does this, for HTTP/2 it does not.
        if response.status == .noContent { response.headers[.contentLength] = nil }
        return response
    }
}
