package import Core
internal import Dispatch
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// The flow that owns what a PIN is evaluated for; the PIN flow does not know it.
///
/// Its functions run inside the PIN's writes, so that an attempt is charged only if the subject still needs the PIN.
package protocol PINSubject: Sendable {
    /// Returns why a PIN is not evaluated; `nil` permits it. A refusal charges nothing.
    /// - Parameters:
    ///   - device: its signature is already verified.
    ///   - connection: the connection of the write that would charge an attempt.
    func refusal(
        of request: PINEvaluationRequest, by device: DeviceRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionRefusal?

    /// Handles a PIN without attempts, which cannot sign.
    /// - Parameters:
    ///   - act: the act that the PIN was to sign.
    ///   - connection: the connection of the write that refuses the attempt.
    func pinLocked(
        for act: DeviceAssertion.Act, on device: DeviceRecord, origin: RequestOrigin, now: Timestamp,
        connection: any SQLConnection
    ) throws

    /// Runs after the write that refused the last attempt is committed.
    /// - Parameter act: the act that the PIN was to sign.
    func refusedLastTry(for act: DeviceAssertion.Act)
}

/// The server's share of a PIN key (docs/wpin-1.md): first the device's signature, then the charge, then the evaluation.
///
/// A request without the device's signature costs nothing, so no one can lock a PIN remotely. A signed request costs an attempt
/// before anything is computed, so a thousand concurrent requests get no more attempts than are left.
///
/// This folder owns device PINs, but not the acts that a PIN signs. Account PINs are in `AccountPIN`.
package struct PINEvaluation: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let lockout: PINLockout
    /// The transaction flow, for evaluations that will sign one.
    let transactions: any PINSubject

    /// Evaluations take milliseconds of arithmetic and must not block the threads that serve connections.
    private static let queue = DispatchQueue(label: "walletauth.evaluations", attributes: .concurrent)

    private enum Opening: Sendable {
        case opened(PINChallengeRecord, DevicePIN)
        case known(PINChallengeRecord, DevicePIN)
        case refused(PINRefusal)
        /// Another request began an epoch at the same time.
        case overtaken
    }

    /// Returns the server's share of a PIN key, and the challenge for the assertion. It needs no session, because the device signs the
    /// request.
    package func evaluate(
        _ request: PINEvaluationRequest, call: DeviceCaller
    ) async throws -> Result<PINEvaluationResponse, PINRefusal> {
        // Concurrent requests that set a PIN run one after the other.
        for _ in 0..<3 {
            switch try await open(request, call: call) {
            case .overtaken: continue
            case .refused(let refusal):
                if refusal.isLock, let act = request.ask.act, case .transaction = act {
                    transactions.refusedLastTry(for: act)
                }
                return .failure(refusal)
            case .opened(let challenge, let pin):
                return try await answer(challenge, request, pin, device: call.device.id)
            case .known(let challenge, let pin):
                let known = try PINChallengeVault(sealing).challenge(challenge)
                switch known.repetition(of: request, now: call.now) {
                case .refused(let refusal): return .failure(refusal)
                case .sameAnswer: return try await answer(challenge, request, pin, device: call.device.id)
                }
            }
        }
        return .failure(.challengeOver)
    }

    // MARK: - The charge

    private func open(_ request: PINEvaluationRequest, call: DeviceCaller) async throws -> Opening {
        let (device, now) = (call.device, call.now)
        let ask = request.ask
        let id = try sealing.random.uniqueID()
        let challengeID = try ChallengeID(id.uuid)
        var begun: (epoch: PINEpoch, sealed: [UInt8])?
        if ask.setsPIN {
            let pin = try await database.read { try PINs.find(device.id, on: $0) }
            guard let epoch = pin.nextEpoch else { return .refused(.locked(.tooManyTries)) }
            let vault = PINVault(sealing)
            begun = (epoch, try await Self.computed { try vault.newKey(epoch, of: device.id).sealed })
        }
        let challenge = PINChallengeRecord(
            id: id, deviceID: device.id, idempotencyKey: call.idempotencyKey.rawValue,
            requestDigest: PINChallenge.digest(of: request),
            request: try PINChallengeVault(sealing).seal(request, of: id),
            nonce: Base64URL.encode(sealing.random.bytes(32)), epoch: ask.present?.epoch, newEpoch: begun?.epoch,
            attemptsLeft: nil, endsAt: now + PINLimits.challengeLifetime,
            expiresAt: now + (ask.present == nil ? PINLimits.settingMemory : PINLimits.memory))
        return try await database.write { [begun] connection -> Opening in
            let found = try PINs.find(device.id, on: connection)
            if let known = try PINChallenges.find(key: call.idempotencyKey.rawValue, of: device.id, on: connection) {
                return .known(known, found)
            }
            if case .transaction = ask.act,
                let refusal = try transactions.refusal(of: request, by: device, now: now, on: connection)
            {
                return .refused(.transaction(refusal))
            }
            var (challenge, pin, ends) = (challenge, found, [DevicePIN.End]())
            if let epoch = ask.present?.epoch {
                switch found.charging(challengeID, epoch: epoch, now: now) {
                case .charged(let next, let left):
                    pin = next
                    challenge.attemptsLeft = Int64(left)
                case .refused(let refusal, let next, let ends):
                    try lockout.save(next, ends, over: found, of: device, origin: call.origin, now: now, on: connection)
                    // A transaction fails with the PIN that was to sign it.
                    if refusal.isLock, let act = ask.act, case .transaction = act {
                        try transactions.pinLocked(
                            for: act, on: device, origin: call.origin, now: now, connection: connection)
                    }
                    return .refused(refusal)
                }
            } else {
                // A new PIN brings no new attempts: the charges of the window belong to the enrollment.
                if let refusal = found.exhaustion(at: now) { return .refused(refusal) }
                if let until = try PINChallenges.settingPausedUntil(device.id, now: now, on: connection) {
                    return .refused(.device(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))))
                }
                // The replaced challenge may have been the last attempt with the current PIN.
                (pin, ends) = found.failing(now: now)
            }
            if let begun {
                guard let next = pin.beginning(begun.epoch, key: begun.sealed, now: now) else { return .overtaken }
                pin = next
            }
            try lockout.save(pin, ends, over: found, of: device, origin: call.origin, now: now, on: connection)
            try PINChallenges.open(challenge, on: connection)
            return .opened(challenge, pin)
        }
    }

    // MARK: - The evaluation

    private func answer(
        _ challenge: PINChallengeRecord, _ request: PINEvaluationRequest, _ pin: DevicePIN, device: UniqueID
    ) async throws -> Result<PINEvaluationResponse, PINRefusal> {
        guard challenge.epoch == nil || challenge.epoch == pin.state.active,
            challenge.newEpoch == nil || challenge.newEpoch == pin.state.pending
        else { return .failure(.challengeOver) }
        let vault = PINVault(sealing)
        var response = PINEvaluationResponse(
            challengeID: try ChallengeID(challenge.id.uuid), nonce: try Nonce(challenge.nonce),
            expiresIn: PINLimits.challengeLifetime.wholeSeconds)
        if let present = request.ask.present, let epoch = challenge.epoch {
            let key = try await Self.computed { try vault.key(pin.evaluationKey, epoch, of: device) }
            response.present = PINEvaluationResponse.Present(
                epoch: epoch, evaluation: try await Self.computed { try key.evaluate(present.blinded) },
                attemptsLeft: challenge.attemptsLeft ?? 0)
        }
        if let blinded = request.ask.new, let epoch = challenge.newEpoch {
            let key = try await Self.computed { try vault.key(pin.pendingEvaluationKey, epoch, of: device) }
            response.new = PINEvaluationResponse.New(
                epoch: epoch, publicKey: key.publicKey,
                evaluation: try await Self.computed { try key.evaluate(blinded) })
        }
        return .success(response)
    }

    private static func computed<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}

extension PINEvaluationRequest.Ask {
    /// The input for the current PIN, if it is evaluated.
    var present: PINEvaluationRequest.PresentPIN? {
        switch self {
        case .use(_, let present), .change(let present, _): present
        case .enroll: nil
        }
    }

    /// The input for the new PIN, if one is set.
    var new: VOPRFElement? {
        switch self {
        case .enroll(let new), .change(_, let new): new
        case .use: nil
        }
    }

    var setsPIN: Bool { new != nil }

    /// The act that the current PIN will sign; `nil` if the PIN itself is set or changed.
    var act: DeviceAssertion.Act? {
        switch self {
        case .use(let use, _): use.act
        case .enroll, .change: nil
        }
    }
}
