package import AuthCore
package import AuthFoundation
package import AuthStore
internal import Dispatch
internal import Logging
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
/// This folder owns device PINs: evaluation, assertions, attempts and locks. It does not own the acts that a PIN signs, nor how one is
/// set (`AuthAccount/PIN`). Account PINs are in `AccountPIN`.
package struct PINEvaluation: Sendable {
    package let context: ServerContext
    /// The transaction flow, for evaluations that will sign one.
    package let transactions: any PINSubject

    package init(context: ServerContext, transactions: any PINSubject) {
        self.context = context
        self.transactions = transactions
    }

    /// Evaluations take milliseconds of arithmetic and must not block the threads that serve connections.
    private static let queue = DispatchQueue(label: "walletauth.evaluations", attributes: .concurrent)

    private enum Opening: Sendable {
        case opened(PINChallengeRecord)
        case known(PINChallengeRecord)
        case refused(DevicePINRefusal)
        /// No attempt is left for a transaction, which fails as a result.
        case locked(DeviceAssertion.Act, DevicePINRefusal)
        /// The transaction cannot be signed.
        case refusedBySubject(TransactionRefusal)
        /// Too many uncharged evaluations were requested.
        case tooMany(until: Timestamp)
        /// Another request began an epoch at the same time.
        case overtaken
    }

    package func evaluate(
        _ request: PINEvaluationRequest, call: DeviceCaller
    ) async throws -> Result<PINEvaluationResponse, DevicePINRefusal> {
        let (device, now) = (call.device, call.now)
        // Concurrent requests that set a PIN run one after the other.
        for _ in 0..<3 {
            switch try await open(request, call: call) {
            case .overtaken: continue
            case .refused(let refusal): return .failure(refusal)
            case .locked(let act, let refusal):
                transactions.refusedLastTry(for: act)
                return .failure(refusal)
            case .refusedBySubject(let refusal): return .failure(.transaction(refusal))
            case .tooMany(let until):
                return .failure(.device(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))))
            case .opened(let challenge): return try await answer(challenge, request, device: device)
            case .known(let challenge):
                let known = try PINChallengeVault(context: context).challenge(challenge)
                switch known.repetition(of: request, now: now) {
                case .refused(let refusal): return .failure(.refused(refusal))
                case .sameAnswer: return try await answer(challenge, request, device: device)
                }
            }
        }
        return .failure(.refused(.challengeOver))
    }

    // MARK: - The charge

    private func open(_ request: PINEvaluationRequest, call: DeviceCaller) async throws -> Opening {
        let (device, now) = (call.device, call.now)
        let ask = request.ask
        let record = try await context.database.read { try PINs.find(device.id, on: $0) }
        let id = try context.randomID()
        var begun: (epoch: PINEpoch, sealed: [UInt8])?
        if ask.setsPIN {
            guard let epoch = record.map({ $0.lastEpoch.next }) ?? .first else { return .refused(.refused(.locked)) }
            let vault = PINVault(context: context)
            begun = (epoch, try await Self.computed { try vault.newKey(epoch, of: device.id).sealed })
        }
        let challenge = PINChallengeRecord(
            id: id, deviceID: device.id, idempotencyKey: call.idempotencyKey.rawValue,
            requestDigest: PINChallenge.digest(of: request),
            request: try PINChallengeVault(context: context).seal(request, of: id),
            nonce: Base64URL.encode(context.random.bytes(32)), epoch: ask.present?.epoch, newEpoch: begun?.epoch,
            attemptsLeft: nil, endsAt: now + PINLimits.challengeLifetime,
            expiresAt: now + (ask.present == nil ? PINLimits.settingMemory : PINLimits.memory))
        return try await context.database.write { [begun] connection -> Opening in
            if let known = try PINChallenges.find(key: call.idempotencyKey.rawValue, of: device.id, on: connection) {
                return .known(known)
            }
            if case .transaction = ask.act,
                let refusal = try transactions.refusal(of: request, by: device, now: now, on: connection)
            {
                return .refusedBySubject(refusal)
            }
            var challenge = challenge
            if let epoch = ask.present?.epoch {
                guard let left = try PINs.charge(id, of: device.id, epoch: epoch, now: now, on: connection) else {
                    return try uncharged(call, epoch, for: ask.act, on: connection)
                }
                challenge.attemptsLeft = Int64(left)
            } else if let refused = try refusedToSet(call, on: connection) {
                return refused
            }
            if let begun {
                guard
                    try PINs.begin(begun.epoch, of: device.id, key: begun.sealed, now: now, on: connection)
                else {
                    // Undo the charge, because the request is retried.
                    if let epoch = ask.present?.epoch {
                        try PINs.uncharge(id, of: device.id, epoch: epoch, on: connection)
                    }
                    return .overtaken
                }
            }
            try PINChallenges.open(challenge, on: connection)
            if ask.present == nil {
                // The replaced challenge may have been the last attempt with the current PIN.
                try PINLockout(context: context).lockWhenUsedUp(device, origin: call.origin, now: now, on: connection)
            }
            return .opened(challenge)
        }
    }

    /// The answer where nothing was charged. A transaction fails with the PIN that was to sign it.
    private func uncharged(
        _ call: DeviceCaller, _ epoch: PINEpoch, for act: DeviceAssertion.Act?, on connection: any SQLConnection
    ) throws -> Opening {
        let refusal = try refusal(call, epoch, on: connection)
        guard refusal.isLock, let act, case .transaction = act else { return .refused(refusal) }
        try transactions.pinLocked(
            for: act, on: call.device, origin: call.origin, now: call.now, connection: connection)
        return .locked(act, refusal)
    }

    /// The answer where no PIN may be enrolled now; `nil` permits it. A new PIN brings no new attempts: the charges of
    /// the window belong to the enrollment.
    private func refusedToSet(_ call: DeviceCaller, on connection: any SQLConnection) throws -> Opening? {
        let (device, now) = (call.device.id, call.now)
        if let until = try PINs.exhaustedUntil(device, now: now, on: connection) {
            return .refused(.exhausted(retryAfter: RetryAfter.seconds(until: until, now: now)))
        }
        return try PINChallenges.settingPausedUntil(device, now: now, on: connection).map { .tooMany(until: $0) }
    }

    /// Why nothing was charged. If no attempt is left, this write locks the PIN, unless an evaluation still awaits its assertion.
    private func refusal(
        _ call: DeviceCaller, _ epoch: PINEpoch, on connection: any SQLConnection
    ) throws -> DevicePINRefusal {
        let (device, now) = (call.device, call.now)
        try PINLockout(context: context).lockWhenUsedUp(device, origin: call.origin, now: now, on: connection)
        let record = try PINs.find(device.id, on: connection)
        let until = try PINs.exhaustedUntil(device.id, now: now, on: connection)
        let charge = (record?.state ?? .none).charging(
            epoch: epoch, unsuccessful: until == nil ? 0 : PINLimits.chargesPerWindow)
        switch charge {
        case .refused(.exhausted), .charged:
            return .exhausted(retryAfter: RetryAfter.seconds(until: until, now: now))
        case .refused(.locked) where record?.lockReason == .restore: return .lockedByRestore
        case .refused(let refusal): return .refused(refusal)
        }
    }

    // MARK: - The evaluation

    private func answer(
        _ challenge: PINChallengeRecord, _ request: PINEvaluationRequest, device: DeviceRecord
    ) async throws -> Result<PINEvaluationResponse, DevicePINRefusal> {
        guard let record = try await context.database.read({ try PINs.find(device.id, on: $0) }),
            challenge.epoch == nil || challenge.epoch == record.state.active,
            challenge.newEpoch == nil || challenge.newEpoch == record.state.pending
        else { return .failure(.refused(.challengeOver)) }
        let vault = PINVault(context: context)
        var response = PINEvaluationResponse(
            challengeID: try ChallengeID(challenge.id.uuid), nonce: try Nonce(challenge.nonce),
            expiresIn: PINLimits.challengeLifetime.wholeSeconds)
        if let present = request.ask.present, let epoch = challenge.epoch {
            let key = try await Self.computed { try vault.key(record.evaluationKey, epoch, of: device.id) }
            response.present = PINEvaluationResponse.Present(
                epoch: epoch, evaluation: try await Self.computed { try key.evaluate(present.blinded) },
                attemptsLeft: challenge.attemptsLeft ?? 0)
        }
        if let blinded = request.ask.new, let epoch = challenge.newEpoch {
            let key = try await Self.computed { try vault.key(record.pendingEvaluationKey, epoch, of: device.id) }
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

/// Seals the requests of challenges. They name the hash of what a PIN is to sign, which would confirm a guess of amount
/// and payee.
typealias PINChallengeVault = Vault<PINChallengeField>

enum PINChallengeField: String, SealedField {
    case request = "pin_challenges|request"

    var purpose: KeyPurpose { .pin }
}

extension PINChallengeVault {
    /// - Returns: text, as the column has it.
    func seal(_ request: PINEvaluationRequest, of id: UniqueID) throws -> String {
        Base64URL.encode(try seal(request.withoutDraft.json.bytes, .request, of: id))
    }

    /// - Throws: `MalformedValue` or ``DamagedRow`` for a damaged row.
    func challenge(_ record: PINChallengeRecord) throws -> PINChallenge {
        let request = try PINEvaluationRequest(object(Base64URL.decode(record.request), .request, of: record.id))
        let subject: PINChallenge.Subject
        switch (request.ask, record.epoch, record.newEpoch) {
        case (.use(let use, _), let epoch?, nil): subject = .use(use, epoch)
        case (.enroll, nil, let epoch?): subject = .enroll(epoch)
        case (.change, let epoch?, let new?): subject = .change(epoch, to: new)
        default: throw MalformedValue(field: "pin_challenges", reason: "has a row that fits no request")
        }
        return PINChallenge(
            id: try ChallengeID(record.id.uuid), nonce: try Nonce(record.nonce),
            deviceID: try DeviceID(record.deviceID.uuid), subject: subject,
            idempotencyKey: try IdempotencyKey(record.idempotencyKey), requestDigest: record.requestDigest,
            expiresAt: record.endsAt, state: record.state)
    }
}
