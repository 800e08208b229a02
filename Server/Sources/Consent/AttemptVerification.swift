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
    /// Of the session that the operation belongs to.
    let call: ConsentingApp
    /// The device that approves for that session (``WalletAuthWire/SCAVerification/push``).
    var approver: ApprovingDevice?
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
    let database: any Database
    let vault: OperationVault
    let codes: FactorCodes
    let authenticators: AuthenticatorVault
    let passkeys: AppPasskeyConsents

    enum Decision: Sendable {
        case right(ConsentProof)
        case wrong
        /// A passkey that is not the account's, which is no guess at one that is. It costs no attempt.
        case foreign
        /// An assertion of the session's device, which proves this if it is right.
        case device(DeviceAssertions.Presented, ConsentProof)
    }

    func decide(on value: SCAValue, of attempt: ChargedAttempt) async throws -> Decision {
        switch attempt.verification {
        case .sms, .email: code(value, of: attempt)
        case .authenticator: try await authenticator(value, of: attempt)
        case .devicePIN, .deviceBiometric: try await device(value, of: attempt)
        case .devicePasskey: try await passkeys.decide(on: value, of: attempt)
        case .push: try await otherDevice(value, of: attempt)
        // These belong to a hosted page (``ConsentInteraction``); the wire format lets no value for them through.
        default: .wrong
        }
    }

    private func code(_ value: SCAValue, of attempt: ChargedAttempt) -> Decision {
        guard let kind = attempt.verification.sentFactor, let kept = attempt.record.challenge.code,
            codes.isRight(value.reveal(), kept: kept, for: attempt.record.id, now: attempt.call.now)
        else { return .wrong }
        return .right(ConsentProof(methods: [kind.authenticationMethod]))
    }

    private func authenticator(_ value: SCAValue, of attempt: ChargedAttempt) async throws -> Decision {
        let (account, now) = (attempt.call.account.id, attempt.call.now)
        let stored = try await database.read { try TOTPSecrets.active(of: account, on: $0) }
        guard let stored, let secret = authenticators.openBytes(stored.sealed, .secret, of: account),
            let step = TOTP.step(of: value.reveal(), secret: secret, now: now)
        else { return .wrong }
        return .right(
            ConsentProof(
                methods: [FactorKind.totp.authenticationMethod],
                condition: .authenticator(step: step, sealed: stored.sealed)))
    }

    private func device(_ value: SCAValue, of attempt: ChargedAttempt) async throws -> Decision {
        let (record, call) = (attempt.record, attempt.call)
        // A different device may sign too, with its own PIN. It is excluded before anything is written.
        guard let act = try act(of: record), let assertion = try? SignedAssertion(value.reveal()),
            let device = try await device(of: call),
            let presented = try? PresentedAssertion(assertion),
            presented.unverified.deviceID.rawValue == device.id.uuid
        else { return .wrong }
        switch (attempt.verification, presented.unverified.factor) {
        case (.devicePIN, .pin): break
        case (.deviceBiometric, .biometric):
            guard call.thumbprint != nil,
                record.challenge.id == DeviceChallenges.digest(of: presented.unverified.challengeID)
            else { return .wrong }
        default: return .wrong
        }
        return .device(
            DeviceAssertions.Presented(presented, act: act, key: call.thumbprint, origin: call.origin, now: call.now),
            ConsentProof(
                methods: [device.keyStorage.method, presented.unverified.factor.authenticationMethod],
                evidence: try evidence(
                    of: assertion, by: presented.unverified.factor, of: device, for: record.id)))
    }

    /// An assertion of the device that approves for another session. Its act binds it to this event and these bytes.
    private func otherDevice(_ value: SCAValue, of attempt: ChargedAttempt) async throws -> Decision {
        let (record, call) = (attempt.record, attempt.call)
        guard let approver = attempt.approver, let act = try act(of: record),
            let assertion = try? SignedAssertion(value.reveal()), let presented = try? PresentedAssertion(assertion),
            presented.unverified.deviceID.rawValue == approver.device.id.uuid
        else { return .wrong }
        return .device(
            DeviceAssertions.Presented(
                presented, act: act, key: approver.thumbprint, session: approver.session.id, origin: call.origin,
                now: call.now),
            ConsentProof(
                methods: [approver.device.keyStorage.method, presented.unverified.factor.authenticationMethod],
                evidence: try evidence(
                    of: assertion, by: presented.unverified.factor, of: approver.device, in: approver.session.id,
                    for: record.id)))
    }

    /// The act that a device signs: this event, and the bytes that were shown.
    private func act(of record: WalletOperationRecord) throws -> DeviceAssertion.Act? {
        let content = try vault.open(record)
        return content.payload.eventID.transactionID.map { .sca($0, .operation(content.bytes)) }
    }

    private func device(of call: ConsentingApp) async throws -> DeviceRecord? {
        try await database.read { connection in
            try ConsentFactors.trustedDevice(of: call.session, now: call.now, on: connection)
        }
    }

    private func evidence(
        of assertion: SignedAssertion, by factor: DeviceAssertion.Factor, of device: DeviceRecord,
        in session: UniqueID? = nil, for event: UniqueID
    ) throws -> [UInt8] {
        var object = JSONObject()
        object.set("assertion", assertion.reveal())
        object.set("device_id", device.id.uuid)
        object["device_key"] = .object(try device.key.json)
        object.set("session_id", session?.uuid)
        object["attestation"] = device.attestation.map { .object($0.app.json) }
        if factor == .biometric { object.set("biometric_key", device.biometricKey?.voucher?.rawValue) }
        return try vault.seal(object.bytes, .evidence, of: event)
    }
}
