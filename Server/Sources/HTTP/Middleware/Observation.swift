import HTTPTypes
import Hummingbird
import Logging
import WalletAuthWire
import Web

/// The outermost middleware: sets the trace and the client's address of a request, then counts and logs it.
///
/// The access log has the route template, never the path, query or body. Otherwise codes, tokens or sealed requests
/// would end up in a file that many people can read. The line of a refused request also says why, and which client the
/// request names, as ``LoggedRefusal`` bounds it.
///
/// This folder owns the middleware of all routes. Requirements of single routes belong to ``RouteResponder``.
struct Observation: RouterMiddleware {
    typealias Context = ServerRequestContext

    let clients: ClientAddress
    let metrics: RequestMetrics
    let logger: Logger

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        context.observed.trace = TraceContext(traceparent: request.headers[.traceParent])
        context.observed.client = clients.origin(of: request.headers, peer: context.peer)
        context.observed.isGet = request.method == .get
        context.observed.acceptLanguage = request.headers[.acceptLanguage]
        context.observed.query = request.uri.query
        context.observed.scheme = AccessTokenScheme(request.headers[.authorization])

        var response = try await next(request, context)

        response.headers[.traceParent] = context.observed.trace.traceparent
        let duration = start.duration(to: .now)
        let template = context.endpointPath ?? "other"
        metrics.record(
            RequestMetrics.RouteLabel(method: request.method.rawValue, template: template),
            status: response.status.code, duration: duration)
        log(request.method, template, response.status, duration, context)
        return response
    }

    private func log(
        _ method: HTTPRequest.Method, _ template: String, _ status: HTTPResponse.Status, _ duration: Duration,
        _ context: ServerRequestContext
    ) {
        // Proxies probe the health several times a second.
        let isProbe = status == .ok && (template == Endpoints.live.path || template == Endpoints.ready.path)
        let level: Logger.Level = status.kind == .serverError ? .warning : isProbe ? .debug : .info
        // Checked before the metadata is built, so that a request costs a single comparison when the access log is off.
        guard logger.logLevel <= level else { return }
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        var metadata: Logger.Metadata = [
            "method": .string(Self.name(of: method)),
            "route": .string(template),
            "status": .stringConvertible(status.code),
            "us": .stringConvertible(microseconds),
            "trace": .string(context.observed.trace.traceID),
        ]
        if let (refusal, client) = context.refusal.content { Self.add(refusal, client, to: &metadata) }
        logger.log(level: level, "request", metadata: metadata)
    }

    private static func add(_ refusal: LoggedRefusal, _ client: String?, to metadata: inout Logger.Metadata) {
        metadata["code"] = .string(refusal.code)
        metadata["reason"] = refusal.reason.map { .string($0) }
        metadata["client"] = client.map { .string($0) }
        guard let redirect = refusal.redirect else { return }
        metadata["received"] = .string(redirect.received ?? "none")
        metadata["registered"] = .string(redirect.registeredText)
    }

    /// The client chooses the method's name, so unknown names are not logged.
    private static func name(of method: HTTPRequest.Method) -> String {
        Route.knownMethods.contains(method) ? method.rawValue : "other"
    }
}
