import Foundation
import WalletAuthWire

/// Makes sessions of what the token endpoint answers.
struct SessionGrant: Sendable {
    let issuer: Issuer
    let clientID: ClientID

    /// The session of a redeemed code.
    /// - Parameters:
    ///   - nonce: the nonce of the request; nil where it had none, or where it was a native sign-in.
    ///   - maximumAge: the `max_age` of the request; nil where it had none.
    ///   - key: the key that the request was proved by.
    /// - Throws: ``WalletError`` with code `invalid_id_token` when the ID token does not fit.
    func session(
        from response: TokenResponse, at receivedAt: Instant, asked scopes: [String], nonce: Nonce?,
        maximumAge: Int64? = nil, key: BoundKey?, during operation: WalletError.Operation
    ) throws -> Session {
        let idToken = try response.idToken.map {
            try idTokenClaims(
                $0, nonce: nonce, accessToken: response.accessToken, maximumAge: maximumAge, at: receivedAt, operation)
        }
        if idToken == nil, nonce != nil {
            throw WalletError(
                .invalidIDToken, .refused, during: operation, reachedServer: true,
                reason: "the answer has no ID token, though a nonce asked for one")
        }
        var owner = TokenOwner(subject: idToken?.subject, merchantID: response.merchantID?.rawValue)
        owner.sessionID = idToken?.sessionID
        let claims = UnverifiedClaims(response.accessToken.reveal())
        owner.complete(from: claims)
        return Session(
            owner: owner, scopes: response.scope?.tokens ?? scopes, accessToken: response.accessToken,
            tokenType: response.tokenType, life: life(of: response, claims: claims, at: receivedAt),
            refreshToken: response.refreshToken,
            keyThumbprint: response.tokenType == .dpop ? key?.thumbprint : nil, renewal: .idle)
    }

    /// The session after a renewal.
    /// - Throws: ``WalletError`` with code `malformed_answer` when the answer is another person's or merchant's.
    func renewed(_ session: Session, from response: TokenResponse, at receivedAt: Instant) throws -> Session {
        var renewed = session
        let claims = UnverifiedClaims(response.accessToken.reveal())
        var owner = TokenOwner(merchantID: response.merchantID?.rawValue)
        owner.complete(from: claims)
        if let idToken = response.idToken {
            // OpenID Connect Core §12.2: same issuer and person; a nonce need not be there.
            owner.subject = try idTokenClaims(idToken, nonce: nil, accessToken: nil, at: receivedAt, .refresh).subject
        }
        guard session.owner.allows(owner) else {
            throw WalletError(
                .malformedAnswer, .misconfigured, during: .refresh, reachedServer: true,
                reason: "the renewed token belongs to somebody else")
        }
        guard response.tokenType == session.tokenType else {
            throw WalletError(
                .malformedAnswer, .misconfigured, during: .refresh, reachedServer: true,
                reason: "the renewed token is \(response.tokenType.rawValue), the session's was not")
        }
        renewed.owner = session.owner.completed(by: owner)
        renewed.accessToken = response.accessToken
        renewed.life = life(of: response, claims: claims, at: receivedAt)
        // A server that does not rotate sends none: the former one stays (RFC 6749 §6).
        renewed.refreshToken = response.refreshToken ?? session.refreshToken
        if let scope = response.scope { renewed.scopes = scope.tokens }
        renewed.renewal = .idle
        return renewed
    }

    private func life(of response: TokenResponse, claims: UnverifiedClaims?, at receivedAt: Instant) -> TokenLife {
        if let seconds = response.expiresIn {
            return TokenLife(issuedAt: receivedAt, lifetime: .seconds(min(seconds, 10 * 365 * 86_400)))
        }
        return TokenLife(endsAt: claims?.expiresAt, lifetime: nil)
    }

    /// Reads and checks an ID token that came from the token endpoint over TLS: the server's certificate stands for its
    /// signature (OpenID Connect Core §3.1.3.7 item 6), whatever algorithm it has; `none` is refused all the same.
    private func idTokenClaims(
        _ token: IDToken, nonce: Nonce?, accessToken: AccessToken?, maximumAge: Int64? = nil, at now: Instant,
        _ operation: WalletError.Operation
    ) throws -> IDTokenClaims {
        do {
            guard let parts = UnverifiedClaims(token.reveal()), parts.algorithm != "none" else {
                throw MalformedValue(field: "id_token", reason: "is no signed JWT")
            }
            let claims = try IDTokenClaims(parts.claims.object)
            try claims.validate(
                IDTokenClaims.Expectation(
                    issuer: issuer, clientID: clientID, nonce: nonce,
                    accessToken: parts.algorithm.hasSuffix("256") ? accessToken : nil, maxAge: maximumAge),
                now: NumericDate(clamping: now.seconds))
            return claims
        } catch {
            throw WalletError(
                .invalidIDToken, .refused, during: operation, reachedServer: true,
                reason: "the ID token does not fit: \(error)")
        }
    }
}

/// What a JWT says, read without checking its signature: for tokens that came straight from the token endpoint, or that
/// the app itself brings.
struct UnverifiedClaims: Sendable {
    let algorithm: String
    let claims: JWTClaims

    /// Nil when the text is no JWT.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])),
            let algorithm = (try? JSONValue.object(parsing: header))?["alg"]?.string,
            let claims = try? JWTClaims(parsing: payload)
        else { return nil }
        self.algorithm = algorithm
        self.claims = claims
    }

    var expiresAt: Instant? {
        (try? claims.date("exp")).flatMap { $0 }.map { Instant(milliseconds: $0.secondsSince1970 * 1000) }
    }

    /// The thumbprint of the key that the token is bound to (RFC 9449 §6.1).
    var keyThumbprint: JWKThumbprint? {
        (claims.object["cnf"]?.object?["jkt"]?.string).flatMap { try? JWKThumbprint($0) }
    }
}

extension TokenOwner {
    init(subject: String? = nil, merchantID: String?) {
        self.init(subject: subject, merchantID: merchantID, sessionID: nil)
    }

    /// Fills what is not known yet from an access token that is a JWT.
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

    /// The merchant that a sign-in for the same owner has to name; nil for none.
    var merchant: MerchantID? { merchantID.flatMap { try? MerchantID($0) } }

    /// Whether `other` can be the same person at the same merchant: what both name has to be the same.
    func allows(_ other: TokenOwner) -> Bool {
        func agree(_ a: String?, _ b: String?) -> Bool { a == nil || b == nil || a == b }
        return agree(subject, other.subject) && agree(merchantID, other.merchantID)
    }
}
