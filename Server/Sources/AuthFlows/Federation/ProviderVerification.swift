internal import AuthCore
internal import AuthStore
internal import Logging
internal import WalletAuthWire

/// Somebody in a provider's own words, before it is decided what of them is believed.
struct ProviderPerson: Sendable {
    /// Who it is there.
    let subject: String
    /// The e-mail address, whatever its form.
    let email: String?
    /// Whether the provider says that the address is theirs.
    let isEmailVerified: Bool
}

/// Who somebody is, as far as a provider is believed.
struct ProvenIdentity: Sendable {
    let provider: IdentityProvider
    /// Who it is there.
    let subject: String
    /// The e-mail address that the provider told, where its form is right.
    let email: String?
    /// Whether the provider says that the address is the person's, and is believed.
    let isEmailVerified: Bool
}

/// Asks a provider who somebody is.
struct ProviderVerification: Sendable {
    let context: ServerContext
    let provider: IdentityProvider

    /// What came of it.
    enum Outcome: Sendable {
        /// Somebody.
        case proved(ProvenIdentity)
        /// The provider says no, or what it said does not hold; nobody is told which.
        case wrong
        /// Nothing is known: the provider cannot be asked.
        case unavailable
    }

    /// Verifies what the app brought.
    /// - Parameters:
    ///   - credential: what it brought.
    ///   - thumbprint: the DPoP key that the server's nonce has to have been made for.
    ///   - now: the present.
    /// - Throws: infrastructure trouble of this server's own.
    func verify(
        _ credential: FederatedLogin.Credential, thumbprint: JWKThumbprint, now: Timestamp
    ) async throws -> Outcome {
        do {
            switch (provider.kind, credential) {
            case (
                .openID(let settings, let secret), .authorizationCode(let code, let redirectURI, let verifier, let id)
            ):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                let redeemed = try await ProviderCodeExchange(context: context, settings: settings, secret: secret)
                    .redeem(code, redirectURI: redirectURI, verifier: verifier, reach: reach, now: now)
                guard let redeemed else { return .wrong }
                return try await identity(
                    redeemed.idToken, accessToken: redeemed.accessToken, settings, challenge, now: now)
            case (.openID(let settings, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                return try await identity(token, accessToken: nil, settings, challenge, now: now)
            case (.repository(let settings), .password(let username, let password)):
                let person = try await UserRepositoryCall(context: context, settings: settings)
                    .verify(username: username, password: password, brand: provider.brand, reach: reach, now: now)
                return person.map { .proved(proven($0)) } ?? .wrong
            case (.openID, .password), (.repository, _): return .wrong
            }
        } catch let trouble as ProviderTrouble {
            context.logger.warning(
                "an identity provider cannot be asked",
                metadata: ["provider": "\(provider.id)", "reason": "\(trouble.reason)"])
            return .unavailable
        }
    }

    private var reach: ProviderHTTP.Reach { provider.reach(in: context.settings.environment) }

    private func challenge(_ id: ChallengeID, thumbprint: JWKThumbprint, now: Timestamp) -> Challenges.Opened? {
        Challenges(context: context).open(
            id,
            for: Challenges.Binding(
                purpose: .federatedIdentity, thumbprint: thumbprint, account: nil, device: nil), now: now)
    }

    /// The token's person, once: the server's nonce in it serves one sign-in.
    private func identity(
        _ token: IDToken, accessToken: String?, _ settings: OpenIDSettings, _ challenge: Challenges.Opened,
        now: Timestamp
    ) async throws -> Outcome {
        let expected = ProviderIDToken.Expectation(
            issuer: settings.issuer.rawValue, clientID: settings.clientID, nonce: challenge.nonce,
            accessToken: accessToken)
        guard let claims = try await claims(of: token, expected, settings, now: now),
            let subject = claims["sub"]?.string,
            try await context.database.write({ try challenge.use(now: now, on: $0) })
        else { return .wrong }
        // Some providers write the truth of it as a text.
        let told = claims[settings.emailVerifiedClaim]
        return .proved(
            proven(
                ProviderPerson(
                    subject: subject, email: claims[settings.emailClaim]?.string,
                    isEmailVerified: told == .bool(true) || told?.string == "true")))
    }

    private func claims(
        of token: IDToken, _ expected: ProviderIDToken.Expectation, _ settings: OpenIDSettings, now: Timestamp
    ) async throws -> JSONObject? {
        let date = NumericDate(clamping: now.seconds)
        let known = try await context.providers.keys(of: settings, reach: reach, now: now)
        do {
            return try ProviderIDToken.verified(token, by: known, for: expected, now: date)
        } catch .wrong(let error) {
            context.logger.debug("refused an ID token", metadata: ["reason": "\(error)"])
            return nil
        } catch .unknownKey {
            // The provider may have changed its keys since they were fetched.
        }
        let fresh = try await context.providers.newKeys(of: settings, reach: reach, now: now)
        return try? ProviderIDToken.verified(token, by: fresh, for: expected, now: date)
    }

    private func proven(_ person: ProviderPerson) -> ProvenIdentity {
        let email = person.email.flatMap { try? ContactDetails.email($0) }
        return ProvenIdentity(
            provider: provider, subject: person.subject, email: email,
            isEmailVerified: email != nil && person.isEmailVerified && provider.trustsEmail)
    }
}
