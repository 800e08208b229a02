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
    func revocation(ofRefused answer: JSONObject) -> StoredSessions.QueuedRevocation? {
        var owner = TokenOwner(merchantID: nil)
        if let claims = IDTokenFinding(answer["id_token"]).claims, claims.issuer == issuer.rawValue {
            owner.subject = claims.subject
            owner.sessionID = claims.object["sid"]?.string
        }
        let accessToken = answer["access_token"]?.string
        owner.complete(from: UnverifiedClaims(accessToken ?? ""))
        if let token = answer["refresh_token"]?.string, !token.isEmpty {
            return StoredSessions.QueuedRevocation(token, .refreshToken, of: owner)
        }
        return accessToken.flatMap { StoredSessions.QueuedRevocation($0, .accessToken, of: owner) }
    }
}
