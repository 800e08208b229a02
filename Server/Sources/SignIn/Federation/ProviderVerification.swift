internal import Core
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

/// Verifies a person's identity at a provider.
struct ProviderVerification: Sendable {
    let access: ProviderAccess
    let exchange: ProviderCodeExchange
    let repository: UserRepositoryClient
    let challenges: DeviceChallenges
    let database: any Database
    let issuer: Issuer

    enum Outcome: Sendable {
        case proved(ProvenIdentity)
        /// The provider refused, or its response was invalid. The caller does not learn which.
        case wrong
        /// The provider could not be reached, so nothing is known about the person.
        case unavailable
    }

    /// Verifies the credential that the app presented.
    /// - Parameter thumbprint: the DPoP key that the server's nonce must have been issued to.
    func verify(
        _ credential: FederatedLogin.Credential, at provider: IdentityProvider, thumbprint: JWKThumbprint,
        now: Timestamp
    ) async throws -> Outcome {
        let call = VendorCall(to: provider, by: access, now: now)
        return try await outcome(of: provider) {
            switch (provider.kind, credential) {
            case (
                .openID(let settings, let secret),
                .authorizationCode(let code, let redirectURI, let verifier, let id, nil)
            ):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return nil }
                let redeemed = try await exchange.redeem(
                    code, redirectURI: redirectURI, verifier: verifier, at: settings, secret,
                    reach: provider.reach(in: access.environment), now: now)
                guard let redeemed else { return nil }
                return try await spend(
                    challenge,
                    on: identity(
                        redeemed.idToken, broughtBy: .provider, nonce: challenge.nonce,
                        accessToken: redeemed.accessToken, at: provider, settings, now: now), now: now)
            case (.openID(let settings, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return nil }
                return try await spend(
                    challenge,
                    on: identity(
                        token, broughtBy: .person, nonce: challenge.nonce, accessToken: nil, at: provider, settings,
                        now: now), now: now)
            case (.repository(let settings), .password(let username, let password)):
                return try await repository.verify(
                    username: username, password: password, at: provider, settings, now: now)
            case (
                .vendor(let vendor, _), .authorizationCode(let code, let redirectURI, let verifier, let id, let token)
            ):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return nil }
                let code = VendorCode(code: code, redirectURI: redirectURI, verifier: verifier, idToken: token)
                return try await spend(
                    challenge, on: vendor.redeem(code, nonce: challenge.nonce, call: call).identity, now: now)
            case (.vendor(let vendor, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return nil }
                return try await spend(
                    challenge, on: vendor.verify(token, nonce: challenge.nonce, call: call)?.identity, now: now)
            case (.openID, _), (.repository, _), (.introspection, _), (.vendor, .password): return nil
            }
        }
    }

    /// Redeems the code that a provider sent to a hosted page. The response is already used up, so its nonce works only once.
    /// - Parameters:
    ///   - nonce: of the authorization request, which the ID token must contain.
    ///   - verifier: the PKCE verifier of that request.
    func verify(
        _ code: AuthorizationCode, at provider: IdentityProvider, nonce: Nonce, verifier: CodeVerifier, now: Timestamp
    ) async throws -> Outcome {
        let redirectURI = provider.callback.redirectURI(at: issuer)
        return try await outcome(of: provider) {
            switch provider.kind {
            case .openID(let settings, let secret):
                let redeemed = try await exchange.redeem(
                    code, redirectURI: redirectURI, verifier: verifier, at: settings, secret,
                    reach: provider.reach(in: access.environment), now: now)
                guard let redeemed else { return nil }
                return try await identity(
                    redeemed.idToken, broughtBy: .provider, nonce: nonce, accessToken: redeemed.accessToken,
                    at: provider, settings, now: now)
            case .vendor(let vendor, _):
                let code = VendorCode(code: code, redirectURI: redirectURI, verifier: verifier, idToken: nil)
                return try await vendor.redeem(
                    code, nonce: nonce, call: VendorCall(to: provider, by: access, now: now)
                ).identity
            case .repository, .introspection: return nil
            }
        }
    }

    /// The outcome of asking a provider, which the operator finds counted.
    /// - Parameter ask: returns `nil` unless the provider confirms a person.
    private func outcome(
        of provider: IdentityProvider, _ ask: () async throws -> ProvenIdentity?
    ) async throws -> Outcome {
        let answer = try await access.counting(provider, confirms: { $0 != nil }, ask)
        guard let answer else { return .unavailable }
        return answer.map(Outcome.proved) ?? .wrong
    }

    private func challenge(_ id: ChallengeID, thumbprint: JWKThumbprint, now: Timestamp) -> DeviceChallenges.Opened? {
        challenges.open(
            id,
            for: DeviceChallenges.Binding(
                purpose: .federatedIdentity, thumbprint: thumbprint, account: nil, device: nil), now: now)
    }

    /// Uses up the server's nonce, which is good for one sign-in of a person.
    private func spend(
        _ challenge: DeviceChallenges.Opened, on identity: ProvenIdentity?, now: Timestamp
    ) async throws -> ProvenIdentity? {
        guard let identity, try await database.write({ try challenge.use(now: now, on: $0) }) else { return nil }
        return identity
    }

    /// The ID token's person.
    private func identity(
        _ token: IDToken, broughtBy bearer: ProviderDocuments.Bearer, nonce: Nonce, accessToken: String?,
        at provider: IdentityProvider, _ settings: OpenIDSettings, now: Timestamp
    ) async throws -> ProvenIdentity? {
        let expected = ProviderIDToken.Expectation(
            issuer: settings.issuer.rawValue, clientID: settings.clientID, nonce: nonce, accessToken: accessToken)
        let claims: JSONObject
        do {
            let signed = try await access.documents.signed(
                token.reveal(), keysFrom: .discovery(settings), reach: provider.reach(in: access.environment),
                broughtBy: bearer, now: now)
            claims = try ProviderIDToken.verified(signed, for: expected, now: NumericDate(clamping: now.seconds))
        } catch let refusal as ProviderIDToken.Refusal {
            access.logger.debug("refused an ID token", metadata: ["reason": "\(refusal)"])
            return nil
        }
        guard let subject = claims["sub"]?.string else { return nil }
        return try ProvenIdentity(
            subject, email: claims[settings.emailClaim]?.string,
            isEmailVerified: ProviderIDToken.flag(claims[settings.emailVerifiedClaim]),
            authTime: (try? claims.date("auth_time")).map { Timestamp(seconds: $0.secondsSince1970) }, at: provider,
            now: now)
    }
}
