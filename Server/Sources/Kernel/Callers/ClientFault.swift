package import WalletAuthWire

/// Why a client is not authenticated.
package enum ClientFault: Error, Hashable {
    /// No client has the id.
    case unknown
    /// The client is registered for this method, and used another one or none.
    case method(RegisteredAuthenticationMethod)
    /// The secret is wrong.
    case secret
    /// A public client called where only confidential ones may.
    case publicClient
    /// The assertion is malformed, or no key of the client signed it.
    case assertion(JOSEError)
    /// The client publishes its keys, and they cannot be read.
    case keysUnavailable
    /// The client's key signed the assertion, but a claim is missing or wrong.
    case claim(JOSEError, audiences: [String])
    /// The client's key signed the assertion, which was used before.
    case usedAssertion
    /// The client's key signed the assertion, which may have been used before the database was restored.
    case beforeRestore

    /// Whether the client proved its key, so that the sender may know the fault.
    var isAfterProof: Bool {
        switch self {
        case .claim, .usedAssertion, .beforeRestore: true
        case .unknown, .method, .secret, .publicClient, .assertion, .keysUnavailable: false
        }
    }

    /// In ASCII, without secrets.
    var sentence: String {
        switch self {
        case .unknown: "No client has this id."
        case .method(.none): "The client is registered as public, but sent a secret, an assertion or an attestation."
        case .method(let method): "The client is registered for \(method.rawValue), but used another method or none."
        case .secret: "The client is registered, but its secret is wrong."
        case .publicClient: "The client is public, and only confidential clients may call this."
        case .assertion(.unknownKey):
            "The client's assertion is signed by none of its keys: no key has its kid, or its alg."
        case .keysUnavailable: "The client's keys cannot be read at its jwks_uri."
        case .assertion(let error): "The client's assertion \(error)."
        case .claim(let error, let audiences): "The client's assertion \(error).\(Self.advice(error, audiences))"
        case .usedAssertion: "The client's assertion was used before: each needs a jti of its own."
        case .beforeRestore:
            "The client's assertion may have been used before the restore: it needs an iat of half a minute after it."
        }
    }

    private static func advice(_ error: JOSEError, _ audiences: [String]) -> String {
        guard case .claim(let name, let fault) = error else { return "" }
        return switch (name, fault) {
        case ("iss", _), ("sub", _): " It must be the client's id."
        case ("aud", _): " It must be \(audiences.joined(separator: " or "))."
        case ("exp", .tooFar): " It may be ten minutes ahead, or a day if there is an iat."
        case ("iat", .expired): " Ten minutes later it is refused."
        case ("exp", .expired), ("iat", .tooEarly), ("nbf", .tooEarly): " Compare the clock with the header Date."
        default: ""
        }
    }
}
