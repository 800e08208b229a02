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
