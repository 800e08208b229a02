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
    /// What a vendor's provider wants kept with the link; `nil` for other providers.
    var grant: VendorGrant?
    /// When the person signed in at the provider; `nil` where it does not tell.
    var authTime: Timestamp?
}

extension ProvenIdentity {
    /// A person in a provider's words, as far as they are believed.
    init(_ person: ProviderPerson, at provider: IdentityProvider) {
        let email = person.email.flatMap { try? ContactDetails.email($0) }
        self.init(
            provider: provider, subject: person.subject, email: email,
            isEmailVerified: email != nil && person.isEmailVerified && provider.trustsEmail)
    }

    /// Under which the identity is linked.
    var digest: [UInt8] { provider.digest(of: subject) }

    /// The account that the identity is linked to.
    func account(in context: ServerContext) async throws -> AccountRecord? {
        let (digest, brand) = (digest, provider.brand.rawValue)
        return try await context.database.lookUp { connection in
            try FederatedIdentities.find(digest, brand: brand, on: connection)
                .flatMap { try Accounts.find($0.accountID, on: connection) }
        }
    }

    /// What is remembered of a sign-in by a provider: the name that was typed, the vendor's grant, and whether the provider knows
    /// the account's own address. Where it does, that address is no second factor after the provider's word, whatever the
    /// operator says.
    func memory(
        of account: AccountRecord?, name: [UInt8]?, in context: ServerContext, now: Timestamp
    ) -> @Sendable (any SQLConnection) throws -> Void {
        let (digest, brand) = (digest, provider.brand.rawValue)
        let address = account.flatMap { AccountVault(context: context).open($0.email, .email, of: $0.id) }
        let tells = address.flatMap { own in email.map { ContactDetails.mayBeOneMailbox(own, $0) } } ?? false
        let grant = grant.map { provider.keeping($0, of: digest, in: context, now: now) }
        return { connection in
            try grant?(connection)
            if let name { try FederatedIdentities.recordName(name, of: digest, brand: brand, on: connection) }
            if tells { try FederatedIdentities.recordTellsAddress(by: digest, brand: brand, on: connection) }
        }
    }
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
    /// - Throws: infrastructure errors of this server's own.
    func verify(
        _ credential: FederatedLogin.Credential, thumbprint: JWKThumbprint, now: Timestamp
    ) async throws -> Outcome {
        try await toldOfTrouble {
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
                    vendor.redeem(code, nonce: challenge.nonce, call: vendorCall(now)), challenge, now: now)
            case (.vendor(let vendor, _), .idToken(let token, let id)):
                guard let challenge = challenge(id, thumbprint: thumbprint, now: now) else { return .wrong }
                return try await identity(
                    vendor.verify(token, nonce: challenge.nonce, call: vendorCall(now)), challenge, now: now)
            case (.openID, _), (.repository, _), (.vendor, .password): return .wrong
            }
        }
    }

    /// Redeems the code that a provider sent to a hosted page. The answer was taken once already, so its nonce serves once.
    /// - Parameters:
    ///   - code: the code.
    ///   - authorization: what the browser was sent there with.
    ///   - now: the present.
    /// - Throws: infrastructure errors of this server's own.
    func verify(
        _ code: AuthorizationCode, for authorization: ProviderAuthorization, now: Timestamp
    ) async throws -> Outcome {
        let redirectURI = provider.callback.redirectURI(at: context.settings.issuer)
        let (nonce, verifier) = (try authorization.nonce, try authorization.verifier)
        return try await toldOfTrouble {
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
                return try await vendor.redeem(code, nonce: nonce, call: vendorCall(now)).map(proved) ?? .wrong
            case .repository: return .wrong
            }
        }
    }

    /// A provider that cannot be asked says nothing about the person; the operator reads why.
    private func toldOfTrouble(_ ask: () async throws -> Outcome) async throws -> Outcome {
        do {
            let outcome = try await ask()
            switch outcome {
            case .proved: context.providerActivity.count(.ok, of: provider)
            case .wrong: context.providerActivity.count(.refused, of: provider)
            case .unavailable: context.providerActivity.count(.unavailable, of: provider)
            }
            return outcome
        } catch let failure as ProviderFailure {
            context.tell(failure, of: provider)
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

    /// The person in a vendor's words, once: the server's nonce serves one sign-in.
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

    /// The token's person, once: the server's nonce in it serves one sign-in.
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

    /// The same, with the time of the sign-in at the provider where the token tells it.
    private func proven(_ person: ProviderPerson, by claims: JSONObject) -> ProvenIdentity {
        var proven = proven(person)
        proven.authTime = (try? claims.date("auth_time")).map { Timestamp(seconds: $0.secondsSince1970) }
        return proven
    }
}

extension ServerContext {
    /// Tells the operator why a provider cannot be asked, and counts that it cannot.
    package func tell(_ failure: ProviderFailure, of provider: IdentityProvider) {
        providerActivity.count(.unavailable, of: provider)
        logger.log(
            level: failure.logLevel, "an identity provider is not usable",
            metadata: ["provider": "\(provider.id)", "reason": "\(failure.reason)"])
    }
}
