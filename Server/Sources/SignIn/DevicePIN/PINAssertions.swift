package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// Verifies assertions, which a device signs with its key and its PIN, and ends the challenge that each one answers.
package struct PINAssertions: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

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

    /// Verifies an assertion whose effect returns nothing.
    /// - Parameters:
    ///   - act: the act that the request is for, as the server knows it.
    ///   - newKey: the PIN key in the request, if a PIN is set or changed.
    ///   - session: the session that sets or changes it.
    ///   - carryOut: the effect of a right assertion, in the same write. If it returns false, the assertion is invalid and its challenge
    ///     unchanged. It does not run for a repetition.
    package func check(
        _ assertion: PresentedAssertion, act: DeviceAssertion.Act, newKey: JWK? = nil, session: UniqueID? = nil,
        origin: RequestOrigin, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Bool = { _ in true }
    ) async throws -> AssertionDecision {
        let outcome: AssertionOutcome<Void> = try await verify(
            assertion, act: act, newKey: newKey, session: session, origin: origin, now: now
        ) { decision, connection -> Void? in
            if case .success = decision { try carryOut(connection) ? () : nil } else { nil }
        }
        return outcome.decision
    }

    /// Verifies an assertion. A repetition gets the result of the first one, even if that is still being verified: the write compares the
    /// challenge and the PIN with those that were decided from, and the loser of two decides again.
    ///
    /// What the effect finds out is its result. A run of the write may be undone and the next one find a repetition committed, so a
    /// variable that an effect sets could have the answer of a run that never happened.
    /// - Parameters:
    ///   - act: the act that the request is for, as the server knows it.
    ///   - newKey: the PIN key in the request, if a PIN is set or changed.
    ///   - session: the session that sets or changes it.
    ///   - effect: what a right assertion or a wrong PIN brings about, in the same write. It does not run for a repetition. If it returns
    ///     `nil` for a right assertion, this is invalid and its challenge unchanged.
    package func verify<Effect: Sendable>(
        _ assertion: PresentedAssertion, act: DeviceAssertion.Act, newKey: JWK? = nil, session: UniqueID? = nil,
        origin: RequestOrigin, now: Timestamp,
        effect: @escaping @Sendable (AssertionDecision, any SQLConnection) throws -> Effect?
    ) async throws -> AssertionOutcome<Effect> {
        try await Self.retry.run {
            guard let facts = try await facts(of: assertion) else { return .refused(.invalidCredentials) }
            switch try verification(of: assertion, facts, act: act, newKey: newKey, now: now) {
            case .repeated: return AssertionOutcome(decision: decision(facts, facts.row.use))
            case .repeatedFailure(let failure): return .refused(facts.refusal(of: failure))
            case .refused(let error):
                logRefusal(error)
                return .refused(.invalidCredentials)
            case .late(let pin, let ends, let error):
                logRefusal(error)
                try await write(.abandoned, pin, ends, over: facts, origin: origin, now: now) { _ in }
                return .refused(.invalidCredentials)
            case .wrongPIN(let pin, let ends, let failure):
                let refusal = facts.refusal(of: failure)
                let done = try await write(.failed(failure), pin, ends, over: facts, origin: origin, now: now) {
                    refusal == .invalidCredentials ? nil : try effect(.failure(refusal), $0)
                }
                return AssertionOutcome(decision: .failure(refusal), effect: done)
            case .proven(let pin, let digest):
                // The correct PIN of a closed device opens nothing and does not change its attempts.
                let use = PINChallengeRecord.Use(
                    payloadDigest: digest, securityVersion: facts.account.securityVersion, at: now)
                let decision = self.decision(facts, use)
                guard facts.device.state == .active else { return AssertionOutcome(decision: decision) }
                let entry = try settingEntry(facts, origin: origin, now: now)
                do {
                    let done = try await write(
                        .used(digest), by: use, pin, over: facts, origin: origin, now: now
                    ) { connection -> Effect in
                        // The device or session may have been closed since; then the challenge stays as it is.
                        guard try Devices.find(facts.device.id, on: connection)?.state == .active,
                            try session.map({ try Sessions.living($0, now: now, on: connection) != nil }) ?? true,
                            let done = try effect(decision, connection)
                        else { throw Undone() }
                        try entry?.write(on: connection)
                        return done
                    }
                    return AssertionOutcome(decision: decision, effect: done)
                } catch is Undone { return .refused(.invalidCredentials) }
            }
        }
    }

    private static let retry = ConflictRetry(
        limit: 16, exhausted: "a PIN kept changing; gave up after several attempts")

    /// Whether this assertion was found valid before. A repeated request does not need conditions that expire, such as a fresh sign-in.
    /// - Parameters:
    ///   - act: the act that the request is for, as the server knows it.
    ///   - newKey: the PIN key in the request, if a PIN is set or changed.
    package func isRepeated(
        _ assertion: PresentedAssertion, act: DeviceAssertion.Act, newKey: JWK?, now: Timestamp
    ) async throws -> Bool {
        guard let facts = try await facts(of: assertion) else { return false }
        return try verification(of: assertion, facts, act: act, newKey: newKey, now: now) == .repeated
    }

    private func verification(
        of assertion: PresentedAssertion, _ facts: Facts, act: DeviceAssertion.Act, newKey: JWK?, now: Timestamp
    ) throws -> PINVerification {
        try PINChallengeVault(context.sealing).challenge(facts.row).verify(
            assertion,
            digests: PINVault(context.sealing).digests(of: assertion, answering: facts.row.id, now: now),
            of: try AccountID(bytes: facts.account.id.bytes), audience: context.settings.issuer, act: act,
            keys: try keys(facts, newKey: newKey), pin: facts.pin, now: now)
    }

    /// Rolls back the write for a valid assertion without effect. Otherwise a repetition would find the challenge used and succeed.
    private struct Undone: Error {}

    private func decision(_ facts: Facts, _ use: PINChallengeRecord.Use?) -> AssertionDecision {
        guard let use else { return .failure(.invalidCredentials) }
        return switch facts.device.state {
        case .active:
            .success(
                AssertionProof(
                    device: facts.device, account: facts.account,
                    grantID: Array(Digests.of("pin-sign-in", facts.row.id.bytes).prefix(16)),
                    securityVersion: use.securityVersion, at: use.at))
        case .suspended: .failure(.deviceSuspended)
        case .deactivated: .failure(.deviceDeactivated)
        case .removed: .failure(.invalidCredentials)
        }
    }

    private func facts(of assertion: PresentedAssertion) async throws -> Facts? {
        guard let id = UniqueID(uuid: assertion.unverified.challengeID.rawValue) else { return nil }
        return try await context.database.read { connection in
            guard let row = try PINChallenges.find(id, on: connection),
                let device = try Devices.find(row.deviceID, on: connection),
                let account = try Accounts.find(device.accountID, on: connection)
            else { return nil }
            return Facts(row: row, device: device, account: account, pin: try PINs.find(device.id, on: connection))
        }
    }

    private func keys(_ facts: Facts, newKey: JWK?) throws -> PINVerificationKeys {
        let (vault, device) = (PINVault(context.sealing), facts.device.id)
        var keys = PINVerificationKeys(device: try facts.device.key, pins: [:])
        if let epoch = facts.pin.state.active {
            keys.pins[epoch] = try vault.publicKey(facts.pin.publicKey, epoch, of: device)
        }
        if let epoch = facts.pin.state.pending, let newKey {
            keys.pins[epoch] = newKey
            keys.sealed = try vault.seal(newKey.publicMembers.bytes, .publicKey, of: (device, epoch))
        }
        return keys
    }

    // MARK: - The write

    /// Ends the challenge, saves the PIN and runs the effect, all or none.
    /// - Throws: `WriteConflict` if the challenge or the PIN has changed since the decision.
    private func write<Effect: Sendable>(
        _ state: PINChallenge.State, by use: PINChallengeRecord.Use? = nil, _ pin: DevicePIN,
        _ ends: [DevicePIN.End] = [], over facts: Facts, origin: RequestOrigin, now: Timestamp,
        effect: @escaping @Sendable (any SQLConnection) throws -> Effect
    ) async throws -> Effect {
        var row = facts.row
        (row.state, row.use) = (state, use)
        let lockout = PINLockout(context: context)
        return try await context.database.write { [row] connection in
            guard try PINs.find(facts.device.id, on: connection) == facts.pin,
                try PINChallenges.end(row, on: connection)
            else { throw WriteConflict() }
            try lockout.save(pin, ends, over: facts.pin, of: facts.device, origin: origin, now: now, on: connection)
            return try effect(connection)
        }
    }

    /// The entry and the message for a PIN that is set or changed; `nil` for an act with the PIN in use.
    private func settingEntry(_ facts: Facts, origin: RequestOrigin, now: Timestamp) throws -> AuditLog.Entry? {
        guard facts.row.newEpoch != nil else { return nil }
        let email = AccountVault(context.sealing).open(facts.account.email, .email, of: facts.account.id)
        return try context.auditLog.entry(
            facts.row.epoch == nil ? PINEvent.set : .changed, account: facts.account.id,
            client: facts.device.clientID, origin: origin, now: now, details: .naming(facts.device.id),
            message: PINMessage.set(DeviceVault(context.sealing).shownName(of: facts.device)), email: email)
    }

    private func logRefusal(_ error: JOSEError) {
        context.logger.debug("refused an assertion", metadata: ["reason": "\(error)"])
    }
}

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

/// The decision about an assertion, and what the write that committed it returned.
package struct AssertionOutcome<Effect: Sendable>: Sendable {
    package var decision: AssertionDecision
    /// `nil` for a repetition, and for a decision without effect.
    package var effect: Effect?

    /// A refusal without effect.
    static func refused(_ refusal: PINRefusal) -> Self { Self(decision: .failure(refusal)) }
}
