import WalletAuthWire

/// The ID token in an answer to a refresh. Its times are ignored: a server may repeat the sign-in's ID token (OpenID
/// Connect Core §12.2), and it only decides who owns the answer.
enum IDTokenFinding {
    case none
    case readable(subject: String, sessionID: String?, JWTClaims)
    /// The text is the end of a sentence; the claims are the readable ones.
    case unreadable(String, JWTClaims?)

    init(_ member: JSONValue?) {
        switch member {
        case nil, .null?: self = .none
        case .string(let text)? where text.isEmpty: self = .none
        case .string(let text)?: self = Self.find(text)
        default: self = .unreadable("is not a string", nil)
        }
    }

    private static func find(_ text: String) -> IDTokenFinding {
        guard let parts = UnverifiedClaims(text) else { return .unreadable("is not a JWT", nil) }
        let claims = parts.claims
        guard parts.algorithm != "none" else { return .unreadable("is not signed", claims) }
        guard claims.issuer != nil, let subject = claims.subject, let audience = claims.audience, !audience.isEmpty
        else { return .unreadable("lacks iss, sub or aud", claims) }
        if let party = claims.object["azp"] {
            guard party.string != nil else { return .unreadable("has a malformed azp", claims) }
        } else if audience.count > 1 {
            return .unreadable("has several audiences and no azp", claims)
        }
        return .readable(subject: subject, sessionID: claims.object["sid"]?.string, claims)
    }

    var claims: JWTClaims? {
        switch self {
        case .none: nil
        case .readable(_, _, let claims): claims
        case .unreadable(_, let claims): claims
        }
    }

    var isReadable: Bool { if case .readable = self { true } else { false } }
}
