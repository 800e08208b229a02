internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// An attempt that is charged, before it is decided.
struct ChargedAttempt: Sendable {
    /// The row with the attempt charged.
    let record: WalletOperationRecord
    let verification: SCAVerification
    /// The digest of the value that the attempt was charged for (``SCAEvent/compared``); `nil` if it is charged for any value.
    let value: [UInt8]?
    /// Whether this comparison was charged, and not another one of the same value.
    let isCharged: Bool
    /// The counter for wrong values of this kind, over all events.
    let subject: [UInt8]
    let call: ConsentingApp
}

/// A right value.
struct ConsentProof: Sendable {
    /// Its values in `amr`.
    var methods: [String]
    /// The evidence to keep.
    var evidence: [UInt8]?
    /// What the write that settles the attempt has to use up, or to find as it was compared. If it cannot, the value is wrong.
    var condition = Condition.none

    enum Condition: Sendable {
        /// The event's challenge is the only part that is used once.
        case none
        /// The code of an authenticator app. It stays good for another operation until it is used.
        /// - Parameter sealed: the secret that it was compared with, as stored.
        case authenticator(step: Int64, sealed: [UInt8])
        /// The account's password.
        case password
        case accountPIN(AccountPINGuesses.Proof)
        case passkey(PasskeyAuthentication.Proof)
    }
}

/// Compares a value from the app. It writes nothing.
struct AttemptVerification: Sendable {
    let context: ServerContext
    let attempt: ChargedAttempt

    private var record: WalletOperationRecord { attempt.record }
    private var call: ConsentingApp { attempt.call }

    enum Decision: Sendable {
        case right(ConsentProof)
        case wrong
        /// An assertion of the session's device, which proves this if it is right.
        case device(DeviceAssertions.Presented, ConsentProof)
    }

    func decide(on value: SCAValue) async throws -> Decision {
        switch attempt.verification {
        case .sms, .email: code(value)
        case .authenticator: try await authenticator(value)
        case .devicePIN: try await device(value, opener: AuthenticationStrength.pin)
        case .deviceBiometric: try await device(value, opener: AuthenticationStrength.biometric)
        // These belong to a hosted page (``ConsentInteraction``); the wire format lets no value for them through.
        default: .wrong
        }
    }

    private func code(_ value: SCAValue) -> Decision {
        let codes = FactorCodes(context: context, use: .consent)
        guard let kind = attempt.verification.sentFactor, let kept = record.challenge.code,
            codes.isRight(value.reveal(), kept: kept, for: record.id, now: call.now)
        else { return .wrong }
        return .right(ConsentProof(methods: [kind.authenticationMethod]))
    }

    private func authenticator(_ value: SCAValue) async throws -> Decision {
        let (account, now) = (call.account.id, call.now)
        let stored = try await context.database.read { try TOTPSecrets.active(of: account, on: $0) }
        let vault = AuthenticatorVault(context.sealing)
        guard let stored, let secret = vault.openBytes(stored.sealed, .secret, of: account),
            let step = TOTP.step(of: value.reveal(), secret: secret, now: now)
        else { return .wrong }
        return .right(
            ConsentProof(
                methods: [FactorKind.totp.authenticationMethod],
                condition: .authenticator(step: step, sealed: stored.sealed)))
    }

    /// - Parameter opener: what opens the second key of the assertion, as a value in `amr`.
    private func device(_ value: SCAValue, opener: String) async throws -> Decision {
        // A different device may sign too, with its own PIN. It is excluded before anything is written.
        guard let act = try act, let assertion = try? SignedAssertion(value.reveal()), let device = try await device(),
            let presented = try? PresentedAssertion(assertion),
            presented.unverified.deviceID.rawValue == device.id.uuid
        else { return .wrong }
        switch (attempt.verification, presented.unverified.factor) {
        case (.devicePIN, .pin): break
        case (.deviceBiometric, .biometric):
            let challenge = Digests.of("challenge", Array(presented.unverified.challengeID.rawValue.utf8))
            guard call.thumbprint != nil, record.challenge.id == challenge else { return .wrong }
        default: return .wrong
        }
        return .device(
            DeviceAssertions.Presented(presented, act: act, key: call.thumbprint, origin: call.origin, now: call.now),
            ConsentProof(
                methods: [device.keyStorage.method, opener], evidence: try evidence(of: assertion, device: device)))
    }

    /// The act that a device signs: this event, and the bytes that were shown.
    private var act: DeviceAssertion.Act? {
        get throws {
            let content = try OperationVault(context.sealing).open(record)
            return content.operation.eventID.transactionID.map { .sca($0, .operation(content.payload)) }
        }
    }

    private func device() async throws -> DeviceRecord? {
        try await context.database.read { connection in
            try ConsentFactors.trustedDevice(of: call.session, now: call.now, on: connection)
        }
    }

    private func evidence(of assertion: SignedAssertion, device: DeviceRecord) throws -> [UInt8] {
        var object = JSONObject()
        object.set("assertion", assertion.reveal())
        object.set("device_id", device.id.uuid)
        object["device_key"] = .object(try device.key.json)
        return try OperationVault(context.sealing).seal(object.bytes, .evidence, of: record.id)
    }
}
