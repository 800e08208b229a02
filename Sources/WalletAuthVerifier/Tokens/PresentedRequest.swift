/// The parts of a request that authenticate it, as your server framework provides them. Pass every header of the two
/// names: the verifier checks that there is only one.
public struct PresentedRequest: Hashable, Sendable {
    /// The request's method, in capitals.
    public var method: String
    /// The request's path as received: percent-encoded, with a leading slash, with or without its query. The part
    /// before it is the verifier's ``AccessTokenVerifier/externalURL``, never the `Host` header or another header that
    /// the sender controls.
    public var path: String
    /// The values of the `Authorization` header, usually one.
    public var authorization: [String]
    /// The values of the `DPoP` header, at most one in an honest request.
    public var proofs: [String]

    /// Creates a request. Each parameter sets the property of the same name.
    public init(method: String, path: String, authorization: [String], proofs: [String] = []) {
        self.method = method
        self.path = path
        self.authorization = authorization
        self.proofs = proofs
    }
}

extension PresentedRequest: CustomStringConvertible, CustomReflectable {
    /// Method and path without the query: everything else is secret.
    public var description: String { "\(method) \(path.prefix { $0 != "?" })" }

    /// No children, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
