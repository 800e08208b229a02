internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// A user name and the account PIN, if the brand's operator turned it on.
struct AccountPINMethod: SignInMethod {
    /// The user name as typed.
    let name: String
    /// `nil` for text that cannot be a PIN. It counts as a wrong one.
    let pin: AccountPIN?
    let browser: KnownDeviceCookie?

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        // The form may be an hour old, and PINs turned off since.
        let brand = attempt.brand
        guard try await attempt.context.database.read({ try Brands.takesAccountPINs(brand.rawValue, on: $0) }) else {
            return .refused(.methodNotOffered)
        }
        // A name that no account can have is answered like any wrong one.
        guard let username = try? Username(name), let pin else { return .refused(.invalidCredentials) }
        let outcome = try await AccountPINVerification(
            context: attempt.context, origin: attempt.intent.origin, now: attempt.now
        ).verify(pin, username: username, brand: brand, cookie: browser)
        switch outcome {
        case .notTaken: return .refused(.methodNotOffered)
        case .invalid: return .refused(.invalidCredentials)
        case .deactivated: return .refused(.walletDeactivated)
        case .tooManyAttempts(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds): return .refused(.busy(retryAfter: seconds))
        case .verified(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.pin], authTime: attempt.now)
            return .proved(try await attempt.proof(of: account.id, factors))
        }
    }
}
