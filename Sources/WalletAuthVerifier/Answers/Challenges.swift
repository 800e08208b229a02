internal import WalletAuthWire

/// Builds the refusals of one protected resource: status, challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3) and
/// body.
struct Challenges: Sendable {
    /// Which schemes an answer names.
    enum Schemes: Hashable {
        case both
        case dpop
    }

    /// Whether a challenge names an error: not where nothing was presented (RFC 6750 §3.1).
    private enum Naming: Hashable {
        case error
        case schemesAlone
    }

    /// The algorithms of proofs that are taken here.
    static let proofAlgorithms = DPoPProof.algorithmNames.joined(separator: " ")

    let realm: String

    /// No token came along: how to bring one, and no error.
    func missingToken(_ schemes: Schemes) -> AccessRefusal {
        refusal(
            .missingToken, 401, "An access token is required", reason: "no access token", schemes,
            naming: .schemesAlone)
    }

    /// Two tokens, two proofs, or nonsense.
    func invalidRequest(_ reason: String, _ schemes: Schemes = .both) -> AccessRefusal {
        refusal(.invalidRequest, 400, "The request's credentials are malformed", reason: reason, schemes)
    }

    func invalidToken(_ reason: String, _ schemes: Schemes) -> AccessRefusal {
        refusal(.invalidToken, 401, "The access token is not valid here", reason: reason, schemes)
    }

    func invalidProof(_ reason: String) -> AccessRefusal {
        refusal(.invalidProof, 401, "The DPoP proof is not valid for this request", reason: reason, .dpop)
    }

    func useNonce(_ nonce: String) -> AccessRefusal {
        refusal(
            .useNonce, 401, "The DPoP proof needs the nonce of this answer", reason: "no nonce of ours", .dpop,
            headers: [HeaderField("DPoP-Nonce", nonce)])
    }

    func insufficientScope(_ scope: Scope, _ schemes: Schemes) -> AccessRefusal {
        refusal(
            .insufficientScope, 403, "The access token's scope is too narrow", reason: "lacks a scope of \(scope)",
            schemes, parameters: [("scope", scope.rawValue)])
    }

    /// RFC 9470 §3: what to ask for at the authorization endpoint.
    func insufficientUserAuthentication(
        _ requirement: AccessRequirement, reason: String, _ schemes: Schemes
    ) -> AccessRefusal {
        let needed = AuthenticationRequirements(
            acrValues: requirement.acrValues, maximumAge: requirement.maximumAge?.components.seconds)
        return refusal(
            .insufficientUserAuthentication, 401, "The person has to sign in again, or with more factors",
            reason: reason, schemes, parameters: needed.challengeParameters)
    }

    /// A person's endpoint, and a client for itself. No challenge: another sign-in of this client would not help.
    static func personRequired() -> AccessRefusal {
        let problem = Problem(
            status: 403, code: AccessRefusal.Code.personRequired.rawValue, title: "This is for people who signed in")
        return AccessRefusal(
            code: .personRequired, answer: ProblemAnswer(problem), reason: "a token by client credentials")
    }

    static func unavailable(_ reason: String) -> AccessRefusal {
        let problem = Problem(
            status: 503, code: AccessRefusal.Code.temporarilyUnavailable.rawValue,
            title: "The access token cannot be checked now")
        return AccessRefusal(
            code: .temporarilyUnavailable, answer: ProblemAnswer(problem, headers: [HeaderField("Retry-After", "5")]),
            reason: reason)
    }

    /// One person's requests, of whom nobody else is to notice anything (RFC 6585 §4).
    static func tooManyRequests(retryAfter wait: Duration) -> AccessRefusal {
        let problem = Problem(
            status: 429, code: AccessRefusal.Code.tooManyRequests.rawValue, title: "Too many requests of one person")
        let seconds = max(1, wait.components.seconds + 1)
        return AccessRefusal(
            code: .tooManyRequests,
            answer: ProblemAnswer(problem, headers: [HeaderField("Retry-After", String(seconds))]),
            reason: "one person's share of the memory of proofs is taken")
    }

    private func refusal(
        _ code: AccessRefusal.Code, _ status: Int, _ title: String, reason: String, _ schemes: Schemes,
        naming: Naming = .error, parameters: [(name: String, value: String)] = [], headers: [HeaderField] = []
    ) -> AccessRefusal {
        var shared = [("realm", realm)]
        if naming == .error { shared += [("error", code.rawValue), ("error_description", title)] }
        shared += parameters
        var challenges = [challenge(.dpop, [("algs", Self.proofAlgorithms)] + shared)]
        if schemes == .both {
            // An error answers a bearer token. Where nothing was presented, clients that read one challenge learn the better one.
            challenges.insert(challenge(.bearer, shared), at: naming == .error ? 0 : 1)
        }
        return AccessRefusal(
            code: code,
            answer: ProblemAnswer(
                Problem(status: status, code: code.rawValue, title: title), headers: challenges + headers),
            reason: reason)
    }

    private func challenge(_ scheme: TokenType, _ parameters: [(String, String)]) -> HeaderField {
        let text = parameters.map { name, value in "\(name)=\"\(Self.quotable(value))\"" }.joined(separator: ", ")
        return HeaderField("WWW-Authenticate", "\(scheme.rawValue) \(text)")
    }

    /// What a quoted string may hold without escapes (RFC 6750 §3).
    private static func quotable(_ text: String) -> String {
        String(
            decoding: text.utf8.filter {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }, as: UTF8.self)
    }
}
