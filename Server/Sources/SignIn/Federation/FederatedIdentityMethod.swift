internal import Core
internal import Kernel
internal import WalletAuthWire

/// A credential of an identity provider that an app obtained: a code, an ID token, or a password of a repository.
struct FederatedIdentityMethod: SignInMethod {
    let login: FederatedLogin
    let key: JWKThumbprint

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let (federation, intent, now) = (attempt.checks.federation, attempt.intent, attempt.now)
        // A second way to the passwords of a former system would be a second count of guesses.
        guard let provider = try await federation.providers.find(login.provider, brand: attempt.brand),
            provider.adoptsUntil == nil
        else {
            return .refused(.unknownProvider)
        }
        var credential = login.credential
        var username: RepositoryUsername?
        if case .password(let typed, let password) = login.credential {
            guard let name = RepositoryUsername(typed) else { return .refused(.invalidCredentials) }
            (username, credential) = (name, .password(username: name.asked, password))
        }
        let attempts = federation.attempts
        let counters = try await attempts.counters(
            of: username, claiming: credential.claimedSubject, at: provider, thumbprint: key, of: intent.client.id,
            origin: intent.origin, now: now)
        switch try await attempts.reserve(counters, now: now) {
        case .ask: break
        case .slowed: return .refused(.invalidCredentials)
        case .networkHeld(let seconds): return .refused(.networkHeld(retryAfter: seconds))
        case .deviceHeld(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        }
        let outcome = try await federation.verification.verify(
            credential, at: provider, thumbprint: key, now: now)
        switch try await attempts.settle(counters, by: outcome, of: provider, now: now) {
        case .wrong: return .refused(.invalidCredentials)
        case .unavailable: return .refused(.providerUnavailable)
        case .noAccount(let identity): return .refused(.noAccount(identity))
        case .linked(let account, let identity):
            return .proved(
                try await attempt.proof(of: account, vouchedFor: now, providerAuthTime: identity.authTime))
        }
    }
}

extension FederatedLogin.Credential {
    /// The person whom an ID token names, before anything is verified; `nil` without a token.
    fileprivate var claimedSubject: String? {
        let token: IDToken?
        switch self {
        case .authorizationCode(_, _, _, _, let accompanying): token = accompanying
        case .idToken(let presented, _): token = presented
        case .password: token = nil
        }
        return token.flatMap { try? CompactJWS($0.reveal()) }
            .flatMap { try? JWTClaims(parsing: $0.unverifiedPayload) }?.subject
    }
}

extension SignInAttempt {
    /// The proof by a provider's assertion alone. It is as old as the session at the provider: anyone at an unlocked phone or browser
    /// could use that session. Without `providerAuthTime` it counts from `time`, because an app decides what it requests there.
    func proof(
        of account: AccountRecord, vouchedFor time: Timestamp, providerAuthTime: Timestamp?
    ) async throws -> SignInProof {
        try await proof(
            of: account.id,
            SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.provider], authTime: time,
                providerAuthTime: providerAuthTime))
    }
}
