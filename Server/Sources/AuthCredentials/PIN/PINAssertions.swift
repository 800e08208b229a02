package import AuthCore
internal import AuthEvents
package import AuthFoundation
package import AuthStore
internal import Logging
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
        var pin: PINRecord
    }

    /// Verifies an assertion whose effect returns nothing.
    /// - Parameters:
    ///   - act: the act that the request is for, as the server knows it.
    ///   - newKey: the PIN key in the request, if a PIN is set or changed.
    ///   - session: the session that sets or changes it.
    ///   - carryOut: as in ``verify(_:act:newKey:session:origin:now:carryOut:onFailing:)``; false instead of `nil`.
    package func check(
        _ assertion: PresentedAssertion, act: DeviceAssertion.Act, newKey: JWK? = nil, session: UniqueID? = nil,
        origin: RequestOrigin, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Bool = { _ in true }
    ) async throws -> AssertionOutcome {
        let verified: VerifiedAssertion<Void> = try await verify(
            assertion, act: act, newKey: newKey, session: session, origin: origin, now: now,
            carryOut: { connection -> Void? in try carryOut(connection) ? () : nil },
            onFailing: { _, _ -> Void? in nil })
        return verified.outcome
    }

    /// Verifies an assertion. A repetition gets the result of the first one, even if that is still being verified: one guarded write
    /// decides every outcome, and the loser of two reads again.
    ///
    /// What the two effects find out is their result. A run of the write may be undone and the next one find a repetition committed,
    /// so a variable that an effect sets could have the answer of a run that never happened.
    /// - Parameters:
    ///   - act: the act that the request is for, as the server knows it.
    ///   - newKey: the PIN key in the request, if a PIN is set or changed.
    ///   - session: the session that sets or changes it.
    ///   - carryOut: the effect of a valid assertion with the current PIN, in the same write. If it returns `nil`, the assertion is
    ///     invalid and its challenge unchanged. It does not run for a repetition.
    ///   - onFailing: runs in the write that records a wrong PIN. It does not run for a repetition.
    package func verify<Effect: Sendable>(
        _ assertion: PresentedAssertion, act: DeviceAssertion.Act, newKey: JWK? = nil, session: UniqueID? = nil,
        origin: RequestOrigin, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Effect?,
        onFailing: @escaping @Sendable (Failing, any SQLConnection) throws -> Effect?
    ) async throws -> VerifiedAssertion<Effect> {
        // A challenge leaves its open state only once, so the second pass is the last.
        for _ in 0..<2 {
            guard let facts = try await facts(of: assertion) else { return .refused(.invalid) }
            switch try verification(of: assertion, facts, act: act, newKey: newKey, now: now) {
            case .repeated: return VerifiedAssertion(outcome: provenOutcome(facts, facts.row.use))
            case .repeatedFailure(let failure):
                // A challenge that was not charged cannot have locked the PIN.
                guard facts.row.epoch != nil else { return .refused(.invalid) }
                return .refused(failure.triesLeft.map { .wrongPIN(remaining: $0) } ?? .pinLocked)
            case .refused(let error):
                context.logger.debug("refused an assertion", metadata: ["reason": "\(error)"])
                guard facts.row.state == .open, now >= facts.row.endsAt else { return .refused(.invalid) }
                // An assertion that is still being verified must not succeed after this one was rejected as late.
                if try await expire(facts, origin: origin, now: now) { return .refused(.invalid) }
            case .wrongPIN(_, let digest):
                let failed = try await fail(facts, digest, origin: origin, now: now, onFailing: onFailing)
                if let failed { return failed }
            case .proven(_, let digest):
                // The correct PIN of a closed device opens nothing and does not change its attempts.
                let use = PINChallengeRecord.Use(
                    payloadDigest: digest, securityVersion: facts.account.securityVersion, at: now)
                let outcome = provenOutcome(facts, use)
                guard facts.device.state == .active else { return VerifiedAssertion(outcome: outcome) }
                let subject = try PINChallengeVault(context: context).challenge(facts.row).subject
                switch try await succeed(
                    subject, facts, use: use, newKey: newKey, session: session, origin: origin, now: now,
                    carryOut: carryOut)
                {
                case .first(let effect): return VerifiedAssertion(outcome: outcome, effect: effect)
                case .refused: return .refused(.invalid)
                case .answeredBefore: break
                }
            }
        }
        return .refused(.invalid)
    }

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
        try PINChallengeVault(context: context).challenge(facts.row).verify(
            assertion,
            digests: PINVault(context: context).digests(of: assertion, answering: facts.row.id, now: now),
            of: try AccountID(bytes: facts.account.id.bytes), audience: context.settings.issuer, act: act,
            keys: try keys(facts, newKey: newKey), state: facts.pin.state, now: now)
    }

    /// The effect of a wrong PIN.
    package enum Failing: Sendable {
        /// It uses up an attempt.
        case costsTry
        /// It uses up the last attempt and locks the PIN.
        case locks
    }

    /// The result of the write for a valid assertion.
    private enum Success<Effect: Sendable>: Sendable {
        /// It ended the challenge, and the effect is committed.
        case first(Effect)
        /// The challenge had ended since it was read.
        case answeredBefore
        /// The device or session was closed since, or the effect was not possible.
        case refused
    }

    /// Rolls back the write for a valid assertion without effect. Otherwise a repetition would find the challenge used and succeed.
    private struct Undone: Error {}

    private func provenOutcome(_ facts: Facts, _ use: PINChallengeRecord.Use?) -> AssertionOutcome {
        guard let use else { return .refused(.invalid) }
        return switch facts.device.state {
        case .active:
            .proven(
                AssertionProof(
                    device: facts.device, account: facts.account,
                    grantID: Array(Digests.of("pin-sign-in", facts.row.id.bytes).prefix(16)),
                    securityVersion: use.securityVersion, at: use.at))
        case .suspended: .refused(.deviceSuspended)
        case .deactivated: .refused(.deviceDeactivated)
        case .removed: .refused(.invalid)
        }
    }

    private func facts(of assertion: PresentedAssertion) async throws -> Facts? {
        guard let id = UniqueID(uuid: assertion.unverified.challengeID.rawValue) else { return nil }
        return try await context.database.read { connection in
            guard let row = try PINChallenges.find(id, on: connection),
                let device = try Devices.find(row.deviceID, on: connection),
                let account = try Accounts.find(device.accountID, on: connection),
                let pin = try PINs.find(device.id, on: connection)
            else { return nil }
            return Facts(row: row, device: device, account: account, pin: pin)
        }
    }

    private func keys(_ facts: Facts, newKey: JWK?) throws -> PINVerificationKeys {
        var pins: [PINEpoch: JWK] = [:]
        if let epoch = facts.pin.state.active {
            pins[epoch] = try PINVault(context: context)
                .publicKey(facts.pin.publicKey, epoch, of: facts.device.id)
        }
        if let epoch = facts.pin.state.pending, let newKey { pins[epoch] = newKey }
        return PINVerificationKeys(device: try facts.device.key, pins: pins)
    }

    // MARK: - Outcomes

    /// Ends the challenge and keeps the charge. The last attempt locks the PIN and notifies the holder.
    /// - Returns: `nil` if the challenge had ended since it was read.
    private func fail<Effect: Sendable>(
        _ facts: Facts, _ digest: [UInt8], origin: RequestOrigin, now: Timestamp,
        onFailing: @escaping @Sendable (Failing, any SQLConnection) throws -> Effect?
    ) async throws -> VerifiedAssertion<Effect>? {
        let locking = PINLockout(context: context)
        return try await context.database.write { connection -> VerifiedAssertion<Effect>? in
            guard try PINChallenges.fail(facts.row.id, by: digest, now: now, on: connection) else { return nil }
            guard let epoch = facts.row.epoch else { return .refused(.invalid) }
            guard try locking.lockWhenUsedUp(facts.device, origin: origin, now: now, on: connection)
            else {
                let left = try PINs.triesLeft(facts.device.id, epoch: epoch, now: now, on: connection)
                try PINChallenges.keep(triesLeft: left, of: facts.row.id, on: connection)
                return VerifiedAssertion(
                    outcome: .refused(.wrongPIN(remaining: left)), effect: try onFailing(.costsTry, connection))
            }
            return VerifiedAssertion(outcome: .refused(.pinLocked), effect: try onFailing(.locks, connection))
        }
    }

    /// Ends an expired challenge. If it was the last attempt, the PIN is locked.
    /// - Returns: whether the challenge was still open.
    private func expire(_ facts: Facts, origin: RequestOrigin, now: Timestamp) async throws -> Bool {
        let locking = PINLockout(context: context)
        return try await context.database.write { connection in
            guard try PINChallenges.expire(facts.row.id, now: now, on: connection) else { return false }
            try locking.lockWhenUsedUp(facts.device, origin: origin, now: now, on: connection)
            return true
        }
    }

    /// Marks the challenge as used and changes the PIN's state, in one write.
    private func succeed<Effect: Sendable>(
        _ subject: PINChallenge.Subject, _ facts: Facts, use: PINChallengeRecord.Use, newKey: JWK?,
        session: UniqueID?, origin: RequestOrigin, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Effect?
    ) async throws -> Success<Effect> {
        let device = facts.device
        let change = try effect(on: subject, facts, newKey: newKey, origin: origin, now: now)
        do {
            return try await context.database.write { connection -> Success<Effect> in
                // The device or session may have been closed since; then the challenge stays as it is.
                guard try Devices.find(device.id, on: connection)?.state == .active else { return .refused }
                if let session, try Sessions.living(session, now: now, on: connection) == nil { return .refused }
                guard try PINChallenges.end(facts.row.id, by: use, on: connection) else { return .answeredBefore }
                guard try change(connection), let effect = try carryOut(connection) else { throw Undone() }
                return .first(effect)
            }
        } catch is Undone { return .refused }
    }

    /// The effect of a valid assertion on the PIN itself. It returns false if the PIN's state no longer permits it.
    private func effect(
        on subject: PINChallenge.Subject, _ facts: Facts, newKey: JWK?, origin: RequestOrigin, now: Timestamp
    ) throws -> @Sendable (any SQLConnection) throws -> Bool {
        let (challenge, device) = (facts.row.id, facts.device)
        func sealed(_ epoch: PINEpoch) throws -> [UInt8] {
            guard let newKey else { throw InvariantViolation() }
            return try PINVault(context: context).seal(newKey.publicMembers.bytes, .publicKey, of: (device.id, epoch))
        }
        let email = AccountVault(context: context).open(facts.account.email, .email, of: facts.account.id)
        func told(_ event: PINEvent) throws -> AuditLog.Entry {
            try AuditLog(context: context).entry(
                event, account: facts.account.id, client: device.clientID, origin: origin, now: now,
                details: .naming(device.id),
                message: PINMessage.set(DeviceVault(context: context).shownName(of: device)), email: email)
        }
        switch subject {
        case .use(_, let epoch):
            return { try PINs.succeed(challenge, of: device.id, epoch: epoch, on: $0) }
        case .enroll(let epoch):
            let (key, entry) = (try sealed(epoch), try told(.set))
            return { connection in
                guard try PINs.promote(epoch, of: device.id, publicKey: key, now: now, on: connection) else {
                    return false
                }
                try entry.write(on: connection)
                return true
            }
        case .change(let old, let new):
            let (key, entry) = (try sealed(new), try told(.changed))
            return { connection in
                guard try PINs.succeed(challenge, of: device.id, epoch: old, on: connection),
                    try PINs.promote(new, of: device.id, publicKey: key, now: now, on: connection)
                else { return false }
                try entry.write(on: connection)
                return true
            }
        }
    }
}
