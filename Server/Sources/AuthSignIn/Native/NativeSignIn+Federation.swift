internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Native sign-in through an identity provider.
extension NativeSignIn {
    /// The retry delay after a provider was unreachable, in seconds.
    private static let providerRetry: Int64 = 10

    /// Verifies the identity at the provider and enters the gate with the linked account. An e-mail address links no one, verified
    /// or not, because control of the address would then give control of the account.
    func signIn(_ login: FederatedLogin, call: Call) async throws -> NativeSignInOutcome {
        let brand = try call.intent.client.accountBrand
        guard let provider = try await ProviderVault(context: context).find(login.provider, brand: brand) else {
            return .invalid(.invalidRequest("There is no such provider."))
        }
        var credential = login.credential
        var username: RepositoryUsername?
        if case .password(let typed, let password) = login.credential {
            guard let name = RepositoryUsername(typed) else { return .refused(.invalidCredentials) }
            (username, credential) = (name, .password(username: name.asked, password))
        }
        let attempts = try await FederatedAttempts(
            username, at: provider, thumbprint: call.thumbprint, of: call.intent.client.id,
            origin: call.intent.origin, context: context)
        switch try await attempts.reserve(now: call.now) {
        case .ask: break
        case .slowed: return .refused(.invalidCredentials)
        case .addressLocked(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        }
        let outcome = try await ProviderVerification(context: context, provider: provider)
            .verify(credential, thumbprint: call.thumbprint, now: call.now)
        switch outcome {
        case .wrong:
            try await attempts.fail()
            return .refused(.invalidCredentials)
        case .unavailable:
            try await attempts.takeBack()
            return .refused(.providerUnavailable(retryAfter: Self.providerRetry))
        case .proved(let identity):
            let account = try await identity.account(in: context)
            try await attempts.succeed(
                identity.memory(of: account, name: attempts.name, in: context, now: call.now))
            guard let account else {
                let guest = try guestSession(for: identity, name: attempts.name, call: call)
                return .refused(.noMatchingGuest(guest))
            }
            return try await enter(account, authTime: call.now, providerAuthTime: identity.authTime, call: call)
        }
    }

    /// Enters the gate with the provider's assertion alone. It is as old as the session at the provider, as on the pages: anyone at
    /// an unlocked phone could use that session. Without `auth_time` it counts from now, because the app decides what to request.
    func enter(
        _ account: AccountRecord, authTime: Timestamp, providerAuthTime: Timestamp?, call: Call
    ) async throws -> NativeSignInOutcome {
        let factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion, amr: [AuthenticationStrength.provider], authTime: authTime,
            providerAuthTime: providerAuthTime)
        var call = call
        call.intent.device = try await unnamedDevice(of: account.id, call: call)
        return try await finish(account.id, factors: factors, call: call)
    }
}
