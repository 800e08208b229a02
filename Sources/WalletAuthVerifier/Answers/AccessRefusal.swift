internal import WalletAuthTransport

/// The reason a request is refused, with the answer that the standards prescribe: RFC 6750, RFC 9449 and RFC 9470.
public struct AccessRefusal: Error, Hashable, Sendable {
    /// The stable name of a refusal: the standard's error code if there is one. New names may be added.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The name.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The stable name of the refusal.
    public let code: Code
    /// The response to send.
    public let answer: ProblemAnswer
    /// Diagnostic text for the backend's log. It says more than the answer does, and never contains a token or a proof.
    public let reason: String
}

extension AccessRefusal: CustomStringConvertible {
    /// Code and reason on one line, for the log.
    public var description: String { "\(code.rawValue): \(reason)".asServerWords }
}

extension AccessRefusal.Code {
    /// 401: the request has no token. The answer lists the supported schemes and no error (RFC 6750 §3.1).
    public static let missingToken = Self(rawValue: "missing_token")
    /// 400: the request has several tokens, several proofs, or a malformed one.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// 401: the token is forged, has expired, is from another server or for another audience, or came under the wrong
    /// scheme.
    public static let invalidToken = Self(rawValue: "invalid_token")
    /// 401: the DPoP proof is missing or malformed, is for another request, or was used before.
    public static let invalidProof = Self(rawValue: "invalid_dpop_proof")
    /// 401: the proof lacks the nonce in the answer.
    public static let useNonce = Self(rawValue: "use_dpop_nonce")
    /// 403: the token's scope is too narrow.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// 401: the person must sign in again, or with more factors (RFC 9470).
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// 403: the endpoint requires a signed-in person, and the token is a client's own.
    public static let personRequired = Self(rawValue: "person_required")
    /// 403: the endpoint requires an attested app, and the token names none.
    public static let attestationRequired = Self(rawValue: "attestation_required")
    /// 429: the person sent so many proofs that their share of the proof memory is full.
    public static let tooManyRequests = Self(rawValue: "too_many_requests")
    /// 503: the issuer's keys or the proof memory are unavailable.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
}

extension AccessRefusal.Code: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
