/// Why a JOSE object is refused. For logs and tests: a remote party is told no more than that the token is invalid.
public enum JOSEError: Error, Hashable, Sendable {
    /// It has not the form of a compact or general JWS, or something in it is no canonical base64url.
    case malformed
    /// It is longer than it may be.
    case tooLarge
    /// The header or the claims are JSON that is refused.
    case malformedJSON(MalformedValue)
    /// `alg` is missing, `none`, symmetric, or otherwise not among those taken here.
    case algorithmNotAllowed
    /// `alg` is not the algorithm of the key.
    case algorithmDoesNotFitKey
    /// The header has a parameter that is refused: an extension in `crit`, or a key that the sender brings along.
    case headerNotAllowed(String)
    /// `typ` is another than the one this place takes.
    case wrongType
    /// No key is known by the header's `kid`.
    case unknownKey
    /// The key is not one that is taken: wrong curve, private members, an RSA key that is too short.
    case keyNotAllowed(String)
    /// The signature is wrong.
    case invalidSignature
    /// A claim is missing or is not what it must be.
    case claim(name: String, ClaimFault)

    /// What is wrong with a claim.
    public enum ClaimFault: Hashable, Sendable {
        /// It must be there and is not.
        case missing
        /// It has the wrong type or form.
        case malformed
        /// It has the right form and the wrong value.
        case mismatch
        /// The time it names is over.
        case expired
        /// The time it names has not come.
        case tooEarly
        /// The time it names is farther away than is taken here.
        case tooFar
    }
}

extension JOSEError: CustomStringConvertible {
    /// What is wrong, as the end of a sentence that begins with the token.
    public var description: String {
        switch self {
        case .malformed: "is no JWS"
        case .tooLarge: "is longer than it may be"
        case .malformedJSON(let fault): "has a part that is refused: \(fault)"
        case .algorithmNotAllowed: "is signed by an algorithm that is not taken"
        case .algorithmDoesNotFitKey: "names another algorithm than its key's"
        case .headerNotAllowed(let name): "has a header parameter that is refused: \(name)"
        case .wrongType: "is of another type"
        case .unknownKey: "is signed by a key that is not known"
        case .keyNotAllowed(let reason): "is signed by a key that is not taken: it \(reason)"
        case .invalidSignature: "has a wrong signature"
        case .claim(let name, let fault): fault.words(of: name)
        }
    }
}

extension JOSEError.ClaimFault {
    fileprivate func words(of name: String) -> String {
        switch self {
        case .missing: "has no \(name)"
        case .malformed: "has a malformed \(name)"
        case .mismatch: "has another \(name) than expected"
        case .expired: "is too old by its \(name)"
        case .tooEarly: "is from the future by its \(name)"
        case .tooFar: "lives too long by its \(name)"
        }
    }
}
