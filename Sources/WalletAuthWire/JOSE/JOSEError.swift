/// The reason a JOSE object is refused. For logs and tests only: a remote party learns only that the token is invalid, and of its DPoP
/// proof ``DPoPProof/sentence(about:)``.
public enum JOSEError: Error, Hashable, Sendable {
    /// It is not a compact or general JWS, or part of it is not canonical base64url.
    case malformed
    /// It is too long.
    case tooLarge
    /// The header or the claims are malformed JSON.
    case malformedJSON(MalformedValue)
    /// `alg` is missing, `none`, symmetric, or otherwise not accepted here.
    case algorithmNotAllowed
    /// `alg` is not the algorithm of the key.
    case algorithmDoesNotFitKey
    /// The header has a refused parameter: an extension in `crit`, or the sender's own key.
    case headerNotAllowed(String)
    /// `typ` is not the expected one.
    case wrongType
    /// No key matches the header's `kid`.
    case unknownKey
    /// The key is not acceptable: wrong curve, private members, an RSA key that is too short.
    case keyNotAllowed(String)
    /// The signature is wrong.
    case invalidSignature
    /// A claim is missing or wrong.
    case claim(name: String, ClaimFault)

    /// The fault of a claim.
    public enum ClaimFault: Hashable, Sendable {
        /// It is missing.
        case missing
        /// It has the wrong type or form.
        case malformed
        /// It has the wrong value.
        case mismatch
        /// Its time has passed.
        case expired
        /// Its time has not come yet.
        case tooEarly
        /// Its time is too far away.
        case tooFar
    }
}

extension JOSEError: CustomStringConvertible {
    /// The fault, as the end of a sentence that begins with the token.
    public var description: String {
        switch self {
        case .malformed: "is not a JWS"
        case .tooLarge: "is longer than it may be"
        case .malformedJSON(let fault): "has a part that is refused: \(fault)"
        case .algorithmNotAllowed: "is signed with an algorithm that is not accepted"
        case .algorithmDoesNotFitKey: "names a different algorithm from its key's"
        case .headerNotAllowed(let name): "has a header parameter that is refused: \(name)"
        case .wrongType: "is of another type"
        case .unknownKey: "is signed with an unknown key"
        case .keyNotAllowed(let reason): "is signed with an unacceptable key: it \(reason)"
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
        case .mismatch: "has an unexpected \(name)"
        case .expired: "is too old according to its \(name)"
        case .tooEarly: "is from the future according to its \(name)"
        case .tooFar: "lives too long according to its \(name)"
        }
    }
}
