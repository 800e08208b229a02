internal import Kernel
internal import SignIn
internal import Store
internal import Tokens
internal import WalletAuthWire
package import Web

extension LoyaltyFlows {
    /// `POST /oauth/requestGuestToken.json`: issues tokens for a guest.
    package func requestGuestToken(
        _ request: GuestTokenRequest, call: LoyaltyCaller
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        let scope = request.scope.flatMap { $0.isEmpty ? nil : $0 }
        guard (scope ?? .none).isSubset(of: call.client.scope) else { return .failure(LoyaltyFailure(.invalidScope)) }
        let session = call.tokens(scope: scope)
        switch request.grant {
        case .fields(let account):
            switch try await integrations.find(account.integration, of: request.merchantID, for: call) {
            case .failure(let failure): return .failure(failure)
            case .success(let integration):
                return try await signIn(account, by: integration, session: session)
            }
        case .password(let username, let password):
            guard call.client.mayUseGuestPasswords else { return .failure(LoyaltyFailure(.clientNotAllowed)) }
            guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
                return .failure(LoyaltyFailure(.unknownMerchant))
            }
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
            guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
                return .failure(LoyaltyFailure(.unknownMerchant))
            }
            guard let oneTimePasswords else { return .failure(LoyaltyFailure(.oneTimePasswordDisabled)) }
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
            guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
                return .failure(LoyaltyFailure(.unknownMerchant))
            }
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
            guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
                return .failure(LoyaltyFailure(.unknownMerchant))
            }
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
        let check = ExternalAccountCheck(
            context: context, integration: integration, account: brought, now: session.now)
        let claim: ExternalAccountCheck.Claim
        switch try await check.claim() {
        case .failure(let failure): return .failure(failure)
        case .success(let claimed): claim = claimed
        }
        guard try await isLinked(claim, at: integration) else { return .failure(LoyaltyFailure(.noMatchingGuest)) }
        let attempts = try GuestAttempts(
            at: .codes, by: claim.digest, claim.kind, provider: integration.provider, context: context)
        let code = Digests.of(
            "loyalty-code", Array("\(integration.provider.brand)\0\(brought.accessToken.reveal())".utf8))
        // Impatient apps send equal requests at once. The first redeems the code, and the others do not count as guesses.
        let outcome = try await alone(with: code) { () -> Result<(ProvenIdentity, AccountRecord), LoyaltyFailure> in
            if try await redeemedCodes.contains(code, now: session.now) {
                return .failure(LoyaltyFailure(.externalCodeRefused))
            }
            switch try await attempts.charging(now: session.now, { try await check.redeem(claim) }) {
            case .failure(let failure): return .failure(failure)
            case .success(let identity):
                try await redeemedCodes.insert(code, now: session.now)
                let account = try await identity.account(in: context)
                guard try await attempts.succeed(as: identity, of: account, now: session.now) else {
                    return .failure(LoyaltyFailure(.externalCodeRefused))
                }
                // The identity may have been unlinked while the provider was asked.
                guard let account else { return .failure(LoyaltyFailure(.noMatchingGuest)) }
                return .success((identity, account))
            }
        }
        switch outcome {
        case nil: return .failure(LoyaltyFailure(.busy, retryAfter: 2))
        case .failure(let failure)?: return .failure(failure)
        case .success(let (identity, account))?:
            return try answer(try await sessions.open(account, as: identity, call: session))
        }
    }

    /// Whether a claimed identity is linked to an account.
    func isLinked(_ claim: ExternalAccountCheck.Claim, at integration: LoyaltyIntegration) async throws -> Bool {
        let brand = integration.provider.brand.rawValue
        return try await context.database.read {
            try FederatedIdentities.find(claim.digest, brand: brand, on: $0) != nil
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
