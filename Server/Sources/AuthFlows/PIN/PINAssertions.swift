package import AuthCore
package import AuthStore
internal import Logging
package import WalletAuthWire

/// Checks what a device asserts by its key and its PIN, and ends the challenge that it answers.
package struct PINAssertions: Sendable {
    let context: ServerContext

    /// Each parameter is the property of its name.
    package init(context: ServerContext) { self.context = context }

    /// What came of an assertion.
    package enum Outcome: Sendable {
        /// Right; the same assertion again, its answer lost, is right again, changes nothing and proves nothing newer.
        case proven(Proof)
        /// Whatever is wrong; nobody is told what.
        case wrong
        /// The device's own, with a wrong PIN; told to whoever proved the device's key, who could count the tries as well.
        case wrongPIN(remaining: Int)
        /// The same, and it was the last try.
        case locked
        /// The device is suspended; told to whoever proved its key.
        case deviceSuspended
        /// The device is deactivated; told to whoever proved its key.
        case deviceDeactivated
    }

    /// What was proved, and by which state of the account, at the assertion's first coming.
    package struct Proof: Sendable {
        package var device: DeviceRecord
        package var account: AccountRecord
        /// Under what the one session that it opens is remembered: 16 bytes, the same however often it comes.
        package var grantID: [UInt8]
        /// The account's security version at that time.
        package var securityVersion: Int64
        /// When that was.
        package var at: Timestamp
    }

    /// What is read before anything is decided.
    private struct Facts: Sendable {
        var row: PINChallengeRecord
        var device: DeviceRecord
        var account: AccountRecord
        var pin: PINRecord
    }

    /// Checks an assertion. One that comes again gets what it got at first, also while the first is still being checked: every
    /// outcome is decided by one guarded write, and the loser of two looks again.
    /// - Parameters:
    ///   - text: as the request brought it.
    ///   - act: what the request is about, as the server knows it.
    ///   - newKey: the PIN key that the request brings, where a PIN is set or changed.
    ///   - session: the session that sets or changes it.
    ///   - origin: where the request came from.
    ///   - now: the present moment.
    ///   - carryOut: what an assertion of the PIN in use is for, written together with its success; false makes it wrong and
    ///     leaves its challenge as it was. A repetition carries nothing out.
    ///   - onFailing: what is written together with the failure, where the PIN is wrong. A repetition writes nothing.
    package func check(
        _ text: SignedAssertion, act: DeviceAssertion.Act, newKey: JWK? = nil, session: UniqueID? = nil,
        origin: RequestOrigin, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Bool = { _ in true },
        onFailing: @escaping @Sendable (Failing, any SQLConnection) throws -> Void = { _, _ in }
    ) async throws -> Outcome {
        guard let assertion = try? PresentedAssertion(text) else { return .wrong }
        // A challenge leaves its open state once, so that the second look is the last.
        for _ in 0..<2 {
            guard let facts = try await facts(of: assertion) else { return .wrong }
            switch try verification(of: assertion, facts, act: act, newKey: newKey, now: now) {
            case .repeated: return provenOutcome(facts, facts.row.use)
            case .repeatedFailure(let failure):
                // What charged no try locked nothing either.
                guard facts.row.epoch != nil else { return .wrong }
                return failure.triesLeft.map { .wrongPIN(remaining: $0) } ?? .locked
            case .refused(let error):
                context.logger.debug("refused an assertion", metadata: ["reason": "\(error)"])
                guard facts.row.state == .open, now >= facts.row.endsAt else { return .wrong }
                // Nothing that is still being checked may find it in time after this one was told that it is late.
                if try await expire(facts, origin: origin, now: now) { return .wrong }
            case .wrongPIN(_, let digest):
                let outcome = try await fail(facts, digest, origin: origin, now: now, onFailing: onFailing)
                if let outcome { return outcome }
            case .proven(_, let digest):
                // A closed device's right PIN opens nothing, and is not worth a try either way.
                let use = PINChallengeRecord.Use(
                    payloadDigest: digest, securityVersion: facts.account.securityVersion, at: now)
                guard facts.device.state == .active else { return provenOutcome(facts, use) }
                switch try await succeed(
                    try PINChallenge(facts.row).subject, facts, use: use, newKey: newKey, session: session,
                    origin: origin, now: now, carryOut: carryOut)
                {
                case .taken: return provenOutcome(facts, use)
                case .refused: return .wrong
                case .answeredBefore: break
                }
            }
        }
        return .wrong
    }

    /// Whether this very assertion was found right before: a request that only repeats it needs nothing that time takes away,
    /// such as a fresh sign-in.
    /// - Parameters:
    ///   - text: as the request brought it.
    ///   - act: what the request is about, as the server knows it.
    ///   - newKey: the PIN key that the request brings, where a PIN is set or changed.
    ///   - now: the present moment.
    func isRepeated(
        _ text: SignedAssertion, act: DeviceAssertion.Act, newKey: JWK?, now: Timestamp
    ) async throws -> Bool {
        guard let assertion = try? PresentedAssertion(text), let facts = try await facts(of: assertion) else {
            return false
        }
        return try verification(of: assertion, facts, act: act, newKey: newKey, now: now) == .repeated
    }

    private func verification(
        of assertion: PresentedAssertion, _ facts: Facts, act: DeviceAssertion.Act, newKey: JWK?, now: Timestamp
    ) throws -> PINVerification {
        try PINChallenge(facts.row).verify(
            assertion,
            digests: PINVault(context: context).digests(of: assertion, answering: facts.row.id, now: now),
            of: try AccountID(bytes: facts.account.id.bytes), audience: context.settings.issuer, act: act,
            keys: try keys(facts, newKey: newKey), state: facts.pin.state, now: now)
    }

    /// What a wrong PIN does.
    package enum Failing: Sendable {
        /// It costs its try.
        case costsTry
        /// It was the last try, and locks the PIN.
        case locks
    }

    /// What came of the write behind a right assertion.
    private enum Success {
        /// It ended the challenge, and what it was for is carried out.
        case taken
        /// The challenge had ended since it was read.
        case answeredBefore
        /// Device or session were closed since they were read, or what it was for could not be carried out.
        case refused
    }

    /// Thrown in the write behind a right assertion that cannot be carried out: nothing of it may stay, or its repetition would
    /// find the challenge used and be told that all is well.
    private struct Undone: Error {}

    private func provenOutcome(_ facts: Facts, _ use: PINChallengeRecord.Use?) -> Outcome {
        guard let use else { return .wrong }
        return switch facts.device.state {
        case .active:
            .proven(
                Proof(
                    device: facts.device, account: facts.account,
                    grantID: Array(Digests.of("pin-sign-in", facts.row.id.bytes).prefix(16)),
                    securityVersion: use.securityVersion, at: use.at))
        case .suspended: .deviceSuspended
        case .deactivated: .deviceDeactivated
        case .removed: .wrong
        }
    }

    private func facts(of assertion: PresentedAssertion) async throws -> Facts? {
        guard let id = UniqueID(uuid: assertion.unverified.challengeID.rawValue) else { return nil }
        return try await context.database.lookUp { connection in
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

    // MARK: - What becomes of it

    /// The challenge ends and the charge stays; the last one locks, and the holder is told.
    /// - Returns: `nil` where the challenge had ended since it was read.
    private func fail(
        _ facts: Facts, _ digest: [UInt8], origin: RequestOrigin, now: Timestamp,
        onFailing: @escaping @Sendable (Failing, any SQLConnection) throws -> Void
    ) async throws -> Outcome? {
        let locking = PINLockout(context: context)
        return try await context.database.write { connection in
            guard try PINChallenges.fail(facts.row.id, by: digest, now: now, on: connection) else { return nil }
            guard let epoch = facts.row.epoch else { return .wrong }
            guard try locking.endWhenUsedUp(facts.device, origin: origin, now: now, on: connection)
            else {
                let left = try PINs.triesLeft(facts.device.id, epoch: epoch, now: now, on: connection)
                try PINChallenges.keep(triesLeft: left, of: facts.row.id, on: connection)
                try onFailing(.costsTry, connection)
                return .wrongPIN(remaining: left)
            }
            try onFailing(.locks, connection)
            return .locked
        }
    }

    /// A challenge whose time is over waits for nothing; where it was the last try, the PIN has none left.
    /// - Returns: whether it was still open.
    private func expire(_ facts: Facts, origin: RequestOrigin, now: Timestamp) async throws -> Bool {
        let locking = PINLockout(context: context)
        return try await context.database.write { connection in
            guard try PINChallenges.expire(facts.row.id, now: now, on: connection) else { return false }
            try locking.endWhenUsedUp(facts.device, origin: origin, now: now, on: connection)
            return true
        }
    }

    /// The challenge goes from open to used, and the PIN to where that leads, in one write.
    private func succeed(
        _ subject: PINChallenge.Subject, _ facts: Facts, use: PINChallengeRecord.Use, newKey: JWK?,
        session: UniqueID?, origin: RequestOrigin, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> Success {
        let device = facts.device
        let effect = try effect(on: subject, facts, newKey: newKey, origin: origin, now: now)
        do {
            return try await context.database.write { connection in
                // Device and session may have been closed since they were read; then the challenge stays as it is.
                guard try Devices.find(device.id, on: connection)?.state == .active else { return .refused }
                if let session, try Sessions.living(session, now: now, on: connection) == nil { return .refused }
                guard try PINChallenges.end(facts.row.id, by: use, on: connection) else { return .answeredBefore }
                guard try effect(connection), try carryOut(connection) else { throw Undone() }
                return .taken
            }
        } catch is Undone { return .refused }
    }

    /// What a right assertion changes of the PIN itself: false where it is in no state for that any more.
    private func effect(
        on subject: PINChallenge.Subject, _ facts: Facts, newKey: JWK?, origin: RequestOrigin, now: Timestamp
    ) throws -> @Sendable (any SQLConnection) throws -> Bool {
        let (challenge, device) = (facts.row.id, facts.device)
        func sealed(_ epoch: PINEpoch) throws -> [UInt8] {
            guard let newKey else { throw SourceFailure() }
            return try PINVault(context: context).seal(newKey, epoch, of: device.id)
        }
        let email = AccountVault(context: context).open(facts.account.email, .email, of: facts.account.id)
        func told(_ event: AuditLog.Event) throws -> AuditLog.Entry {
            try AuditLog(context: context).entry(
                event, account: facts.account.id, client: device.clientID, origin: origin, now: now,
                message: .pinSet(DeviceVault(context: context).shownName(of: device)), email: email)
        }
        switch subject {
        case .use(_, let epoch):
            return { try PINs.succeed(challenge, of: device.id, epoch: epoch, on: $0) }
        case .enroll(let epoch):
            let (key, entry) = (try sealed(epoch), try told(.pinSet))
            return { connection in
                guard try PINs.promote(epoch, of: device.id, publicKey: key, now: now, on: connection) else {
                    return false
                }
                try entry.write(on: connection)
                return true
            }
        case .change(let old, let new):
            let (key, entry) = (try sealed(new), try told(.pinChanged))
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
