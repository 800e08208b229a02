internal import Kernel
internal import Store
internal import WalletAuthWire

/// A user name and the account PIN, if the brand's operator turned it on.
struct AccountPINMethod: SignInMethod {
    /// `nil` for text that no account can have as its name. It is answered like any wrong name.
    let username: Username?
    /// `nil` for text that cannot be a PIN. It is answered like a wrong one, and costs no guess.
    let pin: AccountPIN?
    let device: DeviceEvidence

    static func isTaken(by brand: String, on connection: any SQLConnection) throws -> Bool {
        try Brands.takesAccountPINs(brand, on: connection)
    }

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        // The form may be an hour old, and PINs turned off since.
        let brand = attempt.brand
        guard try await attempt.database.read({ try Self.isTaken(by: brand.rawValue, on: $0) }) else {
            return .refused(.methodNotOffered)
        }
        guard let username, let pin else { return .refused(.invalidCredentials) }
        let device = try await device.recognized(for: attempt)
        let outcome = try await attempt.checks.accountPINs.verify(
            pin, username: username, brand: brand, device: device.counted, origin: attempt.intent.origin,
            now: attempt.now)
        switch outcome {
        case .notTaken: return .refused(.methodNotOffered)
        case .refused(let refusal): return .refused(SignInRefusal(refusal))
        case .verified(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.pin], authTime: attempt.now)
            // The device's key must not be among the methods: with it, `pin` is a device PIN, which sets passwords and outlives this
            // one.
            return .proved(
                try await attempt.proof(of: account.id, factors, on: device.enrolled))
        }
    }
}

extension PasswordAlternative.Secret {
    /// - Parameter pin: `nil` for text that cannot be a PIN.
    package static func accountPIN(_ pin: AccountPIN?) -> Self {
        Self(alternative: .accountPIN) { username, device in
            AccountPINMethod(username: username, pin: pin, device: device)
        }
    }
}
