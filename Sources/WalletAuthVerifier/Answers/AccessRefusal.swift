/// Why a request is not let in, with the answer that says so by the standards: RFC 6750, RFC 9449 and RFC 9470.
public struct AccessRefusal: Error, Hashable, Sendable {
    /// The stable name of a refusal; new ones may be added. Where a standard has an error code, it is that.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The name.
        public let rawValue: String

        /// Names a refusal.
        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The stable name of the refusal.
    public let code: Code
    /// What to answer with.
    public let answer: ProblemAnswer
    /// For the backend's log: more exact than what the sender is told, and never a token or a proof.
    public let reason: String
}

extension AccessRefusal.Code {
    /// 401: no token came along. The answer names the ways to bring one, and no error (RFC 6750 §3.1).
    public static let missingToken = Self(rawValue: "missing_token")
    /// 400: several tokens, several proofs, or a malformed one.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// 401: the token is forged, over, another server's, for somebody else, or shown in the wrong way.
    public static let invalidToken = Self(rawValue: "invalid_token")
    /// 401: the DPoP proof is missing, malformed, for another request, or was used before.
    public static let invalidProof = Self(rawValue: "invalid_dpop_proof")
    /// 401: the proof lacks the nonce that the answer carries.
    public static let useNonce = Self(rawValue: "use_dpop_nonce")
    /// 403: the token's scope is too narrow.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// 401: the person has to sign in anew, or with more factors (RFC 9470).
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// 403: the endpoint is for people, and a client came for itself.
    public static let personRequired = Self(rawValue: "person_required")
    /// 429: this person sent so many proofs that those of others would find no room.
    public static let tooManyRequests = Self(rawValue: "too_many_requests")
    /// 503: the issuer's keys, or the memory of proofs, cannot be had.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
}
