/// The unverified proof of possession in a request (RFC 9449 §4).
package struct PresentedProof: Sendable, Hashable {
    /// The `DPoP` header; `nil` if there was none. The edge refuses more than one.
    package var header: String?
    /// The request's method, which `htm` must match.
    package var method: String
    /// The request's path without query, percent-encoded as received. With the issuer before it, `htu` must match it.
    package var path: String

    package init(header: String?, method: String, path: String) {
        self.header = header
        self.method = method
        self.path = path
    }
}
