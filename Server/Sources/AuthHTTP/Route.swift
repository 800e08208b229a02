import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// One row of the table of routes: what is asked, what is taken and given, and who answers.
struct Route: Sendable {
    /// What a request's body must be.
    enum Body: Sendable {
        /// It is not read.
        case none
        /// `application/x-www-form-urlencoded`.
        case form
        /// The same, or nothing at all.
        case formOrNothing
        /// `application/json`.
        case json
    }

    /// The format of the route's errors, which also says what the client must accept.
    enum ErrorFormat: Sendable {
        /// JSON, with errors as RFC 6749 §5.2 has them.
        case oauth
        /// JSON, with errors as problem documents (RFC 9457).
        case problem
        /// JSON of the loyalty API, whose faults are its failures.
        case loyalty
        /// JSON of a protected resource: errors stand in `WWW-Authenticate` (RFC 6750 §3).
        case resource
        /// HTML for a person.
        case page
        /// Neither: files, text.
        case plain
    }

    /// Which pages of other origins may read the answer.
    enum Origins: Sendable {
        case own
        case any
    }

    /// Who may call, where a token or a device's signature says it.
    enum Caller: Sendable, Hashable {
        /// The operator's own app, for the person who is signed in to it.
        case app
        /// An app in which a person agrees to something.
        case consentingApp
        /// A backend in its own name, with this scope.
        case backend(scope: String)
        /// An enrolled device, by its signature over the request.
        case device
    }

    let method: HTTPRequest.Method
    let path: String
    let body: Body
    let errorFormat: ErrorFormat
    /// The media type of a good answer. Errors have the `errorFormat`.
    let mediaType: String
    let origins: Origins
    /// Who may call: any of them. Empty where the request's content proves who sent it, and where anybody may.
    let callers: [Caller]
    /// Checks the caller and answers. It throws what `Callers` and the parsers throw.
    let handler: @Sendable (EndpointRequest, Callers) async throws -> Response

    // A row is made by the initializers below alone, so that none can leave its check out.
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

    /// Whether anything secret passes. Public keys, health and files are for probes on the inner network as well.
    var isConfidential: Bool {
        if case .plain = errorFormat { false } else { true }
    }

    /// The methods of RFC 9110 and RFC 5789; any other is answered 501.
    static let knownMethods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]
}

extension Route {
    /// A route whose handler gets no caller: anybody may call, or the request's content proves who sent it.
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

    /// A route whose handler gets the caller, once it is let in.
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

/// A request as an endpoint's file gets it: the route's demands are met and the body has been read.
struct EndpointRequest: Sendable {
    let request: Request
    let context: ServerRequestContext
    /// The whole body, at most the limit; empty where the route takes none.
    let body: [UInt8]

    var headers: HTTPFields { request.headers }

    /// The parameters of the body.
    /// - Throws: `MalformedValue` for doubled or malformed ones.
    func form() throws(MalformedValue) -> FormParameters { try FormParameters(parsing: body) }

    /// The parameters of the URL.
    /// - Throws: `MalformedValue` for doubled or malformed ones.
    func query() throws(MalformedValue) -> FormParameters {
        guard let query = request.uri.query else { return FormParameters() }
        return try FormParameters(parsing: query)
    }

    /// The members of the body.
    /// - Throws: `MalformedValue` for what is no object, too deep, doubled or no UTF-8.
    func json() throws(MalformedValue) -> JSONObject { try JSONValue.object(parsing: body) }

    /// A segment of the path.
    /// - Throws: `MalformedValue` when it is not what it should be.
    func pathValue<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(MalformedValue) -> Value {
        guard let text = context.parameters.get(name) else { throw MalformedValue(field: name, reason: "is missing") }
        return try Value(text)
    }
}
