/// What a request brought to prove that it holds a key (RFC 9449 §4), not yet checked.
public struct PresentedProof: Sendable, Hashable {
    /// The `DPoP` header; `nil` where there was none. More than one is refused at the edge.
    public var header: String?
    /// The request's method, as the proof's `htm` must name it.
    public var method: String
    /// The request's path, percent-encoded as received: with the issuer before it, what the proof's `htu` must name.
    public var path: String

    /// - Parameters:
    ///   - header: the `DPoP` header's value.
    ///   - method: the request's method.
    ///   - path: the request's path without query.
    public init(header: String?, method: String, path: String) {
        self.header = header
        self.method = method
        self.path = path
    }
}
