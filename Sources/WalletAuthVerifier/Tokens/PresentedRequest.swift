/// What a request brought with it to be let in, as a server framework has it. Every header of the two names is passed on:
/// that there is only one is checked here.
public struct PresentedRequest: Hashable, Sendable {
    /// The request's method, in capitals.
    public var method: String
    /// The request's path as it was received: percent-encoded, beginning with a slash, with or without its query. What
    /// stands before it is the verifier's ``AccessTokenVerifier/externalURL``, never the `Host` header or another that a
    /// sender chooses.
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
    /// Method and path without the query: the rest is secret.
    public var description: String { "\(method) \(path.prefix { $0 != "?" })" }

    /// Without children, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
