package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// Verifies a person's identity at a provider.
///
/// This folder owns what a provider says about a person and its verification, the links of an account, and guests. It does not own a
/// vendor's service (`Apple`).
package struct ProviderVerification: Sendable {
    package let context: ServerContext
    package let provider: IdentityProvider

    package init(context: ServerContext, provider: IdentityProvider) {
        self.context = context
        self.provider = provider
    }

    package enum Outcome: Sendable {
        case proved(ProvenIdentity)
        /// The provider refused, or its response was invalid. The caller does not learn which.
        case wrong
        /// The provider could not be reached, so nothing is known about the person.
        case unavailable
    }

    /// Verifies the credential that the app presented.
    /// - Parameter thumbprint: the DPoP key that the server's nonce must have been issued to.
    package func verify(
        _ credential: FederatedLogin.Credential, thumbprint: JWKThumbprint, now: Timestamp
    ) async throws -> Outcome {
        try await counting {
            switch (provider.kind, credential) {
            case (
                .openID(let settings, let secret),
                .authorizationCode(let code, let redirectURI, let verifier, let id, nil)
            ):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                let redeemed = try await ProviderCodeExchange(context: context, settings: settings, secret: secret)
                    .redeem(code, redirectURI: redirectURI, verifier: verifier, reach: reach, now: now)
                guard let redeemed else { return .wrong }
                return try await identity(
                    redeemed.idToken, broughtBy: .provider, accessToken: redeemed.accessToken, settings, challenge,
                    now: now)
            case (.openID(let settings, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                return try await identity(
                    token, broughtBy: .person, accessToken: nil, settings, challenge, now: now)
            case (.repository(let settings), .password(let username, let password)):
                return try await UserRepositoryClient(context: context, settings: settings)
                    .verify(username: username, password: password, at: provider, now: now)
                    .map(Outcome.proved) ?? .wrong
            case (
                .vendor(let vendor, _), .authorizationCode(let code, let redirectURI, let verifier, let id, let token)
            ):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                let code = VendorCode(code: code, redirectURI: redirectURI, verifier: verifier, idToken: token)
                return try await spend(
                    challenge, on: vendor.redeem(code, nonce: challenge.nonce, call: vendorCall(now)).identity, now: now
                )
            case (.vendor(let vendor, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                return try await spend(
                    challenge, on: vendor.verify(token, nonce: challenge.nonce, call: vendorCall(now))?.identity,
                    now: now)
            case (.openID, _), (.repository, _), (.vendor, .password): return .wrong
            }
        }
    }

    /// Redeems the code that a provider sent to a hosted page. The response is already used up, so its nonce works only once.
    /// - Parameters:
    ///   - nonce: of the authorization request, which the ID token must contain.
    ///   - verifier: the PKCE verifier of that request.
    package func verify(
        _ code: AuthorizationCode, nonce: Nonce, verifier: CodeVerifier, now: Timestamp
    ) async throws -> Outcome {
        let redirectURI = provider.callback.redirectURI(at: context.settings.issuer)
        return try await counting {
            switch provider.kind {
            case .openID(let settings, let secret):
                let redeemed = try await ProviderCodeExchange(context: context, settings: settings, secret: secret)
                    .redeem(code, redirectURI: redirectURI, verifier: verifier, reach: reach, now: now)
                guard let redeemed else { return .wrong }
                let expected = ProviderIDToken.Expectation(
                    issuer: settings.issuer.rawValue, clientID: settings.clientID, nonce: nonce,
                    accessToken: redeemed.accessToken)
                guard
                    let identity = try await identity(
                        redeemed.idToken, broughtBy: .provider, expected, settings, now: now)
                else { return .wrong }
                return .proved(identity)
            case .vendor(let vendor, _):
                let code = VendorCode(code: code, redirectURI: redirectURI, verifier: verifier, idToken: nil)
                return try await vendor.redeem(code, nonce: nonce, call: vendorCall(now)).identity
                    .map(Outcome.proved) ?? .wrong
            case .repository: return .wrong
            }
        }
    }

    /// Counts the outcome, and turns a provider failure into `unavailable` after logging the reason for the operator.
    private func counting(_ ask: () async throws -> Outcome) async throws -> Outcome {
        do {
            let outcome = try await ask()
            switch outcome {
            case .proved: context.providerActivity.count(.ok, of: provider)
            case .wrong: context.providerActivity.count(.refused, of: provider)
            case .unavailable: context.providerActivity.count(.unavailable, of: provider)
            }
            return outcome
        } catch let failure as ProviderFailure {
            context.report(failure, of: provider)
            return .unavailable
        }
    }

    private var reach: ProviderHTTP.Reach { provider.reach(in: context.settings.environment) }

    private func challenge(_ id: ChallengeID, thumbprint: JWKThumbprint, now: Timestamp) -> DeviceChallenges.Opened? {
        DeviceChallenges(context: context).open(
            id,
            for: DeviceChallenges.Binding(
                purpose: .federatedIdentity, thumbprint: thumbprint, account: nil, device: nil), now: now)
    }

    private func vendorCall(_ now: Timestamp) -> VendorCall {
        VendorCall(context: context, provider: provider, now: now)
    }

    /// Uses up the server's nonce, which is good for one sign-in of a person.
    private func spend(
        _ challenge: DeviceChallenges.Opened, on identity: ProvenIdentity?, now: Timestamp
    ) async throws -> Outcome {
        guard let identity, try await context.database.write({ try challenge.use(now: now, on: $0) }) else {
            return .wrong
        }
        return .proved(identity)
    }

    /// The ID token's person.
    private func identity(
        _ token: IDToken, broughtBy bearer: ProviderKeys.Bearer, accessToken: String?, _ settings: OpenIDSettings,
        _ challenge: DeviceChallenges.Opened, now: Timestamp
    ) async throws -> Outcome {
        let expected = ProviderIDToken.Expectation(
            issuer: settings.issuer.rawValue, clientID: settings.clientID, nonce: challenge.nonce,
            accessToken: accessToken)
        return try await spend(
            challenge, on: identity(token, broughtBy: bearer, expected, settings, now: now), now: now)
    }

    private func identity(
        _ token: IDToken, broughtBy bearer: ProviderKeys.Bearer, _ expected: ProviderIDToken.Expectation,
        _ settings: OpenIDSettings, now: Timestamp
    ) async throws -> ProvenIdentity? {
        let date = NumericDate(clamping: now.seconds)
        let claims: JSONObject
        do {
            claims = try await ProviderKeys(of: settings, reach: reach, from: context.providers)
                .use(broughtBy: bearer, now: now) { (known) throws(ProviderIDToken.Refusal) in
                    try ProviderIDToken.verified(token, by: known, for: expected, now: date)
                }
        } catch let refusal as ProviderIDToken.Refusal {
            context.logger.debug("refused an ID token", metadata: ["reason": "\(refusal)"])
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

extension ServerContext {
    /// Logs why a provider could not be asked, and counts the failure.
    package func report(_ failure: ProviderFailure, of provider: IdentityProvider) {
        providerActivity.count(.unavailable, of: provider)
        logger.log(
            level: failure.logLevel, "an identity provider cannot be used",
            metadata: ["provider": "\(provider.id)", "reason": "\(failure.reason)"])
    }
}

extension ProvenIdentity {
    package func account(in context: ServerContext) async throws -> AccountRecord? {
        try await context.database.read { connection in
            try FederatedIdentities.find(digest, brand: brand.rawValue, on: connection)
                .flatMap { try Accounts.find($0.accountID, on: connection) }
        }
    }

    /// Whether the provider knows the mailbox of an address. An address that merely looks different may lead to it.
    package func assertsAddress(_ address: String?) -> Bool {
        guard let address, let reportedEmail else { return false }
        return ContactDetails.mayBeOneMailbox(address, reportedEmail)
    }

    /// Returns the write that records a sign-in through a provider: the typed name, the vendor's grant, and whether the provider
    /// knows the account's own address. If it does, a code to that address is no second factor after this provider, even if
    /// the operator permits it.
    package func memory(
        of account: AccountRecord?, at provider: IdentityProvider, in context: ServerContext, now: Timestamp
    ) -> @Sendable (any SQLConnection) throws -> Void {
        let assertsAddress = assertsAddress(
            account.flatMap { AccountVault(context.sealing).open($0.email, .email, of: $0.id) })
        let grant = grant.map { provider.keeping($0, of: digest, in: context, now: now) }
        return { [digest, nameDigest, brand = brand.rawValue] connection in
            try grant?(connection)
            if let nameDigest {
                try FederatedIdentities.recordName(nameDigest, of: digest, brand: brand, on: connection)
            }
            if assertsAddress { try FederatedIdentities.recordAssertsAddress(by: digest, brand: brand, on: connection) }
        }
    }
}
