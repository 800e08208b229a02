internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// `POST /enrollment/editExternalAccounts.json`: links an account at a provider with a guest's, or unlinks it.
struct ExternalAccounts: Sendable {
    let integrations: LoyaltyIntegrations
    let callers: Callers
    let identities: AccountIdentities
    let check: ExternalAccountCheck
    let attempts: GuestAttempts
    let codes: ProviderCodes
    let database: any Database

    /// The backend speaks for no guest by itself: it needs the access token of a session that it opened minutes ago.
    func edit(
        _ request: ExternalAccountsChange, call: LoyaltyCaller
    ) async throws -> Result<Void, LoyaltyFailure> {
        let name =
            switch request.change {
            case .add(let account): account.integration
            case .remove(let integration, _): integration
            }
        let integration: LoyaltyIntegration
        switch try await integrations.find(name, of: request.merchantID, for: call) {
        case .failure(let failure): return .failure(failure)
        case .success(let known): integration = known
        }
        guard
            let guest = try await callers.guest(
                request.accessToken, of: call.client, origin: call.origin, now: call.now)
        else { return .failure(LoyaltyFailure(.invalidAccessToken)) }
        if let refusal = try await identities.refusal(of: guest) { return .failure(LoyaltyFailure(change: refusal)) }
        switch request.change {
        case .add(let account): return try await link(account, at: integration, to: guest)
        case .remove(_, let subject): return try await unlink(subject, at: integration, from: guest)
        }
    }

    /// Looks for the link first: a repetition whose response was lost succeeds, and the code of a person who has another account stays
    /// unused.
    private func link(
        _ account: ExternalAccount, at integration: LoyaltyIntegration, to guest: GuestCaller
    ) async throws -> Result<Void, LoyaltyFailure> {
        let claim: ExternalAccountCheck.Claim
        switch try await check.claim(account, at: integration, now: guest.now) {
        case .failure(let failure): return .failure(failure)
        case .success(let claimed): claim = claimed
        }
        let code = codes.digest(of: account, in: integration.provider.brand)
        guard let lease = try await codes.take(code) else { return .failure(LoyaltyFailure(.busy, retryAfter: 2)) }
        // Ends even if the backend disconnects: a redeemed code is remembered.
        let ended = await Task { try await link(claim, by: code, to: guest) }.result
        await lease.release()
        return try ended.get()
    }

    private func link(
        _ claim: ExternalAccountCheck.Claim, by code: [UInt8], to guest: GuestCaller
    ) async throws -> Result<Void, LoyaltyFailure> {
        let brand = claim.integration.provider.brand.rawValue
        if let linked = try await database.read({ try FederatedIdentities.find(claim.digest, brand: brand, on: $0) }) {
            return linked.accountID == guest.account.id
                ? .success(()) : .failure(LoyaltyFailure(.externalAccountLinked))
        }
        switch try await check.redeem(claim, now: guest.now) {
        case .failure(let failure): return .failure(failure)
        case .success(let identity):
            try await codes.insert(code, now: guest.now)
            guard try await attempts.succeed(claim.codes, as: identity, now: guest.now) else {
                return .failure(LoyaltyFailure(.externalCodeRefused))
            }
            return try await identities.link(identity, call: guest).map { _ in }
                .mapError { LoyaltyFailure(change: $0) }
        }
    }

    private func unlink(
        _ subject: String?, at integration: LoyaltyIntegration, from guest: GuestCaller
    ) async throws -> Result<Void, LoyaltyFailure> {
        let linked = try await database.read { try FederatedIdentities.list(of: guest.account.id, on: $0) }
            .filter { $0.providerID == integration.provider.id.rawValue }
        let chosen: [FederatedIdentityRecord]
        if let subject {
            let digest = integration.provider.digest(of: subject)
            chosen = linked.filter { $0.digest == digest }
        } else {
            chosen = linked
        }
        guard let identity = chosen.first else { return .failure(LoyaltyFailure(.externalAccountNotLinked)) }
        guard chosen.count == 1 else { return .failure(.field("accountCode", .required)) }
        return try await identities.unlink(identity.digest, call: guest).mapError { LoyaltyFailure(change: $0) }
    }
}

extension LoyaltyFailure {
    /// The failure for a refused change of an account.
    init(change refusal: FactorRefusal) {
        switch refusal {
        case .strongerSignIn(_, let acr):
            self.init(acr == AuthenticationStrength.twoFactors ? .secondFactorRequired : .loginRequired)
        case .cooling(let seconds), .tooManyAttempts(let seconds): self.init(.locked, retryAfter: seconds)
        case .identityTaken: self.init(.externalAccountLinked)
        case .identityNotFound: self.init(.externalAccountNotLinked)
        case .tooManyIdentities: self.init(.tooManyExternalAccounts)
        case .lastWayIn: self.init(.lastSignInMethod)
        case .invalidSession: self.init(.externalCodeRefused)
        case .busy(let seconds): self.init(.busy, retryAfter: seconds)
        case .accountChanged: self.init(.accountChanged)
        // These concern proofs of keys, passwords and other factors, which these changes do not have.
        case .unauthorized, .nothingPending, .invalidCode, .notFound, .questionsOff, .unacceptableAnswers,
            .passwordUnacceptable, .invalidCredentials, .walletDeactivated, .deviceDeactivated:
            self.init(.notAdmitted)
        }
    }
}
