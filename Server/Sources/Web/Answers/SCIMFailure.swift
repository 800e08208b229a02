package import HTTPTypes
internal import WalletAuthWire

/// An error of SCIM (RFC 7644 §3.12, RFC 9865 §2), and its answer.
package struct SCIMFailure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable {
        case invalidFilter, tooMany, uniqueness, mutability, invalidSyntax, invalidPath, noTarget, invalidValue
        case invalidCursor, expiredCursor
    }

    package static let mediaType = "application/scim+json"

    package let status: HTTPResponse.Status
    package let kind: Kind?
    /// For the developer of the client; it never contains a value of the request.
    package let detail: String
    package let retryAfter: Int64?

    package init(_ status: HTTPResponse.Status, _ kind: Kind?, _ detail: String, retryAfter: Int64? = nil) {
        self.status = status
        self.kind = kind
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Without a kind.
    package init(_ status: HTTPResponse.Status, _ detail: String, retryAfter: Int64? = nil) {
        self.init(status, nil, detail, retryAfter: retryAfter)
    }

    /// 400 of a kind.
    package init(_ kind: Kind, _ detail: String) { self.init(.badRequest, kind, detail) }

    /// A fault of the request, found before an endpoint.
    init(_ fault: RequestFault) {
        let isSyntax = if case .malformed = fault { true } else { false }
        self.init(fault.status, isSyntax ? .invalidSyntax : nil, fault.detail)
    }

    package var response: EndpointResponse {
        var document = JSONObject()
        document.set("schemas", ["urn:ietf:params:scim:api:messages:2.0:Error"])
        document.set("status", String(status.code))
        document.set("scimType", kind?.rawValue)
        document.set("detail", detail)
        var response = EndpointResponse.bytes(status, type: Self.mediaType, document.bytes)
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response.refused(kind?.rawValue ?? "scim_\(status.code)", detail)
    }
}
