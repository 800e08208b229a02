package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// A person as a provider describes them, before this server decides which claims to trust.
package struct ProviderPerson: Sendable {
    package let subject: String
    /// The e-mail address, unvalidated.
    package let email: String?
    /// The provider's claim, which is not trusted yet.
    package let isEmailVerified: Bool

    package init(subject: String, email: String?, isEmailVerified: Bool) {
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
    }
}

/// A proven identity, reduced to the claims that the provider is trusted with.
package struct ProvenIdentity: Sendable {
    package let provider: IdentityProvider
    package let subject: String
    /// The e-mail address, if it is well-formed.
    package let email: String?
    /// Whether the provider calls the address verified and is trusted to.
    package let isEmailVerified: Bool
    /// Data that a vendor's provider stores with the link; `nil` for other providers.
    package var grant: VendorGrant?
    /// When the person signed in at the provider; `nil` if it does not say.
    package var authTime: Timestamp?
    /// The address as the provider told it, also if it is malformed: it may lead to the account's mailbox all the same.
    package var toldEmail: String?
}

extension ProvenIdentity {
    /// Keeps only the claims that the provider is trusted with.
    package init(_ person: ProviderPerson, at provider: IdentityProvider) {
        let email = person.email.flatMap { try? EmailAddress($0) }?.rawValue
        self.init(
            provider: provider, subject: person.subject, email: email,
            isEmailVerified: email != nil && person.isEmailVerified && provider.trustsEmail)
        toldEmail = person.email.flatMap { $0.utf8.count <= Self.longestAddress ? $0 : nil }
    }

    /// In bytes. No spelling of an address is longer.
    private static var longestAddress: Int { 1024 }

    /// The key under which the identity is linked.
    package var digest: [UInt8] { provider.digest(of: subject) }

    package func account(in context: ServerContext) async throws -> AccountRecord? {
        let (digest, brand) = (digest, provider.brand.rawValue)
        return try await context.database.read { connection in
            try FederatedIdentities.find(digest, brand: brand, on: connection)
                .flatMap { try Accounts.find($0.accountID, on: connection) }
        }
    }

    /// Returns the write that records a sign-in through a provider: the typed name, the vendor's grant, and whether the provider
    /// knows the account's own address. If it does, a code to that address is no second factor after this provider, even if
    /// the operator permits it.
    package func memory(
        of account: AccountRecord?, name: [UInt8]?, in context: ServerContext, now: Timestamp
    ) -> @Sendable (any SQLConnection) throws -> Void {
        let (digest, brand) = (digest, provider.brand.rawValue)
        let address = account.flatMap { AccountVault(context.sealing).open($0.email, .email, of: $0.id) }
        let assertsAddress =
            address.flatMap { own in toldEmail.map { ContactDetails.mayBeOneMailbox(own, $0) } } ?? false
        let grant = grant.map { provider.keeping($0, of: digest, in: context, now: now) }
        return { connection in
            try grant?(connection)
            if let name { try FederatedIdentities.recordName(name, of: digest, brand: brand, on: connection) }
            if assertsAddress { try FederatedIdentities.recordAssertsAddress(by: digest, brand: brand, on: connection) }
        }
    }
}

/// Verifies a person's identity at a provider.
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
                let person = try await UserRepositoryClient(context: context, settings: settings)
                    .verify(username: username, password: password, brand: provider.brand, reach: reach, now: now)
                return person.map { .proved(proven($0)) } ?? .wrong
            case (
                .vendor(let vendor, _), .authorizationCode(let code, let redirectURI, let verifier, let id, let token)
            ):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                let code = VendorCode(code: code, redirectURI: redirectURI, verifier: verifier, idToken: token)
                return try await identity(
                    vendor.redeem(code, nonce: challenge.nonce, call: vendorCall(now)).identity, challenge, now: now)
            case (.vendor(let vendor, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                return try await identity(
                    vendor.verify(token, nonce: challenge.nonce, call: vendorCall(now)), challenge, now: now)
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
                    let claims = try await claims(
                        of: redeemed.idToken, broughtBy: .provider, expected, settings, now: now),
                    let person = person(claims, settings)
                else { return .wrong }
                return .proved(proven(person, by: claims))
            case .vendor(let vendor, _):
                let code = VendorCode(code: code, redirectURI: redirectURI, verifier: verifier, idToken: nil)
                return try await vendor.redeem(code, nonce: nonce, call: vendorCall(now)).identity.map(proved) ?? .wrong
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

    private func vendorCall(_ now: Timestamp) -> VendorContext {
        VendorContext(context: context, provider: provider.id, brand: provider.brand, now: now)
    }

    /// The vendor's person. Uses up the server's nonce, which is good for one sign-in.
    private func identity(
        _ identity: VendorIdentity?, _ challenge: DeviceChallenges.Opened, now: Timestamp
    ) async throws -> Outcome {
        guard let identity, try await context.database.write({ try challenge.use(now: now, on: $0) }) else {
            return .wrong
        }
        return proved(identity)
    }

    private func proved(_ identity: VendorIdentity) -> Outcome {
        let person = ProviderPerson(
            subject: identity.subject, email: identity.email, isEmailVerified: identity.isEmailVerified)
        var proven = proven(person)
        proven.grant = identity.grant
        proven.authTime = identity.authTime
        return .proved(proven)
    }

    /// The ID token's person. Uses up the server's nonce in it, which is good for one sign-in.
    private func identity(
        _ token: IDToken, broughtBy bearer: ProviderKeys.Bearer, accessToken: String?, _ settings: OpenIDSettings,
        _ challenge: DeviceChallenges.Opened, now: Timestamp
    ) async throws -> Outcome {
        let expected = ProviderIDToken.Expectation(
            issuer: settings.issuer.rawValue, clientID: settings.clientID, nonce: challenge.nonce,
            accessToken: accessToken)
        guard let claims = try await claims(of: token, broughtBy: bearer, expected, settings, now: now),
            let person = person(claims, settings),
            try await context.database.write({ try challenge.use(now: now, on: $0) })
        else { return .wrong }
        return .proved(proven(person, by: claims))
    }

    private func person(_ claims: JSONObject, _ settings: OpenIDSettings) -> ProviderPerson? {
        guard let subject = claims["sub"]?.string else { return nil }
        return ProviderPerson(
            subject: subject, email: claims[settings.emailClaim]?.string,
            isEmailVerified: ProviderIDToken.flag(claims[settings.emailVerifiedClaim]))
    }

    private func claims(
        of token: IDToken, broughtBy bearer: ProviderKeys.Bearer, _ expected: ProviderIDToken.Expectation,
        _ settings: OpenIDSettings, now: Timestamp
    ) async throws -> JSONObject? {
        let date = NumericDate(clamping: now.seconds)
        do {
            return try await ProviderKeys(of: settings, reach: reach, from: context.providers)
                .use(broughtBy: bearer, now: now) { (known) throws(ProviderIDToken.Refusal) in
                    try ProviderIDToken.verified(token, by: known, for: expected, now: date)
                }
        } catch let refusal as ProviderIDToken.Refusal {
            context.logger.debug("refused an ID token", metadata: ["reason": "\(refusal)"])
            return nil
        }
    }

    private func proven(_ person: ProviderPerson) -> ProvenIdentity { ProvenIdentity(person, at: provider) }

    /// Adds the time of the sign-in at the provider, if the token has it.
    private func proven(_ person: ProviderPerson, by claims: JSONObject) -> ProvenIdentity {
        var proven = proven(person)
        proven.authTime = (try? claims.date("auth_time")).map { Timestamp(seconds: $0.secondsSince1970) }
        return proven
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
