internal import WalletAuthWire

/// Builds the refusals of one protected resource: status, challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3) and
/// body.
struct Challenges: Sendable {
    /// The schemes that an answer lists.
    enum Schemes: Hashable {
        case both
        case dpop
    }

    /// Whether a challenge names an error. It doesn't if the request had no credentials (RFC 6750 §3.1).
    private enum Naming: Hashable {
        case error
        case schemesAlone
    }

    /// The proof algorithms accepted here.
    static let proofAlgorithms = DPoPProof.algorithmNames.joined(separator: " ")

    let realm: String
    /// Where the resource's metadata is (RFC 9728 §5.1).
    let metadataURL: String?

    /// The request has no token: the answer lists the schemes and no error.
    func missingToken(_ schemes: Schemes) -> AccessRefusal {
        refusal(
            .missingToken, 401, "An access token is required", reason: "no access token", schemes,
            naming: .schemesAlone)
    }

    /// Two tokens, two proofs, or malformed credentials.
    func invalidRequest(_ reason: String, _ schemes: Schemes = .both) -> AccessRefusal {
        refusal(.invalidRequest, 400, "The request's credentials are malformed", reason: reason, schemes)
    }

    /// - Parameter description: what the sender of a token with the issuer's signature may know.
    func invalidToken(_ reason: String, _ schemes: Schemes, description: String? = nil) -> AccessRefusal {
        refusal(
            .invalidToken, 401, "The access token is not valid here", description: description, reason: reason, schemes)
    }

    func expiredToken(_ expiry: NumericDate, now: NumericDate, _ schemes: Schemes) -> AccessRefusal {
        let ago = now.secondsSince1970 - expiry.secondsSince1970
        return invalidToken(
            "the token \(JOSEError.claim(name: "exp", .expired))", schemes,
            description: "The access token expired \(ago) seconds ago")
    }

    func invalidProof(_ reason: String) -> AccessRefusal {
        refusal(.invalidProof, 401, "The DPoP proof is not valid for this request", reason: reason, .dpop)
    }

    func wrongClock(_ reason: String) -> AccessRefusal {
        refusal(.invalidProof, 401, "The clock of the device is more than five minutes off", reason: reason, .dpop)
    }

    func useNonce(_ nonce: String) -> AccessRefusal {
        refusal(
            .useNonce, 401, "The DPoP proof needs the nonce in this response", reason: "no nonce of this server", .dpop,
            headers: [HeaderField("DPoP-Nonce", nonce)])
    }

    func insufficientScope(_ scope: Scope, _ schemes: Schemes) -> AccessRefusal {
        refusal(
            .insufficientScope, 403, "The access token's scope is too narrow", reason: "lacks a scope of \(scope)",
            schemes, parameters: [("scope", scope.rawValue)])
    }

    /// A token for authorization details, where none are taken.
    func detailsAlone(_ schemes: Schemes) -> AccessRefusal {
        refusal(
            .insufficientScope, 403, "The access token is for its authorization_details alone",
            reason: "a token for authorization details", schemes)
    }

    /// The parameters for the next authorization request (RFC 9470 §3).
    func insufficientUserAuthentication(
        _ requirement: AccessRequirement, reason: String, _ schemes: Schemes
    ) -> AccessRefusal {
        let needed = AuthenticationRequirements(
            acrValues: requirement.acrValues, maximumAge: requirement.maximumAge?.components.seconds)
        return refusal(
            .insufficientUserAuthentication, 401, "The person must sign in again, or with more factors",
            reason: reason, schemes, parameters: needed.challengeParameters)
    }

    /// A client's own token at an endpoint for people. There is no challenge: another sign-in of this client would not
    /// help.
    static func personRequired() -> AccessRefusal {
        plain(.personRequired, 403, "This endpoint requires a signed-in person", reason: "a client credentials token")
    }

    /// No attested app enrolled the session's device. There is no challenge: another sign-in of this app would not help.
    static func attestedAppRequired() -> AccessRefusal {
        plain(.attestationRequired, 403, "This endpoint requires an attested app", reason: "attestation is missing")
    }

    static func unavailable(_ reason: String) -> AccessRefusal {
        plain(.temporarilyUnavailable, 503, "The access token cannot be checked now", reason: reason, retryAfter: 5)
    }

    /// One person sent too many requests. Other people aren't affected (RFC 6585 §4).
    static func tooManyRequests(retryAfter wait: Duration) -> AccessRefusal {
        plain(
            .tooManyRequests, 429, "Too many requests from one person",
            reason: "the person's share of the proof memory is full", retryAfter: max(1, wait.components.seconds + 1))
    }

    private static func plain(
        _ code: AccessRefusal.Code, _ status: Int, _ title: String, reason: String, retryAfter: Int64? = nil
    ) -> AccessRefusal {
        let headers = retryAfter.map { [HeaderField("Retry-After", String($0))] } ?? []
        return AccessRefusal(
            code: code,
            answer: ProblemAnswer(
                Problem(status: status, code: code.rawValue, title: title), headers: headers),
            reason: reason)
    }

    private func refusal(
        _ code: AccessRefusal.Code, _ status: Int, _ title: String, description: String? = nil, reason: String,
        _ schemes: Schemes, naming: Naming = .error, parameters: [(name: String, value: String)] = [],
        headers: [HeaderField] = []
    ) -> AccessRefusal {
        var shared = [("realm", realm)]
        if naming == .error { shared += [("error", code.rawValue), ("error_description", description ?? title)] }
        shared += parameters
        if let metadataURL { shared.append(("resource_metadata", metadataURL)) }
        var challenges = [challenge(.dpop, [("algs", Self.proofAlgorithms)] + shared)]
        if schemes == .both {
            // After an error, the bearer challenge comes first for a bearer token. Without credentials DPoP comes
            // first, for clients that read only one challenge.
            challenges.insert(challenge(.bearer, shared), at: naming == .error ? 0 : 1)
        }
        return AccessRefusal(
            code: code,
            answer: ProblemAnswer(
                Problem(status: status, code: code.rawValue, title: title, detail: description),
                headers: challenges + headers),
            reason: reason)
    }

    private func challenge(_ scheme: TokenType, _ parameters: [(String, String)]) -> HeaderField {
        let text = parameters.map { name, value in "\(name)=\"\(Self.quotable(value))\"" }.joined(separator: ", ")
        return HeaderField("WWW-Authenticate", "\(scheme.rawValue) \(text)")
    }

    /// The characters that a quoted string may contain without escapes (RFC 6750 §3).
    private static func quotable(_ text: String) -> String {
        String(
            decoding: text.utf8.filter {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }, as: UTF8.self)
    }
}
