extension DPoPProof {
    /// Describes the fault of a refused proof for its sender's developer. It gives nothing away, because the sender knows the proof.
    /// - Parameter error: the error of ``verified(_:for:now:)``.
    /// - Returns: a sentence in ASCII that names the member and repeats nothing of the proof.
    public static func sentence(about error: JOSEError) -> String {
        switch error {
        case .claim(name: "htm", .mismatch): "The proof's htm is for another method."
        case .claim(name: "htu", .mismatch): "The proof's htu is for another URL."
        case .claim(name: "ath", .mismatch): "The proof's ath is for another access token."
        case .claim: "The proof \(error)."
        case .wrongType: "The proof's typ is not dpop+jwt."
        case .algorithmNotAllowed, .algorithmDoesNotFitKey, .invalidSignature, .malformed, .tooLarge:
            "The proof \(error)."
        case .malformedJSON, .headerNotAllowed, .unknownKey, .keyNotAllowed:
            "The proof is malformed, or has an unacceptable key."
        }
    }

    /// Compares a proof that is for another method or URL with its request, for logs. The values are shortened, and a URL has no query.
    /// - Parameters:
    ///   - text: the DPoP header's value.
    ///   - error: the error of ``verified(_:for:now:)``.
    ///   - expected: the request.
    /// - Returns: what was received and what was expected, in ASCII; nil if the fault is another one.
    public static func difference(in text: String, refusedFor error: JOSEError, expected: Expectation) -> String? {
        guard case .claim(let name, .mismatch) = error,
            let token = try? CompactJWS(text, embeddedKey: .required, maximumBytes: maximumBytes),
            let claims = try? JWTClaims(parsing: token.unverifiedPayload), let received = try? claims.string(name)
        else { return nil }
        switch name {
        case "htm": return "htm is \(shown(received)), expected \(shown(expected.method))"
        case "htu":
            guard let target = try? HTTPTarget(received) else { return nil }
            return "htu is \(shown(target.rawValue)), expected \(shown(expected.target.rawValue))"
        default: return nil
        }
    }

    private static func shown(_ text: String) -> String {
        let printable = text.utf8.filter { (0x21...0x7E).contains($0) }
        return String(decoding: printable.prefix(200), as: UTF8.self) + (printable.count > 200 ? "..." : "")
    }
}
