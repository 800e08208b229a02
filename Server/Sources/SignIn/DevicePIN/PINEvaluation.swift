internal import Core
internal import Dispatch
internal import Kernel
package import Store
package import WalletAuthWire

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

    /// Evaluations take milliseconds of arithmetic and must not block the threads that serve connections.
    private static let queue = DispatchQueue(label: "walletauth.evaluations", attributes: .concurrent)

    /// A request, and the challenge that it opens unless it is a repetition or refused.
    package struct Attempt: Sendable {
        let request: PINEvaluationRequest
        let call: DeviceCaller
        fileprivate var challenge: PINChallengeRecord
        /// The key of the new PIN, if one is set.
        fileprivate var key: [UInt8]?
    }

    /// What the write of an attempt found or decided.
    package enum Opening: Sendable {
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
            let attempt: Attempt
            switch try await settingAttempt(request, call: call) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let next): attempt = next
            }
            let opening = try await database.write { connection in
                try repetition(of: attempt, on: connection) ?? charge(attempt, on: connection)
            }
            if let outcome = try await response(to: opening, of: attempt) { return outcome }
        }
        return .failure(.challengeOver)
    }

    // MARK: - The charge

    /// The attempt of a request that sets no PIN.
    package func attempt(_ request: PINEvaluationRequest, call: DeviceCaller) throws -> Attempt {
        let id = try sealing.random.uniqueID()
        let present = request.ask.present
        let challenge = PINChallengeRecord(
            id: id, deviceID: call.device.id, idempotencyKey: call.idempotencyKey.rawValue,
            requestDigest: PINChallenge.digest(of: request),
            request: try PINChallengeVault(sealing).seal(request, of: id),
            nonce: Base64URL.encode(sealing.random.bytes(32)), epoch: present?.epoch, newEpoch: nil,
            attemptsLeft: nil, endsAt: call.now + PINLimits.challengeLifetime,
            expiresAt: call.now + (present == nil ? PINLimits.settingMemory : PINLimits.memory))
        return Attempt(request: request, call: call, challenge: challenge)
    }

    /// The attempt of any request, with the key of the PIN that it sets.
    private func settingAttempt(
        _ request: PINEvaluationRequest, call: DeviceCaller
    ) async throws -> Result<Attempt, PINRefusal> {
        var attempt = try attempt(request, call: call)
        if request.ask.setsPIN {
            let device = call.device.id
            let pin = try await database.read { try PINs.find(device, on: $0) }
            guard let epoch = pin.nextEpoch else { return .failure(.locked(.tooManyTries)) }
            let vault = PINVault(sealing)
            attempt.challenge.newEpoch = epoch
            attempt.key = try await Self.computed { try vault.newKey(epoch, of: device).sealed }
        }
        return .success(attempt)
    }

    /// The challenge of an earlier request with the same `Idempotency-Key`; `nil` if there was none.
    package func repetition(of attempt: Attempt, on connection: any SQLConnection) throws -> Opening? {
        let device = attempt.call.device.id
        return try PINChallenges.find(key: attempt.call.idempotencyKey.rawValue, of: device, on: connection)
            .map { .known($0, try PINs.find(device, on: connection)) }
    }

    /// Charges an attempt that is no ``repetition(of:on:)``, in the same write.
    package func charge(_ attempt: Attempt, on connection: any SQLConnection) throws -> Opening {
        let (device, now, origin) = (attempt.call.device, attempt.call.now, attempt.call.origin)
        let found = try PINs.find(device.id, on: connection)
        var (challenge, pin, ends) = (attempt.challenge, found, [DevicePIN.End]())
        if let epoch = challenge.epoch {
            switch found.charging(try ChallengeID(challenge.id.uuid), epoch: epoch, now: now) {
            case .charged(let next, let left):
                pin = next
                challenge.attemptsLeft = Int64(left)
            case .refused(let refusal, let next, let ends):
                try lockout.save(next, ends, over: found, of: device, origin: origin, now: now, on: connection)
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
        if let epoch = challenge.newEpoch, let key = attempt.key {
            guard let next = pin.beginning(epoch, key: key, now: now) else { return .overtaken }
            pin = next
        }
        try lockout.save(pin, ends, over: found, of: device, origin: origin, now: now, on: connection)
        try PINChallenges.open(challenge, on: connection)
        return .opened(challenge, pin)
    }

    // MARK: - The evaluation

    /// Evaluates what an attempt's write opened.
    /// - Returns: `nil` if the attempt was overtaken, which happens only to one that sets a PIN.
    package func response(
        to opening: Opening, of attempt: Attempt
    ) async throws -> Result<PINEvaluationResponse, PINRefusal>? {
        let (request, device) = (attempt.request, attempt.call.device.id)
        switch opening {
        case .overtaken: return nil
        case .refused(let refusal): return .failure(refusal)
        case .opened(let challenge, let pin): return try await answer(challenge, request, pin, device: device)
        case .known(let challenge, let pin):
            let known = try PINChallengeVault(sealing).challenge(challenge)
            switch known.repetition(of: request, now: attempt.call.now) {
            case .refused(let refusal): return .failure(refusal)
            case .sameAnswer: return try await answer(challenge, request, pin, device: device)
            }
        }
    }

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
    package var act: DeviceAssertion.Act? {
        switch self {
        case .use(let use, _): use.act
        case .enroll, .change: nil
        }
    }
}
