internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import Tokens
internal import WalletAuthWire
internal import Web

/// `POST /oauth/requestGuestToken.json`: issues tokens for a guest.
struct GuestTokenGrants: Sendable {
    let integrations: LoyaltyIntegrations
    let sessions: GuestSessions
    let oneTimePasswords: OneTimePasswords
    let check: ExternalAccountCheck
    let attempts: GuestAttempts
    let codes: ProviderCodes
    let database: any Database

    func issue(
        _ request: GuestTokenRequest, call: LoyaltyCaller
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        let scope = request.scope.flatMap { $0.isEmpty ? nil : $0 }
        guard (scope ?? .none).isSubset(of: call.client.scope) else { return .failure(LoyaltyFailure(.invalidScope)) }
        let session = call.tokens(scope: scope)
        switch request.grant {
        // An integration is found together with its merchant.
        case .fields: break
        case .password where !call.client.mayUseGuestPasswords: return .failure(LoyaltyFailure(.clientNotAllowed))
        case .password, .oneTimePassword, .authorizationCode, .refreshToken:
            guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
                return .failure(LoyaltyFailure(.unknownMerchant))
            }
        }
        switch request.grant {
        case .fields(let account):
            switch try await integrations.find(account.integration, of: request.merchantID, for: call) {
            case .failure(let failure): return .failure(failure)
            case .success(let integration): return try await signIn(account, by: integration, session: session)
            }
        case .password(let username, let password):
            // An invalid name gets the response of an unknown one.
            guard let name = try? Username(username) else { return .failure(LoyaltyFailure(.invalidCredentials)) }
            let outcome = try await sessions.open(username: name, password: password, call: session) { account in
                try await integrations.reaches(account, by: call)
            }
            switch outcome {
            case .judged(let outcome): return try answer(outcome)
            case .invalid: return .failure(LoyaltyFailure(.invalidCredentials))
            case .busy(let seconds): return .failure(LoyaltyFailure(.busy, retryAfter: seconds))
            }
        case .oneTimePassword(let phone, let code, let token):
            switch try await oneTimePasswords.redeem(code, sentTo: phone, provedBy: token, call: call) {
            case .failure(let failure): return .failure(failure)
            case .success(let account):
                let factors = SignInPolicy.Factors(
                    securityVersion: account.securityVersion, amr: [FactorKind.sms.authenticationMethod],
                    authTime: session.now, first: .sms)
                return try answer(
                    try await sessions.open(account.id, factors: factors, properties: [:], call: session))
            }
        case .authorizationCode(let code, let redirectURI, let verifier):
            let outcome = try await sessions.open(
                code, redirectURI: redirectURI, verifier: verifier, call: session
            ) { account in
                try await integrations.reaches(account, by: call)
            }
            switch outcome {
            case .opened(let tokens, let username):
                return .success(GuestTokenResponse(tokens: try GuestTokens(tokens, username: username)))
            case .invalid: return .failure(LoyaltyFailure(.invalidAuthorizationCode))
            case .unreachable: return .failure(LoyaltyFailure(.noMatchingGuest))
            case .invalidScope: return .failure(LoyaltyFailure(.invalidScope))
            }
        case .refreshToken(let token):
            switch try await sessions.renew(token, call: session) {
            case .success(let renewed):
                return .success(
                    GuestTokenResponse(tokens: try GuestTokens(renewed.tokens, username: renewed.username)))
            case .failure(.invalidScope): return .failure(LoyaltyFailure(.invalidScope))
            case .failure: return .failure(LoyaltyFailure(.invalidRefreshToken))
            }
        }
    }

    /// Looks for the account first. If there is none, the authorization code stays unused for the guest's enrollment.
    private func signIn(
        _ brought: ExternalAccount, by integration: LoyaltyIntegration, session: TokenCaller
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        let claim: ExternalAccountCheck.Claim
        switch try await check.claim(brought, at: integration, now: session.now) {
        case .failure(let failure): return .failure(failure)
        case .success(let claimed): claim = claimed
        }
        guard try await integrations.isLinked(claim) else { return .failure(LoyaltyFailure(.noMatchingGuest)) }
        let code = codes.digest(of: brought, in: integration.provider.brand)
        // Impatient apps send equal requests at once. The first redeems the code, and the others do not count as guesses.
        guard let lease = try await codes.take(code) else { return .failure(LoyaltyFailure(.busy, retryAfter: 2)) }
        // Ends even if the backend disconnects: a redeemed code is remembered.
        let ended = await Task { try await redeem(claim, by: code, now: session.now) }.result
        await lease.release()
        switch try ended.get() {
        case .failure(let failure): return .failure(failure)
        case .success(let (identity, account)):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.provider],
                authTime: session.now, providerAuthTime: identity.authTime)
            return try answer(
                try await sessions.open(
                    account.id, factors: factors, properties: ["provider": identity.provider.rawValue], call: session))
        }
    }

    private func redeem(
        _ claim: ExternalAccountCheck.Claim, by code: [UInt8], now: Timestamp
    ) async throws -> Result<(ProvenIdentity, AccountRecord), LoyaltyFailure> {
        if try await codes.contains(code, now: now) { return .failure(LoyaltyFailure(.externalCodeRefused)) }
        switch try await check.redeem(claim, now: now) {
        case .failure(let failure): return .failure(failure)
        case .success(let identity):
            try await codes.insert(code, now: now)
            let account = try await database.read { try identity.account(on: $0) }
            guard try await attempts.succeed(claim.codes, as: identity, of: account, now: now) else {
                return .failure(LoyaltyFailure(.externalCodeRefused))
            }
            // The identity may have been unlinked while the provider was asked.
            guard let account else { return .failure(LoyaltyFailure(.noMatchingGuest)) }
            return .success((identity, account))
        }
    }

    private func answer(_ outcome: GuestSessions.Outcome) throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        switch outcome {
        case .opened(let tokens, let username):
            .success(GuestTokenResponse(tokens: try GuestTokens(tokens, username: username)))
        case .refused(let decision): .failure(LoyaltyFailure(gate: decision))
        }
    }
}

extension LoyaltyFailure {
    /// The failure for a refusal of the gate.
    init(gate decision: SignInPolicy.Decision) {
        switch decision {
        case .deactivated: self.init(.deactivated)
        case .changed: self.init(.accountChanged)
        case .secondFactorRequired: self.init(.secondFactorRequired)
        case .passwordChangeRequired: self.init(.passwordExpired)
        case .emailUnverified: self.init(.emailUnverified)
        // These concern devices, merchants and authentication classes, which this API does not have.
        case .admit, .unknown, .deviceSuspended, .deviceDeactivated, .recoveryUnavailable, .appInstanceUnverified,
            .merchant, .merchantMissing, .unmetACR:
            self.init(.notAdmitted)
        }
    }
}

extension GuestTokens {
    init(_ tokens: TokenResponse, username: String?) throws {
        // Each session of this API has both.
        guard let refreshToken = tokens.refreshToken, let expiresIn = tokens.expiresIn else {
            throw InvariantViolation()
        }
        self.init(
            accessToken: tokens.accessToken, expiresIn: expiresIn, refreshToken: refreshToken,
            scope: tokens.scope ?? .none, username: username)
    }
}
