package import HTTPTypes

/// Faults of a request, found before an endpoint has parsed it.
///
/// The route decides the format of the answer: OAuth endpoints use RFC 6749 §5.2, pages show a page, everything else
/// sends a problem document (RFC 9457).
package enum RequestFault: Error, Sendable {
    case unknownPath
    /// The path exists, the method does not. Carries the methods that do.
    case methodNotAllowed([HTTPRequest.Method])
    /// No route of this server has the method.
    case methodUnknown
    /// The client accepts no type that the route can send.
    case notAcceptable
    /// The body has another type than the route accepts. Carries the accepted one.
    case unsupportedMediaType(String)
    /// The body exceeds the limit, in bytes.
    case bodyTooLarge(Int)
    /// The body ended before its announced length, or its framing is unknown.
    case bodyTruncated
    /// A header that must be unique appears twice.
    case doubledHeader(String)
    /// A parameter, member or header is malformed. The sentence is safe to show: it never contains the value.
    case malformed(String)
    /// The request reached a proxy in plain HTTP, though the issuer is https.
    case plainTransport
    /// A configured proxy did not say how the request reached it, though the issuer is https.
    case silentProxy
    /// A route reserved to this machine was requested under a foreign host. Carries the correct address.
    case foreignHost(address: String)

    /// What any route may answer, and what only those that read a body do.
    package static let always: [RequestFault] = [.notAcceptable, .plainTransport, .malformed("")]
    package static let ofBodies: [RequestFault] = [.unsupportedMediaType(""), .bodyTooLarge(0), .bodyTruncated]

    package var status: HTTPResponse.Status {
        switch self {
        case .unknownPath: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .methodUnknown: .notImplemented
        case .notAcceptable: .notAcceptable
        case .unsupportedMediaType: .unsupportedMediaType
        case .bodyTooLarge: .contentTooLarge
        case .bodyTruncated, .doubledHeader, .malformed: .badRequest
        case .plainTransport, .silentProxy: .forbidden
        case .foreignHost: .misdirectedRequest
        }
    }

    package var code: String {
        switch self {
        case .unknownPath: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .methodUnknown: "not_implemented"
        case .notAcceptable: "not_acceptable"
        case .unsupportedMediaType: "unsupported_media_type"
        case .bodyTooLarge: "content_too_large"
        case .bodyTruncated, .doubledHeader, .malformed: "bad_request"
        case .plainTransport, .silentProxy: "https_required"
        case .foreignHost: "misdirected_request"
        }
    }

    /// One sentence for the developer of the client.
    package var detail: String {
        switch self {
        case .unknownPath: "There is nothing at this path."
        case .methodNotAllowed(let methods):
            "This path accepts \(methods.map(\.rawValue).joined(separator: ", ")) only."
        case .methodUnknown: "This server does not know the method."
        case .notAcceptable: "The Accept header allows no type that this path can return."
        case .unsupportedMediaType(let expected): "The body must be \(expected)."
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes."
        case .bodyTruncated: "The body ended early."
        case .doubledHeader(let name): "The header \(name) appears more than once."
        case .malformed(let sentence): sentence
        case .plainTransport: "This server accepts requests over https only."
        case .silentProxy:
            "The proxy does not say whether the request reached it over https: it must set X-Forwarded-Proto."
        case .foreignHost(let address):
            "This path is available only at the issuer's host and at loopback addresses. Its address is \(address)"
        }
    }
}
