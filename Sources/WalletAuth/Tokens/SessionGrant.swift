import Foundation
import WalletAuthWire

/// Creates sessions from answers of the token endpoint.
struct SessionGrant: Sendable {
    let issuer: Issuer
    let clientID: ClientID

    /// The session of a redeemed code.
    /// - Parameters:
    ///   - object: the answer's body.
    ///   - nonce: the nonce of the request; nil if it had none, or for a native sign-in.
    ///   - login: the request, if it was for a sign-in in the browser.
    ///   - key: the key that proved the request.
    /// - Throws: ``WalletError`` with code `invalid_id_token` if the ID token does not match; `MalformedValue`.
    func session(
        from object: JSONObject, at receivedAt: Instant, asked scopes: [String], nonce: Nonce?,
        login: PendingLogin? = nil, key: BoundKey?, during operation: WalletError.Operation
    ) throws -> Session {
        let claims = UnverifiedClaims(object["access_token"]?.string ?? "")
        // A server that omits the type says nothing about a key; the token itself may.
        let isBound = key != nil && claims?.keyThumbprint == key?.thumbprint
        let response = try TokenResponse(object, assuming: isBound ? .dpop : .bearer)
        let idToken = try response.idToken.map {
            try idTokenClaims(
                $0, nonce: nonce, accessToken: response.accessToken, maximumAge: login?.stepUp?.maximumAge,
                at: receivedAt, operation)
        }
        if idToken == nil, nonce != nil {
            throw WalletError(
                .invalidIDToken, .misconfigured, during: operation, reachedServer: true,
                reason:
                    "the server returned no ID token: if it does not support OpenID Connect, request scopes other than"
                    + " openid")
        }
        var authentication = Session.Authentication(idToken, claims?.claims)
        if let login {
            let isFormer = login.isAnsweredByFormerSignIn(at: authentication.authenticatedAt)
            // The leeway of the ID token's own check would let a sign-in pass that is up to a minute too old.
            let isTooOld =
                (isFormer && login.stepUp?.maximumAge == 0) || login.isTooOld(authentication.authenticatedAt)
            if idToken != nil, isTooOld {
                throw invalidIDToken("the ID token \(JOSEError.claim(name: "auth_time", .expired))", operation)
            }
            authentication.isFormer = isFormer
        }
        var owner = TokenOwner(subject: idToken?.subject, merchantID: response.merchantID?.rawValue)
        owner.sessionID = idToken?.sessionID
        owner.complete(from: claims)
        return Session(
            owner: owner, scopes: response.scope?.tokens ?? scopes, accessToken: response.accessToken,
            tokenType: response.tokenType, life: life(of: response, claims: claims, at: receivedAt),
            refreshToken: response.refreshToken,
            keyThumbprint: response.tokenType == .dpop ? key?.thumbprint : nil, renewal: .idle,
            authentication: authentication, idToken: response.idToken)
    }

    func life(of response: TokenResponse, claims: UnverifiedClaims?, at receivedAt: Instant) -> TokenLifetime {
        if let seconds = response.expiresIn {
            return TokenLifetime(issuedAt: receivedAt, lifetime: .seconds(min(seconds, 10 * 365 * 86_400)))
        }
        return TokenLifetime(endsAt: claims?.expiresAt, lifetime: nil)
    }

    /// Validates an ID token that came from the token endpoint over TLS. The server's certificate replaces its
    /// signature (OpenID Connect Core §3.1.3.7 item 6), whatever the algorithm; `none` is refused nevertheless.
    private func idTokenClaims(
        _ token: IDToken, nonce: Nonce?, accessToken: AccessToken?, maximumAge: Int64? = nil, at now: Instant,
        _ operation: WalletError.Operation
    ) throws -> IDTokenClaims {
        do {
            guard let parts = UnverifiedClaims(token.reveal()), parts.algorithm != "none" else {
                throw MalformedValue(field: "the ID token", reason: "is not a signed JWT")
            }
            let claims = try IDTokenClaims(parts.claims.object, optional: .tolerant)
            try claims.validate(
                IDTokenClaims.Expectation(
                    issuer: issuer, clientID: clientID, nonce: nonce,
                    accessToken: parts.algorithm.hasSuffix("256") ? accessToken : nil, maxAge: maximumAge),
                now: NumericDate(clamping: now.seconds))
            return claims
        } catch let fault as JOSEError {
            throw invalidIDToken("the ID token \(fault)", operation)
        } catch {
            throw invalidIDToken("\(error)", operation)
        }
    }

    func invalidIDToken(_ reason: String, _ operation: WalletError.Operation) -> WalletError {
        WalletError(.invalidIDToken, .refused, during: operation, reachedServer: true, reason: reason)
    }

    /// The revocation of the tokens in a refused sign-in answer.
    func revocation(ofRefused answer: JSONObject) -> StoredRecord.QueuedRevocation? {
        var owner = TokenOwner(merchantID: nil)
        if let claims = IDTokenFinding(answer["id_token"]).claims, claims.issuer == issuer.rawValue {
            owner.subject = claims.subject
            owner.sessionID = claims.object["sid"]?.string
        }
        let accessToken = answer["access_token"]?.string
        owner.complete(from: UnverifiedClaims(accessToken ?? ""))
        if let token = answer["refresh_token"]?.string, !token.isEmpty {
            return StoredRecord.QueuedRevocation(token, .refreshToken, of: owner)
        }
        return accessToken.flatMap { StoredRecord.QueuedRevocation($0, .accessToken, of: owner) }
    }
}

/// The judgment on an answer to a refresh, made on the whole answer before any part of it is stored.
enum RenewalVerdict: Sendable {
    /// The session with the new tokens.
    case renewed(Session)
    /// Only the refresh token is usable: the one that was sent may be spent by now. `isUnjudged` if the answer has an
    /// unreadable ID token, so that its owner cannot be determined.
    case flawed(RefreshToken?, isUnjudged: Bool, WalletError)
    /// It belongs to another person, merchant, client or issuer. Nothing in it is ever used.
    case another(StoredRecord.QueuedRevocation?, WalletError)
}

extension SessionGrant {
    /// Judges an answer to a refresh. Ownership comes first, and is read from every readable part of the answer. Any
    /// other fault costs the answer, but never the refresh token.
    /// - Parameters:
    ///   - sent: the refresh token that was sent.
    func judge(
        _ object: JSONObject, renewing session: Session, sent: RefreshToken, at receivedAt: Instant
    ) -> RenewalVerdict {
        let claims = UnverifiedClaims(object["access_token"]?.string ?? "")
        let newest = try? TokenResponse.refreshToken(in: object)
        let idToken = IDTokenFinding(object["id_token"])
        var owner = TokenOwner(merchantID: object["merchant_id"]?.string)
        owner.complete(from: claims)
        // A server may name a person differently in its own tokens and in ID tokens: compare like with like.
        let formerSubject = UnverifiedClaims(session.accessToken.reveal())?.claims.subject ?? session.owner.subject
        if let fault = differs(owner, from: session.owner, formerSubject) ?? differs(idToken, from: session.owner) {
            return .another(
                revocation(of: newest, or: object["access_token"]?.string, sent: sent, sessionID(idToken, claims)),
                WalletError(
                    .malformedAnswer, .misconfigured, during: .refresh, reachedServer: true,
                    reason: "the renewed token belongs to another session: \(fault)"))
        }
        func flawed(isUnjudged: Bool, _ error: WalletError) -> RenewalVerdict {
            .flawed(newest, isUnjudged: isUnjudged, error)
        }
        if case .unreadable(let fault, _) = idToken {
            return flawed(isUnjudged: true, invalidIDToken("the ID token \(fault)", .refresh))
        }
        if session.isRefreshTokenUnjudged {
            let isNamed = idToken.isReadable || (claims?.claims.subject != nil && formerSubject != nil)
            guard isNamed else {
                return flawed(
                    isUnjudged: true,
                    invalidIDToken(
                        "the previous response named no owner, and neither does this one",
                        .refresh))
            }
        }
        let response: TokenResponse
        do { response = try TokenResponse(object, assuming: session.tokenType) } catch {
            return flawed(isUnjudged: false, malformed("the renewed token cannot be used: \(error)"))
        }
        guard response.tokenType == session.tokenType else {
            return flawed(
                isUnjudged: false,
                malformed(
                    "the renewed token has the type \(response.tokenType.rawValue), but the session's has"
                        + " \(session.tokenType.rawValue)"))
        }
        if case .readable(let subject, let sessionID, _) = idToken {
            owner.subject = subject
            owner.sessionID = sessionID ?? owner.sessionID
        }
        return .renewed(renewed(session, response, owner, life(of: response, claims: claims, at: receivedAt)))
    }

    private func renewed(_ session: Session, _ response: TokenResponse, _ owner: TokenOwner, _ life: TokenLifetime)
        -> Session
    {
        var renewed = session
        renewed.owner = session.owner.completed(by: owner)
        renewed.accessToken = response.accessToken
        renewed.life = life
        // A server that does not rotate refresh tokens sends none: keep the former one (RFC 6749 §6).
        renewed.refreshToken = response.refreshToken ?? session.refreshToken
        renewed.idToken = response.idToken ?? session.idToken
        if let scope = response.scope { renewed.scopes = scope.tokens }
        renewed.renewal = .idle
        renewed.unexplainedAnswers = 0
        renewed.isRefreshTokenUnjudged = false
        return renewed
    }

    private func malformed(_ reason: String) -> WalletError {
        WalletError(.malformedAnswer, .misconfigured, during: .refresh, reachedServer: true, reason: reason)
    }

    /// Describes how an answer's access token belongs to another session; nil if nothing says so.
    private func differs(_ new: TokenOwner, from known: TokenOwner, _ formerSubject: String?) -> String? {
        if let new = new.subject, let former = formerSubject, new != former { return "its sub differs" }
        if let new = new.merchantID, let former = known.merchantID, new != former {
            return "its merchant differs"
        }
        return nil
    }

    /// Describes how an answer's ID token belongs to another session (OpenID Connect Core §12.2). Every readable claim
    /// counts, whatever the others are.
    private func differs(_ idToken: IDTokenFinding, from known: TokenOwner) -> String? {
        guard let claims = idToken.claims else { return nil }
        if let name = claims.issuer, name != issuer.rawValue { return "the iss of its ID token differs" }
        if let audience = claims.audience, !audience.contains(clientID.rawValue) {
            return "the aud of its ID token differs"
        }
        if let party = claims.object["azp"]?.string, party != clientID.rawValue {
            return "the azp of its ID token differs"
        }
        if let subject = claims.subject, let former = known.subject, subject != former {
            return "the sub of its ID token differs"
        }
        return nil
    }

    /// The revocation of another owner's token. The refresh token that was sent belongs to this session, even if it
    /// comes back.
    private func revocation(
        of refreshToken: RefreshToken?, or accessToken: String?, sent: RefreshToken, _ sessionID: String?
    ) -> StoredRecord.QueuedRevocation? {
        // The subject differs, or the tokens contradict each other.
        let owner = TokenOwner(subject: nil, merchantID: nil, sessionID: sessionID)
        if let refreshToken, refreshToken != sent {
            return StoredRecord.QueuedRevocation(refreshToken.reveal(), .refreshToken, of: owner)
        }
        return accessToken.flatMap { StoredRecord.QueuedRevocation($0, .accessToken, of: owner) }
    }

    /// The session that an answer names; this issuer's ID token takes precedence.
    private func sessionID(_ idToken: IDTokenFinding, _ claims: UnverifiedClaims?) -> String? {
        guard let named = idToken.claims else { return claims?.claims.object["sid"]?.string }
        return named.issuer == issuer.rawValue ? named.object["sid"]?.string : nil
    }
}

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

/// The claims of a JWT whose signature was not checked: for tokens directly from the token endpoint, or supplied by the
/// app.
struct UnverifiedClaims: Sendable {
    let algorithm: String
    let claims: JWTClaims

    /// Returns nil if the text is not a JWT.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])),
            let algorithm = (try? JSONValue.object(parsing: header))?["alg"]?.string,
            let claims = try? JSONValue.object(parsing: payload, limits: JSONLimits(bytes: 65_536, depth: 32))
        else { return nil }
        self.algorithm = algorithm
        self.claims = JWTClaims(claims)
    }

    var expiresAt: Instant? {
        (try? claims.date("exp")).map { Instant($0) }
    }

    /// The thumbprint of the key that the token is bound to (RFC 9449 §6.1).
    var keyThumbprint: JWKThumbprint? {
        (claims.object["cnf"]?.object?["jkt"]?.string).flatMap { try? JWKThumbprint($0) }
    }
}
