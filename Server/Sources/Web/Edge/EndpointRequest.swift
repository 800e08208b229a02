package import HTTPTypes
package import WalletAuthWire

/// A request as its endpoint gets it: checked against the route, with the body already read.
package struct EndpointRequest: Sendable {
    package let head: HTTPRequest
    /// The path of the request, without its query.
    package let requestedPath: String
    /// `nil` if there is no question mark.
    package let queryText: String?
    /// The path of the route, with the names of its variable segments.
    package let path: String
    package var context: RequestFacts
    /// The whole body, within the limit; empty if the route takes none.
    package var body: [UInt8]

    package var headers: HTTPFields { head.headerFields }

    package init(
        head: HTTPRequest, requestedPath: String, queryText: String?, path: String, context: RequestFacts,
        body: [UInt8]
    ) {
        self.head = head
        self.requestedPath = requestedPath
        self.queryText = queryText
        self.path = path
        self.context = context
        self.body = body
    }

    /// - Throws: `MalformedValue` for doubled or malformed parameters.
    package func form() throws(MalformedValue) -> FormParameters { try FormParameters(parsing: body) }

    /// - Throws: `MalformedValue` for doubled or malformed parameters.
    package func query() throws(MalformedValue) -> FormParameters {
        guard let query = queryText else { return FormParameters() }
        return try FormParameters(parsing: query)
    }

    /// - Throws: `MalformedValue` if the body is not an object, too deeply nested, not UTF-8, or has a doubled member.
    package func json() throws(MalformedValue) -> JSONObject { try JSONValue.object(parsing: body) }

    /// The text of a variable segment of the path, counted from the left.
    package func pathText(at index: Int = 0) -> String? {
        zip(path.split(separator: "/"), requestedPath.split(separator: "/"))
            .filter { $0.0.hasPrefix("{") }.dropFirst(index).first.map { String($0.1) }
    }

    /// A variable segment of the path, counted from the left, as `Endpoint.path(_:)` fills them.
    /// - Throws: `MalformedValue` if it does not parse.
    package func pathValue<Value: WireValue>(
        at index: Int = 0, as type: Value.Type = Value.self
    ) throws(MalformedValue) -> Value {
        guard let text = pathText(at: index) else { throw MalformedValue(field: "path", reason: "has no such segment") }
        return try Value(text)
    }
}

/// What is known of a request before its endpoint runs.
package struct RequestFacts: Sendable {
    package var trace = TraceContext.none
    /// Where the request came from: the peer or, behind trusted proxies, what their headers say.
    package var client = ClientOrigin()
    /// The template of the route; `nil` if none matched.
    package var route: String?
    /// The browser's language preferences, for pages whose request names no language.
    package var acceptLanguage: String?
    /// Whether following a link to the same address repeats the request.
    package var isGet = false
    /// The query as received, for the languages of error pages: the request may never have been read.
    package var query: String?
    /// The scheme of the request's access token. Refusals use the same one.
    package var scheme: AccessTokenScheme?

    package init() {}
}
