package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// Verifies what a device signs with its key, and with its PIN or its biometric key. It writes nothing: the caller's write saves the
/// ``VerifiedAssertion`` together with what it brings about.
///
/// A PIN's challenge comes from ``PINEvaluation``, and its attempt is charged there. A biometric key's challenge comes from
/// `POST /v1/challenges`. Nothing is counted for it, because neither key can be guessed.
///
/// A class, because every flow that takes assertions has it.
package final class DeviceAssertions: Sendable {
    private let database: any Database
    private let issuer: Issuer
    private let biometricKeys: BiometricKeyRule
    private let sealing: SealingKeys
    private let auditLog: AuditLog
    private let challenges: DeviceChallenges
    private let lockout: PINLockout
    private let logger: Logger

    init(
        database: any Database, issuer: Issuer, biometricKeys: BiometricKeyRule, sealing: SealingKeys,
        auditLog: AuditLog, lockout: PINLockout, logger: Logger
    ) {
        self.database = database
        self.issuer = issuer
        self.biometricKeys = biometricKeys
        self.sealing = sealing
        self.auditLog = auditLog
        challenges = DeviceChallenges(sealing: sealing)
        self.lockout = lockout
        self.logger = logger
    }

    /// An assertion, and what the server knows about its request.
    package struct Presented: Sendable {
        let assertion: PresentedAssertion
        /// The act that the request is about.
        let act: DeviceAssertion.Act
        /// The DPoP key that a biometric key's challenge is bound to; `nil` for the device's own key.
        var key: JWKThumbprint?
        /// The PIN key in the request, if a PIN is set or changed.
        var newPIN: JWK?
        /// The session that sets or changes something. It must still be active when the assertion is saved.
        var session: UniqueID?
        let origin: RequestOrigin
        let now: Timestamp

        package init(
            _ assertion: PresentedAssertion, act: DeviceAssertion.Act, key: JWKThumbprint? = nil, newPIN: JWK? = nil,
            session: UniqueID? = nil, origin: RequestOrigin, now: Timestamp
        ) {
            self.assertion = assertion
            self.act = act
            self.key = key
            self.newPIN = newPIN
            self.session = session
            self.origin = origin
            self.now = now
        }
    }

    /// Verifies an assertion and saves it, for a caller without rows of its own.
    package func check(_ presented: Presented) async throws -> AssertionDecision {
        try await WriteConflict.retrying("a PIN") {
            let asserted = try await verify(presented)
            if case .settled(let outcome) = asserted { return outcome.decision }
            return try await database.write { try asserted.save(on: $0).decision }
        }
    }

    /// Verifies an assertion. Call it and the write that saves its result within ``WriteConflict/retrying(_:_:)``: of two that verify
    /// from the same rows, one is saved, and the other decides again.
    ///
    /// It is verified before the write, since two signatures take longer than a write may.
    /// - Parameter signer: its signer, if it is by a biometric key and the caller has just read it.
    package func verify(_ presented: Presented, by signer: Signer? = nil) async throws -> VerifiedAssertion {
        switch presented.assertion.unverified.factor {
        case .pin: return try await byPIN(presented)
        case .biometric:
            var signer = signer
            if signer == nil {
                signer = try await database.read { try Self.signer(of: presented.assertion, on: $0) }
            }
            return try signer.map { try byBiometricKey(presented, of: $0) } ?? .refused(.invalidCredentials)
        }
    }

    /// The device that an assertion names, and its account.
    package struct Signer: Sendable {
        let device: DeviceRecord
        let account: AccountRecord
    }

    /// Reads the signer of an assertion; `nil` if there is none, or if its second factor is not the biometric key.
    package static func signer(
        of assertion: PresentedAssertion, on connection: any SQLConnection
    ) throws -> Signer? {
        guard assertion.unverified.factor == .biometric,
            let id = UniqueID(uuid: assertion.unverified.deviceID.rawValue),
            let device = try Devices.find(id, on: connection),
            let account = try Accounts.find(device.accountID, on: connection)
        else { return nil }
        return Signer(device: device, account: account)
    }
}

// MARK: - With the PIN

extension DeviceAssertions {
    /// The state that is read before the decision.
    private struct Facts: Sendable {
        var row: PINChallengeRecord
        var device: DeviceRecord
        var account: AccountRecord
        var pin: DevicePIN

        /// The answer to a wrong PIN. A challenge that was not charged cannot have locked the PIN.
        func refusal(of failure: PINChallenge.Failure) -> PINRefusal {
            guard row.epoch != nil else { return .invalidCredentials }
            return failure.triesLeft.map { .wrongPIN(remaining: $0) } ?? .locked(.tooManyTries)
        }
    }

    private func byPIN(_ presented: Presented) async throws -> VerifiedAssertion {
        guard let facts = try await facts(of: presented.assertion) else { return .refused(.invalidCredentials) }
        func ending(
            _ state: PINChallenge.State, by use: PINChallengeRecord.Use? = nil, _ pin: DevicePIN,
            _ ends: [DevicePIN.End] = [], _ entry: AuditLog.Entry? = nil
        ) -> PINEnding {
            var row = facts.row
            (row.state, row.use) = (state, use)
            return PINEnding(
                challenge: row, pin: pin, ends: ends, found: facts.pin, device: facts.device,
                session: presented.session, entry: entry, lockout: lockout, origin: presented.origin,
                now: presented.now)
        }
        switch try verification(of: presented, facts) {
        case .repeated: return .settled(.repeated(decision(facts, facts.row.use)))
        case .repeatedFailure(let failure): return .settled(.repeated(.failure(facts.refusal(of: failure))))
        case .refused(let error):
            logRefusal(error)
            return .refused(.invalidCredentials)
        case .late(let pin, let ends, let error):
            logRefusal(error)
            return .byPIN(.failure(.invalidCredentials), ending(.abandoned, pin, ends))
        case .wrongPIN(let pin, let ends, let failure):
            return .byPIN(.failure(facts.refusal(of: failure)), ending(.failed(failure), pin, ends))
        case .proven(let pin, let digest):
            let use = PINChallengeRecord.Use(
                payloadDigest: digest, securityVersion: facts.account.securityVersion, at: presented.now)
            let decision = self.decision(facts, use)
            // The correct PIN of a closed device opens nothing and does not change its attempts.
            guard facts.device.state == .active else { return .settled(.first(decision)) }
            return .byPIN(
                decision, ending(.used(digest), by: use, pin, [], try settingEntry(facts, presented)))
        }
    }

    private func facts(of assertion: PresentedAssertion) async throws -> Facts? {
        guard let id = UniqueID(uuid: assertion.unverified.challengeID.rawValue) else { return nil }
        return try await database.read { connection in
            guard let row = try PINChallenges.find(id, on: connection),
                let device = try Devices.find(row.deviceID, on: connection),
                let account = try Accounts.find(device.accountID, on: connection)
            else { return nil }
            return Facts(row: row, device: device, account: account, pin: try PINs.find(device.id, on: connection))
        }
    }

    private func verification(of presented: Presented, _ facts: Facts) throws -> PINVerification {
        try PINChallengeVault(sealing).challenge(facts.row).verify(
            presented.assertion,
            digests: PINVault(sealing).digests(
                of: presented.assertion, answering: facts.row.id, now: presented.now),
            of: try AccountID(bytes: facts.account.id.bytes), audience: issuer, act: presented.act,
            keys: try keys(facts, newPIN: presented.newPIN), pin: facts.pin, now: presented.now)
    }

    private func keys(_ facts: Facts, newPIN: JWK?) throws -> PINVerificationKeys {
        let (vault, device) = (PINVault(sealing), facts.device.id)
        var keys = PINVerificationKeys(device: try facts.device.key, pins: [:])
        if let epoch = facts.pin.state.active {
            keys.pins[epoch] = try vault.publicKey(facts.pin.publicKey, epoch, of: device)
        }
        if let epoch = facts.pin.state.pending, let newPIN {
            keys.pins[epoch] = newPIN
            keys.sealed = try vault.seal(newPIN.publicMembers.bytes, .publicKey, of: (device, epoch))
        }
        return keys
    }

    private func decision(_ facts: Facts, _ use: PINChallengeRecord.Use?) -> AssertionDecision {
        guard let use else { return .failure(.invalidCredentials) }
        if let refusal = refusal(of: facts.device.state) { return .failure(refusal) }
        return .success(
            AssertionProof(
                device: facts.device, account: facts.account,
                grantID: Array(Digests.of("pin-sign-in", facts.row.id.bytes).prefix(16)),
                securityVersion: use.securityVersion, at: use.at))
    }

    /// The entry and the message for a PIN that is set or changed; `nil` for an act with the PIN in use.
    private func settingEntry(_ facts: Facts, _ presented: Presented) throws -> AuditLog.Entry? {
        guard facts.row.newEpoch != nil else { return nil }
        let email = AccountVault(sealing).open(facts.account.email, .email, of: facts.account.id)
        return try auditLog.entry(
            facts.row.epoch == nil ? PINEvent.set : .changed, account: facts.account.id,
            client: facts.device.clientID, origin: presented.origin, now: presented.now,
            details: .naming(facts.device.id),
            message: PINMessage.set(DeviceVault(sealing).shownName(of: facts.device)), email: email)
    }

    private func logRefusal(_ error: JOSEError) {
        logger.debug("refused an assertion", metadata: ["reason": "\(error)"])
    }
}

// MARK: - With the biometric key

extension DeviceAssertions {
    private func byBiometricKey(_ presented: Presented, of signer: Signer) throws -> VerifiedAssertion {
        let (device, account, now) = (signer.device, signer.account, presented.now)
        guard let key = device.biometricKey, key.counts(under: biometricKeys),
            let purpose = presented.act.purposeOfChallenge
        else { return .refused(.invalidCredentials) }
        let unverified = presented.assertion.unverified
        let deviceKey = try device.key
        let binding = DeviceChallenges.Binding(
            purpose: purpose, thumbprint: presented.key ?? deviceKey.thumbprint, account: nil,
            device: unverified.deviceID.rawValue,
            transaction: purpose == .transaction ? presented.act.transactionID?.rawValue : nil)
        guard let challenge = challenges.open(unverified.challengeID, for: binding, now: now) else {
            return .refused(.invalidCredentials)
        }
        let expected = PresentedAssertion.Expectation(
            audience: issuer, account: try AccountID(bytes: account.id.bytes), deviceID: unverified.deviceID,
            factor: .biometric, challengeID: unverified.challengeID, nonce: challenge.nonce, act: presented.act)
        let verdict = presented.assertion.verdict(
            keys: AssertionKeys(device: deviceKey, seconds: try key.key), for: expected,
            now: NumericDate(clamping: now.seconds))
        guard verdict == .proven else {
            logger.debug("refused a biometric assertion", metadata: ["verdict": "\(verdict)"])
            return .refused(.invalidCredentials)
        }
        if let refusal = refusal(of: device.state) { return .refused(refusal) }
        // As old as the challenge, even if a lost answer is requested again, and good for one session.
        let proof = AssertionProof(
            device: device, account: account,
            grantID: Array(Digests.of("biometric-sign-in", challenge.digest).prefix(16)),
            securityVersion: account.securityVersion, at: challenge.madeAt)
        let payload = presented.assertion.payloadDigest + Array("\(account.securityVersion)".utf8)
        return .byBiometricKey(
            proof, BiometricUse(challenge: challenge, payload: Digests.of("biometric", payload), now: now))
    }

    private func refusal(of state: DeviceState) -> PINRefusal? {
        switch state {
        case .active: nil
        case .suspended: .deviceSuspended
        case .deactivated: .deviceDeactivated
        case .removed: .invalidCredentials
        }
    }
}

extension DeviceAssertion.Act {
    /// The purpose of the challenge that a biometric key answers for this act; `nil` for an act that takes the PIN.
    fileprivate var purposeOfChallenge: ChallengeRequest.Purpose? {
        switch self {
        case .login: .login
        case .sca: .sca
        case .transaction, .reject: .transaction
        case .enroll, .pinChange, .biometric: nil
        }
    }
}

// MARK: - The result

/// What an assertion by an enrolled device's key, and its PIN or its biometric key, proves. A repeated assertion whose response was lost
/// proves the same again, changes nothing, and does not count as a newer proof.
package typealias AssertionDecision = Result<AssertionProof, PINRefusal>

/// The proof, with the account's state when the assertion first arrived.
package struct AssertionProof: Sendable {
    package var device: DeviceRecord
    package var account: AccountRecord
    /// Identifies the one session that the assertion opens: 16 bytes, the same for every repetition.
    package var grantID: [UInt8]
    /// The account's security version when the assertion first arrived.
    package var securityVersion: Int64
    /// When the assertion first arrived.
    package var at: Timestamp
}

/// The effect of an assertion, as the write found it that saved it.
package enum AssertionOutcome: Sendable {
    /// It is decided now: the same write saves what it brings about. A wrong PIN brings something about as well.
    case first(AssertionDecision)
    /// It was decided when it first arrived, and brings about nothing more.
    case repeated(AssertionDecision)

    package var decision: AssertionDecision {
        switch self {
        case .first(let decision), .repeated(let decision): decision
        }
    }
}

/// An assertion that was verified, and that the caller's write has to save.
package enum VerifiedAssertion: Sendable {
    /// It changes nothing, so that no write is needed.
    case settled(AssertionOutcome)
    /// It ends the open challenge of a PIN.
    case byPIN(AssertionDecision, PINEnding)
    /// It uses up the challenge of a biometric key.
    case byBiometricKey(AssertionProof, BiometricUse)

    static func refused(_ refusal: PINRefusal) -> Self { .settled(.first(.failure(refusal))) }

    /// What it proves, unless the write that saves it finds otherwise. What is refused here is refused there.
    var decision: AssertionDecision {
        switch self {
        case .settled(let outcome): outcome.decision
        case .byPIN(let decision, _): decision
        case .byBiometricKey(let proof, _): .success(proof)
        }
    }

    /// The refusal of an assertion that neither changes nor brings about anything; `nil` for others.
    package var refusal: PINRefusal? {
        if case .settled(.first(.failure(let refusal))) = self { refusal } else { nil }
    }

    /// Saves the assertion. Everything that it brings about belongs in the same write; if the write is undone, its challenge stays open.
    /// - Throws: ``WriteConflict`` if the challenge or the PIN has changed since the decision: verify again.
    package func save(on connection: any SQLConnection) throws -> AssertionOutcome {
        switch self {
        case .settled(let outcome): outcome
        case .byPIN(let decision, let ending): .first(try ending.save(decision, on: connection))
        case .byBiometricKey(let proof, let use): try use.save(proof, on: connection)
        }
    }
}

/// The end of a PIN's challenge, with the PIN as it is afterwards.
package struct PINEnding: Sendable {
    /// In its final state.
    let challenge: PINChallengeRecord
    let pin: DevicePIN
    let ends: [DevicePIN.End]
    /// The PIN from which the end was decided.
    let found: DevicePIN
    let device: DeviceRecord
    let session: UniqueID?
    /// For a PIN that is set or changed.
    let entry: AuditLog.Entry?
    let lockout: PINLockout
    let origin: RequestOrigin
    let now: Timestamp

    fileprivate func save(
        _ decision: AssertionDecision, on connection: any SQLConnection
    ) throws -> AssertionDecision {
        guard try PINs.find(device.id, on: connection) == found else { throw WriteConflict() }
        if case .success = decision {
            // The device or session may have been closed since; then the challenge stays as it is.
            guard try Devices.find(device.id, on: connection)?.state == .active,
                try session.map({ try Sessions.living($0, now: now, on: connection) != nil }) ?? true
            else { return .failure(.invalidCredentials) }
        }
        guard try PINChallenges.end(challenge, on: connection) else { throw WriteConflict() }
        try lockout.save(pin, ends, over: found, of: device, origin: origin, now: now, on: connection)
        try entry?.write(on: connection)
        return decision
    }
}

/// The use of a biometric key's challenge.
package struct BiometricUse: Sendable {
    let challenge: DeviceChallenges.Opened
    /// The digest by which a repetition is recognized, while the account is unchanged.
    let payload: [UInt8]
    let now: Timestamp

    /// If an answer is lost, the same payload is right again while the account is unchanged; any other payload is wrong.
    fileprivate func save(_ proof: AssertionProof, on connection: any SQLConnection) throws -> AssertionOutcome {
        guard try challenge.use(now: now, on: connection) else {
            return try SeenJTIs.contains(payload, now: now, on: connection)
                ? .repeated(.success(proof)) : .first(.failure(.invalidCredentials))
        }
        _ = try SeenJTIs.remember(payload, until: now + DeviceChallenges.lifetime, on: connection)
        return .first(.success(proof))
    }
}
