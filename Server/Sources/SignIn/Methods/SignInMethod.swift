internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A way to prove who is signing in. It holds a credential, verifies it, charges its own counters, and does nothing else: it neither
/// decides whether the account may sign in nor knows how the result is presented.
protocol SignInMethod: Sendable {
    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict
}

enum SignInVerdict: Sendable {
    case proved(SignInProof)
    case refused(SignInRefusal)
}

/// A proved first factor, and its consequences for the intent of the sign-in.
struct SignInProof: Sendable {
    var account: UniqueID
    var factors: SignInPolicy.Factors
    /// The enrolled device that the sign-in comes from.
    var device: UniqueID?
    /// Whether that device's own key was proved. Only then is it linked, and a factor if it is among the methods.
    var isDeviceProved = false
    /// Identifies the proof if its request can be repeated and may open only one session; see `SignInIntent`.
    var grantID: [UInt8]?
    /// The classes that this proof needs in place of the request's; `nil` for no change.
    var requiredACR: [String]?

    init(account: UniqueID, factors: SignInPolicy.Factors) {
        self.account = account
        self.factors = factors
    }

    /// The proof behind a sign-in that waits; `nil` if the state is damaged.
    init?(_ pending: PendingSignIn) {
        guard let account = pending.accountID else { return nil }
        self.init(account: account, factors: pending.factors)
        grantID = pending.grantID
        device = pending.deviceID
        requiredACR = pending.requiredACR
        isDeviceProved = device != nil && pending.isDeviceProved
    }
}

extension PendingSignIn {
    /// A sign-in that waits with its proof.
    init(_ need: Need, _ proof: SignInProof) {
        self.init(
            need, account: proof.account, factors: proof.factors, device: proof.device,
            isDeviceProved: proof.isDeviceProved)
        requiredACR = proof.requiredACR
        if AuthenticationStrength.isCrossDevice(proof.factors.amr) { grantID = proof.grantID }
    }
}

/// What the methods verify credentials with.
struct CredentialChecks: Sendable {
    let database: any Database
    let clients: ClientDirectory
    let addresses: AddressAttempts
    let devices: DeviceRecognition
    let passwords: PasswordVerification
    let accountPINs: AccountPINVerification
    let passkeys: PasskeyAuthentication
    let recoveries: PasswordRecovery
    let assertions: DeviceAssertions
    let federation: FederatedSignIn
}

/// The sign-in that a credential is presented for, and each of its further steps.
struct SignInAttempt: Sendable {
    let checks: CredentialChecks
    var intent: SignInIntent
    /// The brand of the accounts that sign in.
    let brand: BrandID
    let now: Timestamp
    /// Whether the person may be asked for anything: not with `prompt=none`.
    var mayAsk = true
    /// The page's form that this step came from; `nil` for an app. Reloaded, it asks again, and sends no second code.
    var form: SubmittedForm?

    var database: any Database { checks.database }

    /// The sign-in with what a proof says of its device and requires.
    func applying(_ proof: SignInProof) -> SignInAttempt {
        var attempt = self
        attempt.intent.device = proof.device
        attempt.intent.isDeviceProved = proof.isDeviceProved
        if let id = proof.grantID { attempt.intent.grantID = id }
        if let acr = proof.requiredACR { attempt.intent.requiredACR = acr }
        return attempt
    }

    /// A proof with the device that it comes from.
    ///
    /// The device's key is a factor, except after an account PIN: both together would pass for the device's own PIN.
    /// - Parameter device: the device whose key was proved. Another account's device counts for nothing.
    func proof(
        of account: UniqueID, _ factors: SignInPolicy.Factors, on device: DeviceRecord? = nil
    ) async throws -> SignInProof {
        var proof = SignInProof(account: account, factors: factors)
        if let device, device.accountID == account, device.state != .removed {
            if !AuthenticationStrength.includeAccountPIN(factors.amr) {
                proof.factors.amr.append(device.keyStorage.method)
            }
            proof.device = device.id
            proof.isDeviceProved = true
        } else if intent.entrance == .native, let thumbprint = intent.keyThumbprint {
            proof.device = try await unnamedDevice(of: account, by: thumbprint)
        }
        return proof
    }

    /// The enrolled device with this sign-in's key, if the app omitted its enrollment. Its state applies, but its key is no factor.
    private func unnamedDevice(of account: UniqueID, by thumbprint: [UInt8]) async throws -> UniqueID? {
        let device = try await database.read { try Devices.find(dpopKey: thumbprint, of: account, on: $0) }
        return device.flatMap { $0.state == .removed ? nil : $0.id }
    }
}

/// The evidence in a request that its device is known, before it is verified.
enum DeviceEvidence: Sendable {
    /// An app's key, which a DPoP proof proved, and the enrolled device that the request names with a proof.
    case app(key: JWKThumbprint, DeviceID?, DeviceProof?)
    /// The content of a browser's cookie.
    case browser(KnownDeviceCookie?)

    /// The enrolled device whose key was proved, and the evidence that attempts are counted by.
    func recognized(
        for attempt: SignInAttempt
    ) async throws -> (enrolled: DeviceRecord?, counted: PasswordVerification.Device) {
        switch self {
        case .browser(let cookie): return (nil, .cookie(cookie))
        case .app(let key, let id, let proof):
            let client = attempt.intent.client.id
            let device = try await attempt.checks.devices.device(
                id, proof: proof, thumbprint: key, challenge: attempt.intent.challenge, client: client,
                now: attempt.now)
            let counted: PasswordVerification.Device = device.map { .enrolled($0) } ?? .key(key.bytes, of: client)
            return (device, counted)
        }
    }
}

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
    /// Passwords cannot be verified at present. In seconds.
    case unavailable(retryAfter: Int64)

    // MARK: By a method or the gate

    case walletDeactivated
    /// The device, its PIN or its biometric key.
    case device(PINRefusal)

    // MARK: By the gate

    /// The account changed after the proof, or is none of this brand: the person has to begin again.
    case outdated
    /// The request names another person (`id_token_hint`).
    case unexpectedAccount
    /// The holder closed the account, which is erased at a time, and may take that back until then.
    case closedByHolder(eraseAt: Timestamp)
    case merchant(MerchantFault)
    case unmetACR
    /// The same, because nothing can deliver the code of the second factor.
    case codeUndeliverable
    /// The account has more than its mailbox, and none of it can be requested.
    case recoveryUnavailable(WaysBesideMailbox)
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
    /// The last allowed answer to the second factor was wrong. A page may have to wait before it asks for the next.
    case secondFactorFailed(FactorPrompts.Wait?)
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
        case .unavailable(let seconds): self = .unavailable(retryAfter: seconds)
        }
    }
}
