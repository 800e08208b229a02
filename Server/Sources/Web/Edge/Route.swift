package import HTTPTypes
package import Kernel

/// One row of the route table: the request, its body and answer, and the handler.
///
/// This folder owns what all endpoints share: a route and its caller, reading headers and forms, and the faults that
/// precede any endpoint. It knows no flow's answers. The types of request bodies are in WalletAuthWire.
package struct Route: Sendable {
    /// The body a request must have.
    package enum Body: Sendable {
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
        /// `application/scim+json` or `application/json`.
        case scim
    }

    /// The format of the route's errors. The client must accept it as well.
    package enum ErrorFormat: Sendable {
        /// JSON, with errors in the format of RFC 6749 §5.2.
        case oauth
        /// JSON, with errors as problem documents (RFC 9457).
        case problem
        /// JSON of the loyalty API, with its own error format.
        case loyalty
        /// JSON of SCIM, with errors in the format of RFC 7644 §3.12.
        case scim
        /// JSON of a protected resource, with errors in `WWW-Authenticate` (RFC 6750 §3).
        case resource
        case page
        /// Anything else: files, text.
        case plain
    }

    /// The origins whose pages may read the answer.
    package enum Origins: Sendable {
        case own
        case any
    }

    /// Who may call a route.
    package enum Caller: Sendable, Hashable {
        /// The operator's own app, on behalf of the person signed in to it.
        case app
        /// An app in which a person approves an operation.
        case consentingApp
        /// A backend on its own behalf, with this scope.
        case backend(scope: String)
        /// An operator, or a backend with a role, that administers the server.
        case administrator
        /// An enrolled device that signed the request.
        case device
        /// No authenticated caller: some requests of the route prove by their content who sent them.
        case provedByContent
    }

    package let method: HTTPRequest.Method
    package let path: String
    package let body: Body
    package let errorFormat: ErrorFormat
    /// The media type of a successful answer. Errors have the `errorFormat`.
    package let mediaType: String
    package let origins: Origins
    /// The admitted callers; first the one that a request without credentials is taken for. Empty if the content of every request
    /// proves the sender, or if the route is public.
    package let callers: [Caller]
    /// `nil` for a route that the document does not have.
    package private(set) var description: RouteDescription?
    /// The rest of what a caller needs to know; `nil` for a page.
    package private(set) var contract: (@Sendable () -> Contract)?
    /// Authenticates the caller and answers. It rethrows the errors of `Callers` and of the parsers.
    package let handler: @Sendable (EndpointRequest, Callers) async throws -> EndpointResponse

    // Private: only the two initializers below create rows, so that none can omit its check.
    private init(
        method: HTTPRequest.Method, path: String, body: Body, errorFormat: ErrorFormat, mediaType: String,
        origins: Origins, callers: [Caller],
        handler: @escaping @Sendable (EndpointRequest, Callers) async throws -> EndpointResponse
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

    /// The route with its description.
    /// - Parameter contract: made when it is asked for; `nil` for a page.
    package func stating(
        _ chapter: RouteDescription.Chapter, _ id: String, _ summary: String,
        _ contract: (@Sendable () -> Contract)? = nil
    ) -> Route {
        var route = self
        route.description = RouteDescription(chapter: chapter, id: id, summary: summary)
        route.contract = contract
        return route
    }

    /// Whether secrets pass through the route. Public keys, health and files are also served to probes on the inner
    /// network.
    package var isConfidential: Bool {
        if case .plain = errorFormat { false } else { true }
    }

    /// Whether no answer depends on the time: health, metrics, keys and files.
    package var isTimeless: Bool { !isConfidential }

    /// The methods of RFC 9110 and RFC 5789. Any other gets 501.
    package static let knownMethods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]
}

extension Route {
    /// A route without an authenticated caller: it is public, or the request's content proves the sender.
    package init(
        _ method: HTTPRequest.Method, _ path: String, body: Body = .none, _ errorFormat: ErrorFormat,
        gives mediaType: String = "application/json", from origins: Origins = .own,
        _ handler: @escaping @Sendable (EndpointRequest) async throws -> EndpointResponse
    ) {
        self.init(
            method: method, path: path, body: body, errorFormat: errorFormat, mediaType: mediaType, origins: origins,
            callers: []
        ) { request, _ in try await handler(request) }
    }

    /// A route with an authenticated caller.
    package init<Admitted>(
        _ method: HTTPRequest.Method, _ path: String, body: Body = .none, _ errorFormat: ErrorFormat,
        gives mediaType: String = "application/json", by requirement: CallerRequirement<Admitted>,
        _ handler: @escaping @Sendable (EndpointRequest, Admitted) async throws -> EndpointResponse
    ) {
        self.init(
            method: method, path: path, body: body, errorFormat: errorFormat, mediaType: mediaType, origins: .own,
            callers: requirement.callers
        ) { request, callers in
            try await handler(request, requirement.check(request, callers))
        }
    }
}

/// The caller a route requires, and the check for it. The check runs at the edge, and the handler gets the caller as a
/// value.
package struct CallerRequirement<Admitted: Sendable>: Sendable {
    /// The admitted callers, for the route table.
    package let callers: [Route.Caller]
    /// Authenticates the caller.
    /// - Throws: `OAuthRefusal` or `PINRefusal` if the caller is refused, or a fault if the request does not
    ///   identify one.
    package let check: @Sendable (EndpointRequest, Callers) async throws -> Admitted

    package init(
        callers: [Route.Caller], check: @escaping @Sendable (EndpointRequest, Callers) async throws -> Admitted
    ) {
        self.callers = callers
        self.check = check
    }
}

extension CallerRequirement where Admitted == BackendCaller {
    /// A backend on its own behalf, with a scope.
    package static func backend(_ scope: String) -> Self {
        Self(callers: [.backend(scope: scope)]) { request, callers in
            try await callers.backend(request.credentials(), scope: scope)
        }
    }
}
