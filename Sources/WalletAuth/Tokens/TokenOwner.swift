import WalletAuthWire

/// The owner of a token.
struct TokenOwner: Hashable, Sendable, Codable {
    var subject: String?
    var merchantID: String?
    var sessionID: String?
}

extension TokenOwner {
    init(subject: String? = nil, merchantID: String?) {
        self.init(subject: subject, merchantID: merchantID, sessionID: nil)
    }

    /// Fills in missing values from a JWT access token.
    mutating func complete(from claims: UnverifiedClaims?) {
        guard let claims = claims?.claims else { return }
        subject = subject ?? claims.subject
        merchantID = merchantID ?? claims.object["merchant_id"]?.string
        sessionID = sessionID ?? claims.object["sid"]?.string
    }

    func completed(by other: TokenOwner) -> TokenOwner {
        TokenOwner(
            subject: subject ?? other.subject, merchantID: merchantID ?? other.merchantID,
            sessionID: sessionID ?? other.sessionID)
    }

    /// Whether the server may consider both tokens part of one session, so that revoking one ends the other (RFC 7009
    /// §2.1). `sid` decides; if either has none, all tokens with the same `sub` may belong together.
    func mayShareServerSession(with other: TokenOwner) -> Bool {
        if let sessionID, let other = other.sessionID { return sessionID == other }
        guard let subject, let other = other.subject else { return false }
        return subject == other
    }

    /// The merchant to name in a new sign-in of the same owner; nil for none.
    var merchant: MerchantID? { merchantID.flatMap { try? MerchantID($0) } }

    /// Whether `other` can be the same person at the same merchant: values that both have must match.
    func allows(_ other: TokenOwner) -> Bool {
        func agree(_ a: String?, _ b: String?) -> Bool { a == nil || b == nil || a == b }
        return agree(subject, other.subject) && agree(merchantID, other.merchantID)
    }
}
