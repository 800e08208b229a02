import HTTPTypes

/// What can be wrong with a request before any endpoint has understood it.
///
/// The form of the answer depends on the route: OAuth endpoints answer as RFC 6749 §5.2 says, pages with a page, and
/// everything else with a problem document (RFC 9457).
enum RequestFault: Error, Sendable {
    /// No route has this path.
    case unknownPath
    /// The path exists, the method does not; the names are those that do.
    case methodNotAllowed([HTTPRequest.Method])
    /// A method that this server knows nowhere.
    case methodUnknown
    /// The client accepts nothing that the route can answer.
    case notAcceptable
    /// The body is not of the type that the route takes, which is named.
    case unsupportedMediaType(String)
    /// The body is larger than the limit in bytes.
    case bodyTooLarge(Int)
    /// The body ended before its announced length, or came in no known framing.
    case bodyTruncated
    /// A header that must appear once appears twice.
    case doubledHeader(String)
    /// A parameter, member or header is malformed; the sentence is safe to show and carries nothing of its value.
    case malformed(String)
    /// A proxy took the request in plain, though the issuer is https.
    case plainTransport
    /// The request names another host than the issuer's and loopback, for what is this machine's own. Carries the
    /// path's own address.
    case foreignHost(address: String)

    var status: HTTPResponse.Status {
        switch self {
        case .unknownPath: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .methodUnknown: .notImplemented
        case .notAcceptable: .notAcceptable
        case .unsupportedMediaType: .unsupportedMediaType
        case .bodyTooLarge: .contentTooLarge
        case .bodyTruncated, .doubledHeader, .malformed: .badRequest
        case .plainTransport: .forbidden
        case .foreignHost: .misdirectedRequest
        }
    }

    /// The `code` of the problem document.
    var code: String {
        switch self {
        case .unknownPath: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .methodUnknown: "not_implemented"
        case .notAcceptable: "not_acceptable"
        case .unsupportedMediaType: "unsupported_media_type"
        case .bodyTooLarge: "content_too_large"
        case .bodyTruncated, .doubledHeader, .malformed: "bad_request"
        case .plainTransport: "https_required"
        case .foreignHost: "misdirected_request"
        }
    }

    /// One sentence for the developer on the other side.
    var detail: String {
        switch self {
        case .unknownPath: "There is nothing at this path."
        case .methodNotAllowed(let methods):
            "This path accepts \(methods.map(\.rawValue).joined(separator: ", ")) only."
        case .methodUnknown: "This server does not know the method."
        case .notAcceptable: "The Accept header allows no type that this path can answer with."
        case .unsupportedMediaType(let expected): "The body must be \(expected)."
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes."
        case .bodyTruncated: "The body ended early."
        case .doubledHeader(let name): "The header \(name) appears more than once."
        case .malformed(let sentence): sentence
        case .plainTransport: "This server accepts requests over https only."
        case .foreignHost(let address):
            "This path is available only at the issuer's host and at loopback addresses. Its address is \(address)"
        }
    }
}
