package import AuthCore
internal import AuthCredentials
package import AuthStore
package import WalletAuthWire

/// Every way to sign in. Both presenters name their methods by this list alone.
///
/// This folder owns the methods: one file each, which verifies a credential and charges its counters. It does not own the rules of a
/// credential (`AuthCredentials`), the steps after the proof (`Engine`), nor forms and texts (`Native`, `Pages`). No method knows
/// another.
enum SignInMethods: SignInMethod {
    case password(PasswordMethod)
    case accountPIN(AccountPINMethod)
    /// A device's key with its PIN or the holder's biometrics.
    case deviceAssertion(DeviceAssertionMethod)
    case deviceToken(DeviceTokenMethod)
    case passkey(PasskeyMethod)
    /// A nonce that a backend requested for the person.
    case loginNonce(LoginNonceMethod)
    /// An identity provider's answer that an app obtained.
    case federatedIdentity(FederatedIdentityMethod)
    /// An identity provider's answer to a hosted page.
    case providerResponse(ProviderResponseMethod)
    /// The code that a recovery sent.
    case recoveryCode(RecoveryCodeMethod)

    private var method: any SignInMethod {
        switch self {
        case .password(let method): method
        case .accountPIN(let method): method
        case .deviceAssertion(let method): method
        case .deviceToken(let method): method
        case .passkey(let method): method
        case .loginNonce(let method): method
        case .federatedIdentity(let method): method
        case .providerResponse(let method): method
        case .recoveryCode(let method): method
        }
    }

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict { try await method.verify(for: attempt) }
}

/// The methods that the hosted page can show in place of the password, each a user name and one secret. An app's request asks for one,
/// and the brand's operator turns it on.
package enum PasswordAlternative: Sendable, Hashable, CaseIterable {
    case accountPIN

    /// A secret as typed into the method's form.
    package enum Secret: Sendable {
        /// `nil` for text that cannot be a PIN.
        case accountPIN(AccountPIN?)
    }
}

extension PasswordAlternative {
    /// The value with which a request asks for it.
    var strategy: AuthorizationRequest.LoginStrategy {
        switch self {
        case .accountPIN: .pin
        }
    }

    fileprivate func isTaken(by brand: String, on connection: any SQLConnection) throws -> Bool {
        switch self {
        case .accountPIN: try Brands.takesAccountPINs(brand, on: connection)
        }
    }
}

extension PasswordAlternative.Secret {
    var alternative: PasswordAlternative {
        switch self {
        case .accountPIN: .accountPIN
        }
    }

    /// The method that verifies it.
    /// - Parameter username: `nil` for text that no account can have as its name.
    func method(for username: Username?, on device: DeviceEvidence) -> SignInMethods {
        switch self {
        case .accountPIN(let pin): .accountPIN(AccountPINMethod(username: username, pin: pin, device: device))
        }
    }
}

extension AuthorizationRequest.LoginStrategy {
    /// Whether a brand's accounts may sign in this way.
    package func isTaken(by brand: BrandID, on connection: any SQLConnection) throws -> Bool {
        let alternative = PasswordAlternative.allCases.first { $0.strategy == self }
        return try alternative?.isTaken(by: brand.rawValue, on: connection) ?? true
    }
}
