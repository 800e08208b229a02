import HTTPTypes
import Hummingbird
import Kernel
import Logging
import NIOCore
import WalletAuthWire

/// One row of the route table: the request, its body and answer, and the handler.
///
/// This folder owns what all endpoints share: a route and its caller, reading headers and forms, and the faults that
/// precede any endpoint. It knows no flow's answers. The types of request bodies are in WalletAuthWire.
struct Route: Sendable {
    /// The body a request must have.
    enum Body: Sendable {
        /// Not read.
        case none
        /// `application/x-www-form-urlencoded`.
        case form
        /// A form, or no body.
        case formOrNothing
        /// A form. A body of any other type is not read.
        case formOrIgnored
        /// `application/json`.
        case json
    }

    /// The format of the route's errors. The client must accept it as well.
    enum ErrorFormat: Sendable {
        /// JSON, with errors in the format of RFC 6749 §5.2.
        case oauth
        /// JSON, with errors as problem documents (RFC 9457).
        case problem
        /// JSON of the loyalty API, with its own error format.
        case loyalty
        /// JSON of a protected resource, with errors in `WWW-Authenticate` (RFC 6750 §3).
        case resource
        case page
        /// Anything else: files, text.
        case plain
    }

    /// The origins whose pages may read the answer.
    enum Origins: Sendable {
        case own
        case any
    }

    /// Who may call a route.
    enum Caller: Sendable, Hashable {
        /// The operator's own app, on behalf of the person signed in to it.
        case app
        /// An app in which a person approves an operation.
        case consentingApp
        /// A backend on its own behalf, with this scope.
        case backend(scope: String)
        /// An enrolled device that signed the request.
        case device
        /// No authenticated caller: some requests of the route prove by their content who sent them.
        case provedByContent
    }

    let method: HTTPRequest.Method
    let path: String
    let body: Body
    let errorFormat: ErrorFormat
    /// The media type of a successful answer. Errors have the `errorFormat`.
    let mediaType: String
    let origins: Origins
    /// The admitted callers; first the one that a request without credentials is taken for. Empty if the content of every request
    /// proves the sender, or if the route is public.
    let callers: [Caller]
    /// Authenticates the caller and answers. It rethrows the errors of `Callers` and of the parsers.
    let handler: @Sendable (EndpointRequest, Callers) async throws -> Response

    // Private: only the two initializers below create rows, so that none can omit its check.
    private init(
        method: HTTPRequest.Method, path: String, body: Body, errorFormat: ErrorFormat, mediaType: String,
        origins: Origins, callers: [Caller],
        handler: @escaping @Sendable (EndpointRequest, Callers) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.errorFormat = errorFormat
        self.mediaType = mediaType
        self.origins = origins
        self.callers = callers
        self.handler = handler
    }

    /// Whether secrets pass through the route. Public keys, health and files are also served to probes on the inner
    /// network.
    var isConfidential: Bool {
        if case .plain = errorFormat { false } else { true }
    }

    /// Whether no answer depends on the time: health, metrics, keys and files.
    var isTimeless: Bool { !isConfidential }

    /// The methods of RFC 9110 and RFC 5789. Any other gets 501.
    static let knownMethods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]
}

extension Route {
    /// A route without an authenticated caller: it is public, or the request's content proves the sender.
    init(
        _ method: HTTPRequest.Method, _ path: String, body: Body = .none, _ errorFormat: ErrorFormat,
        gives mediaType: String = "application/json", from origins: Origins = .own,
        _ handler: @escaping @Sendable (EndpointRequest) async throws -> Response
    ) {
        self.init(
            method: method, path: path, body: body, errorFormat: errorFormat, mediaType: mediaType, origins: origins,
            callers: []
        ) { request, _ in try await handler(request) }
    }

    /// A route with an authenticated caller.
    init<Admitted>(
        _ method: HTTPRequest.Method, _ path: String, body: Body = .none, _ errorFormat: ErrorFormat,
        gives mediaType: String = "application/json", by requirement: CallerRequirement<Admitted>,
        _ handler: @escaping @Sendable (EndpointRequest, Admitted) async throws -> Response
    ) {
        self.init(
            method: method, path: path, body: body, errorFormat: errorFormat, mediaType: mediaType, origins: .own,
            callers: requirement.callers
        ) { request, callers in
            try await handler(request, requirement.check(request, callers))
        }
    }
}

/// A request as its endpoint gets it: checked against the route, with the body already read.
struct EndpointRequest: Sendable {
    let request: Request
    /// The path of the route, with the names of its variable segments.
    let path: String
    var context: ServerRequestContext
    /// The whole body, within the limit; empty if the route takes none.
    let body: [UInt8]

    var headers: HTTPFields { request.headers }

    /// - Throws: `MalformedValue` for doubled or malformed parameters.
    func form() throws(MalformedValue) -> FormParameters { try FormParameters(parsing: body) }

    /// - Throws: `MalformedValue` for doubled or malformed parameters.
    func query() throws(MalformedValue) -> FormParameters {
        guard let query = request.uri.query else { return FormParameters() }
        return try FormParameters(parsing: query)
    }

    /// - Throws: `MalformedValue` if the body is not an object, too deeply nested, not UTF-8, or has a doubled member.
    func json() throws(MalformedValue) -> JSONObject { try JSONValue.object(parsing: body) }

    /// The text of a variable segment of the path, counted from the left.
    func pathText(at index: Int = 0) -> String? {
        zip(path.split(separator: "/"), request.uri.path.split(separator: "/"))
            .filter { $0.0.hasPrefix("{") }.dropFirst(index).first.map { String($0.1) }
    }

    /// A variable segment of the path, counted from the left, as `Endpoint.path(_:)` fills them.
    /// - Throws: `MalformedValue` if it does not parse.
    func pathValue<Value: WireValue>(
        at index: Int = 0, as type: Value.Type = Value.self
    ) throws(MalformedValue) -> Value {
        guard let text = pathText(at: index) else { throw MalformedValue(field: "path", reason: "has no such segment") }
        return try Value(text)
    }
}

/// The values a request carries through the middleware to its endpoint.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or a proxy.
    let peer: SocketAddress?
    /// Set by ``Observation``, the outermost middleware.
    var trace: TraceContext
    /// Set by ``Observation`` from the peer and, behind trusted proxies, from their headers.
    var client: ClientAddress.Origin
    /// The browser's language preferences, for pages whose request names no language.
    var acceptLanguage: String?
    /// The query as received, for the languages of error pages: the request may never have been read.
    var query: String?
    /// The scheme of the request's access token. Refusals use the same one.
    var scheme: AccessTokenScheme?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
        trace = .none
        client = ClientAddress.Origin(
            address: nil, arrivedInPlain: false, isDirectLoopback: false, isFromUnknownProxy: false)
    }
}
