/// What a request brought to prove that it holds a key (RFC 9449 §4), not yet checked.
package struct PresentedProof: Sendable, Hashable {
    /// The `DPoP` header; `nil` where there was none. More than one is refused at the edge.
    package var header: String?
    /// The request's method, as the proof's `htm` must name it.
    package var method: String
    /// The request's path, percent-encoded as received: with the issuer before it, what the proof's `htu` must name.
    package var path: String

    /// - Parameters:
    ///   - header: the `DPoP` header's value.
    ///   - method: the request's method.
    ///   - path: the request's path without query.
    package init(header: String?, method: String, path: String) {
        self.header = header
        self.method = method
        self.path = path
    }
}
