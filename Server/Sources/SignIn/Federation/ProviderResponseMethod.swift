internal import Core
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

/// An identity provider's response to a redirect from a hosted page.
struct ProviderResponseMethod: SignInMethod {
    let provider: IdentityProvider
    let response: ProviderResponse
    /// The nonce that the ID token must contain.
    let nonce: Nonce
    let verifier: CodeVerifier
    /// Identifies the redirect, which takes one response.
    let redirect: [UInt8]
    /// The earliest acceptable time of the sign-in at the provider; `nil` if an older session is enough.
    let freshSince: Timestamp?
    /// The browser's cookie.
    let browser: KnownDeviceCookie?

    /// How long a redirect waits for its response: long enough to find a second phone or to reset a password at the provider.
    static let patience = Duration.minutes(30)
    /// How far the provider's clock may be behind, in seconds.
    static let leeway: Int64 = 60

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let (federation, now) = (attempt.checks.federation, attempt.now)
        let attempts = federation.attempts
        let counters = try attempts.counters(ofPage: attempt.intent.origin, in: browser, now: now)
        switch try await attempts.reserve(counters, now: now) {
        case .networkHeld(let seconds): return .refused(.networkHeld(retryAfter: seconds))
        case .deviceHeld(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .ask, .slowed: break
        }
        let outcome: ProviderVerification.Outcome
        switch try await read(by: federation.access, now: now) {
        case .declined:
            // No code is redeemed and no failure counted. Anyone can decline any number of times, which leaves one row per address.
            try await attempts.refund(counters)
            return .refused(.providerDeclined)
        case .unavailable: outcome = .unavailable
        case .wrong:
            federation.access.activity.count(.refused, of: provider)
            outcome = .wrong
        case .code(let code):
            // Before the code is redeemed, so that of two requests with the same response only one continues.
            let end = now + Self.patience
            guard try await federation.database.write({ try SeenJTIs.remember(redirect, until: end, on: $0) }) else {
                try await attempts.refund(counters)
                return .refused(.providerAnswerUsed)
            }
            outcome = try await federation.verification.verify(
                code, at: provider, nonce: nonce, verifier: verifier, now: now)
        }
        switch try await attempts.settle(counters, by: outcome, of: provider, now: now) {
        case .unavailable: return .refused(.providerUnavailable)
        case .wrong: return .refused(.invalidCredentials)
        case .noAccount(let identity): return .refused(.noAccount(identity))
        case .linked(let account, let identity):
            var proof = try await attempt.proof(
                of: account, vouchedFor: now, providerAuthTime: Self.authTime(of: identity))
            if !isFresh(identity.authTime) {
                // The person needs a second factor, or the sign-in stops: anyone at an unlocked browser could use the
                // provider's session.
                guard try await federation.hasSecondFactor(account) else { return .refused(.providerSessionOld) }
                proof.requiredACR = [AuthenticationStrength.twoFactors]
            }
            return .proved(proof)
        }
    }

    /// The time of the sign-in at the provider. Without the claim, the provider's session may be old, so it counts as a day old.
    static func authTime(of identity: ProvenIdentity) -> Timestamp {
        identity.authTime ?? identity.provenAt - .days(1)
    }

    /// Whether the sign-in at the provider is recent enough. A provider that does not report its time has not proved it.
    private func isFresh(_ authTime: Timestamp?) -> Bool {
        guard let freshSince else { return true }
        guard let authTime else { return false }
        return authTime.seconds >= freshSince.seconds - Self.leeway
    }

    // MARK: - The response, before a code is redeemed

    private enum Content {
        case code(AuthorizationCode)
        /// The person cancelled at the provider.
        case declined
        case unavailable
        case wrong
    }

    private func read(by access: ProviderAccess, now: Timestamp) async throws -> Content {
        do {
            guard try await isAnswer(by: access, now: now) else {
                access.logger.warning(
                    "refused a response that does not name the requested identity provider",
                    metadata: ["provider": "\(provider.id)"])
                return .wrong
            }
        } catch let failure as ProviderFailure {
            access.report(failure, of: provider)
            return .unavailable
        }
        switch response.error {
        case nil: break
        case "access_denied", "user_cancelled_authorize": return .declined
        case "temporarily_unavailable", "server_error":
            access.activity.count(.unavailable, of: provider)
            return .unavailable
        case let error?:
            // The browser controls this text, so only known codes are logged.
            let known = Self.knownErrors.contains(error) ? error : "another error"
            access.logger.warning(
                "an identity provider returned an error to a page",
                metadata: ["provider": "\(provider.id)", "error": "\(known)"])
            return .wrong
        }
        return response.code.flatMap { try? AuthorizationCode($0) }.map(Content.code) ?? .wrong
    }

    /// RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6, without the codes that are handled separately.
    private static let knownErrors: Set = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "login_required",
        "consent_required", "interaction_required", "account_selection_required",
    ]

    /// Whether the response comes from this provider, if it names its issuer or has to (RFC 9207 §2.4).
    private func isAnswer(by access: ProviderAccess, now: Timestamp) async throws -> Bool {
        switch provider.kind {
        case .openID(let settings, _):
            if let issuer = response.issuer { return issuer == settings.issuer.rawValue }
            return try await !access.documents.metadata(
                of: settings, reach: provider.reach(in: access.environment), now: now
            ).namesIssuer
        case .vendor(let vendor, _): return response.issuer.map { $0 == vendor.place } ?? true
        case .repository, .introspection: return false
        }
    }
}
