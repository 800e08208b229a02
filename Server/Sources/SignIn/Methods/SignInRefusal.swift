internal import Core
internal import Kernel

/// The reason why a sign-in ends or its method proved nothing. The presenters map it: the app's API to an error code, the pages to a
/// step and a notice.
enum SignInRefusal: Sendable {
    // MARK: By a method

    /// A wrong, unknown, locked or spent credential; the caller cannot tell which.
    case invalidCredentials
    case deviceTokenExpired
    /// The brand does not offer this method.
    case methodNotOffered
    /// The client may not use device tokens.
    case deviceTokensNotAllowed
    /// The brand has no such provider.
    case unknownProvider
    case providerUnavailable
    /// The person cancelled at the provider.
    case providerDeclined
    /// The provider did not prove a recent sign-in, and the account has nothing else to ask for.
    case providerSessionOld
    /// The provider's answer was used before or came too late.
    case providerAnswerUsed
    /// The provider knows the person, but no account is linked.
    case noAccount(ProvenIdentity)
    /// The code of a recovery.
    case wrongRecoveryCode(isLast: Bool)
    /// Too many attempts on this device. In seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// Too many attempts from this network. In seconds.
    case networkHeld(retryAfter: Int64)
    /// No capacity to hash; nothing was charged. In seconds.
    case busy(retryAfter: Int64)

    // MARK: By a method or the gate

    case walletDeactivated
    /// The device, its PIN or its biometric key.
    case device(PINRefusal)

    // MARK: By the gate

    /// The account changed after the proof, or is none of this brand: the person has to begin again.
    case outdated
    /// The request names another person (`id_token_hint`).
    case unexpectedAccount
    case merchant(MerchantFault)
    case unmetACR
    /// The same, because nothing can deliver the code of the second factor.
    case codeUndeliverable
    /// The account has more than its mailbox, and none of it can be requested.
    case recoveryUnavailable
    /// The password must be changed, which the account PIN cannot do.
    case passwordNeeded
    /// A second factor is required, and none can be requested any more.
    case secondFactorUnavailable
    /// The person would have to be asked, which the request forbids.
    case interactionRequired
    /// The same, for consent to a third-party client.
    case consentRequired

    // MARK: By a required action

    /// The first factor was proved too long ago for a required action.
    case expired
    /// The sign-in waits for another action than the one that was answered.
    case notAsked
    /// The account changed, or the recovery has ended.
    case over
    /// The account has no such second factor.
    case noSuchFactor
    /// The last allowed answer to the second factor was wrong.
    case secondFactorFailed
    /// No try is left, or the second factor has ended.
    case secondFactorOver
}

extension SignInRefusal {
    init(_ refusal: CredentialRefusal) {
        switch refusal {
        case .invalid: self = .invalidCredentials
        case .walletDeactivated: self = .walletDeactivated
        case .deviceSuspended: self = .device(.deviceSuspended)
        case .deviceDeactivated: self = .device(.deviceDeactivated)
        case .tooManyAttempts(let seconds): self = .tooManyAttempts(retryAfter: seconds)
        case .networkHeld(let seconds): self = .networkHeld(retryAfter: seconds)
        case .busy(let seconds): self = .busy(retryAfter: seconds)
        }
    }
}
