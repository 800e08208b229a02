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

/// A right value, and its single-use parts.
struct ConsentProof: Sendable {
    /// Its values in `amr`.
    var methods: [String]
    /// The evidence to keep.
    var evidence: [UInt8]?
    /// The authenticator's code that it is, which stays good for another operation until it is spent.
    var authenticatorCode: AuthenticatorCode?
    /// Uses up single-use parts. If it returns false, the value is wrong.
    var spend: @Sendable (any SQLConnection) throws -> Bool = { _ in true }

    /// A right code of an authenticator app.
    struct AuthenticatorCode: Sendable {
        var step: Int64
        /// The secret that it was compared with, as stored.
        var sealed: [UInt8]
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
        /// An assertion of the session's device, which proves this if its PIN is right. That is decided in the write that ends the PIN's
        /// challenge.
        case devicePIN(PresentedAssertion, DeviceAssertion.Act, ConsentProof)
    }

    func decide(on value: SCAValue) async throws -> Decision {
        switch attempt.verification {
        case .sms, .email: code(value)
        case .authenticator: try await authenticator(value)
        case .devicePIN: try await devicePIN(value)
        case .deviceBiometric: try await deviceBiometric(value)
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
                authenticatorCode: ConsentProof.AuthenticatorCode(step: step, sealed: stored.sealed)
            ) { connection in
                // Another app may have replaced it since the challenge.
                try !TOTPSecrets.isCooling(of: account, now: now, on: connection)
                    && TOTPSecrets.spend(step: step, of: account, sealed: stored.sealed, on: connection)
            })
    }

    private func devicePIN(_ value: SCAValue) async throws -> Decision {
        // A different device may sign too, with its own PIN. It is excluded before anything is written.
        guard let act = try act, let assertion = try? SignedAssertion(value.reveal()), let device = try await device(),
            let presented = try? PresentedAssertion(assertion), presented.unverified.deviceID.rawValue == device.id.uuid
        else { return .wrong }
        return .devicePIN(
            presented, act,
            ConsentProof(
                methods: [device.keyStorage.method, AuthenticationStrength.pin],
                evidence: try evidence(of: assertion, device: device)))
    }

    private func deviceBiometric(_ value: SCAValue) async throws -> Decision {
        guard let act = try act, let thumbprint = call.thumbprint, let assertion = try? SignedAssertion(value.reveal()),
            let device = try await device(), let presented = try? PresentedAssertion(assertion),
            record.challenge.id
                == Digests.of("challenge", Array(presented.unverified.challengeID.rawValue.utf8))
        else { return .wrong }
        let decision = try await BiometricAssertions(context: context).check(
            presented, act: act, purpose: .sca, thumbprint: thumbprint, now: call.now)
        guard case .success(let proof) = decision, proof.device.id == device.id else { return .wrong }
        return .right(
            ConsentProof(
                methods: [device.keyStorage.method, AuthenticationStrength.biometric],
                evidence: try evidence(of: assertion, device: device)))
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
