internal import Core
package import HTTPTypes
package import Kernel
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

/// The scheme of the access token in a request.
package enum AccessTokenScheme: String, Sendable {
    case bearer
    case dpop

    /// - Parameter header: the `Authorization` header. The result is `nil` for any other scheme.
    package init?(_ header: String?) {
        self.init(rawValue: header?.prefix { $0 != " " }.lowercased() ?? "")
    }
}

extension EndpointRequest {
    /// The origin of the request, for rate limits and the audit log.
    package var origin: RequestOrigin {
        RequestOrigin(
            address: context.client.address?.text ?? "unknown", traceID: context.trace.traceID,
            userAgent: headers[.userAgent], brandsHint: headers[.secCHUA], platformHint: headers[.secCHUAPlatform],
            acceptLanguage: context.acceptLanguage)
    }

    /// The DPoP proof, if any.
    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two (RFC 9449 §4.3, check 1).
    package func proof() throws(RequestFault) -> PresentedProof {
        PresentedProof(header: try headers.single(.dpop), method: head.method.rawValue, path: requestedPath)
    }

    package func idempotencyKey() throws -> IdempotencyKey? {
        try headers.single(.idempotencyKey).map { try IdempotencyKey($0) }
    }

    /// The `Idempotency-Key` of a request that requires one.
    package func requiredIdempotencyKey() throws -> IdempotencyKey {
        guard let key = try idempotencyKey() else {
            throw RequestFault.malformed("The Idempotency-Key header is missing.")
        }
        return key
    }

    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two.
    package func authorization() throws(RequestFault) -> String? { try headers.single(.authorization) }

    /// The attestation of the app's instance, if any.
    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two.
    package func clientAttestation() throws(RequestFault) -> String? { try headers.single(.clientAttestation) }

    /// The access token and its proof.
    /// - Throws: ``RequestFault`` for doubled or malformed headers.
    package func credentials() throws -> PresentedCredentials {
        PresentedCredentials(authorization: try accessToken(), proof: try proof(), origin: origin)
    }

    /// The access token in the `Authorization` header; `nil` if there is none.
    /// - Throws: ``RequestFault`` for a doubled header or an unknown scheme.
    package func accessToken() throws -> PresentedAccessToken? {
        guard let header = try authorization() else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { throw RequestFault.malformed("The Authorization header is malformed.") }
        let token = String(parts[1].trimmed())
        switch AccessTokenScheme(header) {
        case .bearer: return .bearer(try AccessToken(token))
        case .dpop: return .dpop(try AccessToken(token))
        case nil: throw RequestFault.malformed("The scheme of the Authorization header must be Bearer or DPoP.")
        }
    }
}
