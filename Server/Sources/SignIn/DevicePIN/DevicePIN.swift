package import Core
package import WalletAuthWire

package enum PINLimits {
    /// The attempts until one must succeed (PSD2 RTS article 4: at most five).
    package static let tries = 5
    /// The charges of one enrollment within ``window`` that may lack a success of their own.
    package static let chargesPerWindow = 30
    /// How long a charge without success counts.
    package static let window = Duration.days(30)
    /// The evaluations per minute, for one enrollment, that set a PIN and charge no attempt. With a longer period, a
    /// thief of the device's key could keep the holder from setting a PIN for as long.
    package static let settingsPerMinute = 30
    /// How long the `Idempotency-Key` of a request that charges an attempt is remembered.
    package static let memory = Duration.hours(24)
    /// How long the `Idempotency-Key` of a request that charges none is remembered. It is short, to limit the rows that
    /// a device's key can create, and longer than an assertion lives.
    package static let settingMemory = Duration.minutes(10)
    package static let challengeLifetime = Duration.seconds(120)
}

/// The PIN of a device, with the charges and the open challenge that bear on it.
///
/// Its initial value is that of a device that never had one.
///
/// A pure state machine: each transition returns the next value and what happened, and nothing is stored, sent or verified here. The
/// caller loads the PIN, makes a transition and saves the result in one write.
///
/// ```
///            set                  wrong for the fifth time, or a restore
///   none ───────────► active ────────────────────────────────────────────► locked
///                      ▲  │ charged, right, wrong: the number of attempts     │
///                      │  ▼                                                   │
///                      └──┴────────── another PIN is set ◄────────────────────┘
/// ```
package struct DevicePIN: Hashable, Sendable {
    package internal(set) var state = PINState.none
    /// The highest epoch that there ever was: no number is used twice. `nil` if there was none.
    package internal(set) var lastEpoch: PINEpoch?
    /// The VOPRF key of the epoch in use, sealed.
    package internal(set) var evaluationKey: [UInt8]?
    /// The public half of the PIN key in use. It is sealed, because together with a stolen device it would verify
    /// guesses.
    package internal(set) var publicKey: [UInt8]?
    /// The VOPRF key of the epoch being set, sealed.
    package internal(set) var pendingEvaluationKey: [UInt8]?
    /// Those of the last thirty days without a success of their own. Neither another success nor another PIN removes one.
    package internal(set) var charges: [Charge] = []
    /// When it was recorded that they are used up; `nil` since the next charge.
    package internal(set) var exhaustedAt: Timestamp?
    /// The end of the open challenge, if that was charged: its assertion may still arrive.
    package internal(set) var openTry: Timestamp?
    /// When it was last set, begun, locked or forgotten.
    package internal(set) var changedAt = Timestamp(seconds: 0)

    /// An attempt that was charged.
    package struct Charge: Hashable, Sendable {
        package var challenge: ChallengeID
        package var expiresAt: Timestamp
    }

    /// The epoch of the next PIN; `nil` if no number is left.
    package var nextEpoch: PINEpoch? { lastEpoch.map(\.next) ?? .first }

    private func unsuccessful(at now: Timestamp) -> [Charge] { charges.filter { $0.expiresAt > now } }

    /// The attempts left before the PIN locks or the window of all charges is used up; 0 if none is in use.
    package func triesLeft(at now: Timestamp) -> Int { state.triesLeft(unsuccessful: unsuccessful(at: now).count) }

    /// Whether the assertion of a charged challenge may still arrive.
    private func isTryOpen(at now: Timestamp) -> Bool { openTry.map { $0 > now } ?? false }

    /// Whether an assertion by the PIN in use can be right: an attempt is left, or the last one still waits for its assertion.
    package func canAssert(at now: Timestamp) -> Bool {
        state.active != nil && (triesLeft(at: now) > 0 || isTryOpen(at: now))
    }

    /// The status for its holder and for operators.
    package enum Status: Hashable, Sendable {
        case unset
        case active
        /// Nothing is evaluated until another PIN is set.
        case locked(PINLockReason)
        /// The attempts of thirty days are used up. Until then, nothing is evaluated and no PIN can be set.
        case exhausted(until: Timestamp)
    }

    package func status(at now: Timestamp) -> Status {
        if state != .none, let until = exhaustedUntil(now) { return .exhausted(until: until) }
        if let reason = state.lockReason { return .locked(reason) }
        guard state.active != nil else { return .unset }
        // The last attempt may be in progress, or expired and not yet cleaned up.
        return triesLeft(at: now) > 0 ? .active : .locked(.tooManyTries)
    }

    /// The end of the period in which nothing may be charged and no PIN set; `nil` if it is none.
    package func exhaustedUntil(_ now: Timestamp) -> Timestamp? {
        let charges = unsuccessful(at: now)
        return charges.count < PINLimits.chargesPerWindow ? nil : charges.map(\.expiresAt).min()
    }
}

extension DevicePIN {
    /// What a transition brought to an end. The holder is notified in the same write.
    package enum End: Hashable, Sendable {
        /// The PIN is locked.
        case locked
        /// The charges of the window are used up.
        case exhausted
    }

    /// The result of charging an attempt.
    package enum Charging: Hashable, Sendable {
        /// One attempt is spent, before any evaluation.
        case charged(DevicePIN, attemptsLeft: Int)
        /// No attempt is spent, and nothing is evaluated. If there was none to spend, the PIN may have been locked.
        case refused(PINRefusal, DevicePIN, [End])
    }

    /// Charges an attempt to a challenge, which replaces the open one.
    /// - Parameter epoch: the epoch that the device believes to be in use.
    package func charging(_ challenge: ChallengeID, epoch: PINEpoch, now: Timestamp) -> Charging {
        if case .charged(let state, let attemptsLeft) = charge(of: self, epoch, now) {
            var next = self
            next.state = state
            next.charges.append(Charge(challenge: challenge, expiresAt: now + PINLimits.window))
            next.exhaustedAt = nil
            next.openTry = now + PINLimits.challengeLifetime
            return .charged(next, attemptsLeft: attemptsLeft)
        }
        // The last attempt may have ended without an answer: then the PIN is locked, whatever epoch the device believes in.
        let (next, ends) = ending(now: now)
        let refusal: PINRefusal =
            switch charge(of: next, epoch, now) {
            case .notSet: .notSet
            case .otherEpoch: .epochMismatch
            case .locked(let reason): .locked(reason)
            case .exhausted, .charged: exhaustion(at: now) ?? .locked(.tooManyTries)
            }
        return .refused(refusal, next, ends)
    }

    private func charge(of pin: DevicePIN, _ epoch: PINEpoch, _ now: Timestamp) -> PINState.Charge {
        pin.state.charging(epoch: epoch, unsuccessful: pin.unsuccessful(at: now).count)
    }

    /// Why nothing is charged and no PIN set; `nil` if the charges of the window are not used up.
    package func exhaustion(at now: Timestamp) -> PINRefusal? {
        exhaustedUntil(now).map { .exhausted(retryAfter: max(1, ($0 - now).wholeSeconds)) }
    }

    /// Begins to set a PIN. An earlier one being set is dropped with its key.
    /// - Parameter key: the VOPRF key of the epoch, sealed.
    /// - Returns: `nil` if another request took the number.
    package func beginning(_ epoch: PINEpoch, key: [UInt8], now: Timestamp) -> DevicePIN? {
        guard epoch == nextEpoch, let state = state.beginning(epoch) else { return nil }
        var next = self
        next.state = state
        next.lastEpoch = epoch
        next.pendingEvaluationKey = key
        next.changedAt = now
        return next
    }

    /// The right assertion of an open challenge.
    /// - Parameter newKey: the public half of the key being set, sealed.
    /// - Returns: `nil` if the epoch is no longer in use or being set. The success came too late and opens nothing.
    package func succeeding(_ challenge: PINChallenge, newKey: [UInt8]?, now: Timestamp) -> DevicePIN? {
        guard let state = challenge.subject.succeeding(state) else { return nil }
        var next = self
        next.state = state
        next.openTry = nil
        next.charges.removeAll { $0.challenge == challenge.id }
        guard challenge.subject.setsPIN else { return next }
        next.evaluationKey = pendingEvaluationKey
        next.publicKey = newKey
        next.pendingEvaluationKey = nil
        next.changedAt = now
        return next
    }

    /// The end of the open challenge without a success: by a wrong PIN, by time, or by a challenge that charges nothing. The charge
    /// stays. If it was the last one, the PIN locks.
    package func failing(now: Timestamp) -> (DevicePIN, [End]) {
        var next = self
        next.openTry = nil
        return next.ending(now: now)
    }

    /// Locks a PIN without attempts, and records that the charges of the window are used up, unless the last attempt still waits for its
    /// assertion.
    private func ending(now: Timestamp) -> (DevicePIN, [End]) {
        if isTryOpen(at: now) { return (self, []) }
        var next = self
        var ends: [End] = []
        let state = state.active.map(state.failing) ?? state
        if state != self.state {
            next.state = state
            next.changedAt = now
            ends.append(.locked)
        }
        if self.state.hasPIN, exhaustedAt == nil, exhaustedUntil(now) != nil {
            next.exhaustedAt = now
            ends.append(.exhausted)
        }
        return (next, ends)
    }

    /// Removes a PIN in any state with its keys. The charges stay; otherwise removal would be a way to continue guessing.
    /// - Returns: `nil` if there is none.
    package func forgetting(now: Timestamp) -> DevicePIN? {
        guard state != .none else { return nil }
        var next = self
        next.state = .none
        next.evaluationKey = nil
        next.publicKey = nil
        next.pendingEvaluationKey = nil
        next.openTry = nil
        next.changedAt = now
        return next
    }
}

/// The state of an enrollment's PIN: the epoch in use, the epoch being set, and the attempts charged.
package enum PINState: Hashable, Sendable {
    /// There is no PIN, and none is being set.
    case none
    /// PENDING: a first PIN is being set.
    case pending(PINEpoch)
    /// ACTIVE. `failed` counts attempts since the last success, from 0 to ``PINLimits/tries``.
    case active(PINEpoch, failed: Int)
    /// ACTIVE, with a new epoch PENDING.
    case changing(PINEpoch, failed: Int, to: PINEpoch)
    /// LOCKED: nothing is evaluated until a new PIN is set after a full sign-in with a second factor.
    case locked(PINEpoch, PINLockReason = .tooManyTries)
    /// LOCKED, with a new epoch PENDING.
    case replacing(PINEpoch, with: PINEpoch, PINLockReason = .tooManyTries)

    /// The epoch whose key evaluates, and the only one for assertions.
    package var active: PINEpoch? {
        switch self {
        case .active(let epoch, _), .changing(let epoch, _, _): epoch
        case .none, .pending, .locked, .replacing: nil
        }
    }

    package var pending: PINEpoch? {
        switch self {
        case .pending(let epoch), .changing(_, _, let epoch), .replacing(_, let epoch, _): epoch
        case .none, .active, .locked: nil
        }
    }

    /// Why it is locked; `nil` if it is not.
    package var lockReason: PINLockReason? {
        switch self {
        case .locked(_, let reason), .replacing(_, _, let reason): reason
        case .none, .pending, .active, .changing: nil
        }
    }

    /// Whether there is a PIN, in use or locked.
    fileprivate var hasPIN: Bool { active != nil || lockReason != nil }

    fileprivate func triesLeft(unsuccessful: Int) -> Int {
        switch self {
        case .active(_, let failed), .changing(_, let failed, _):
            Self.triesLeft(failed: failed, unsuccessful: unsuccessful)
        case .none, .pending, .locked, .replacing: 0
        }
    }
}

extension PINState {
    /// The result of charging an attempt.
    package enum Charge: Hashable, Sendable {
        /// One attempt is spent, before any evaluation.
        case charged(PINState, attemptsLeft: Int)
        /// There is no PIN in use.
        case notSet
        /// Another epoch is in use.
        case otherEpoch
        case locked(PINLockReason)
        /// The charges of the window are used up.
        case exhausted
    }

    /// Charges one attempt.
    /// - Parameters:
    ///   - epoch: the epoch that the device believes to be in use.
    ///   - unsuccessful: the charges of this enrollment within ``PINLimits/window`` without a success of their own.
    ///     Neither a success nor a new PIN reduces it.
    package func charging(epoch: PINEpoch, unsuccessful: Int) -> Charge {
        switch self {
        case .none, .pending: return .notSet
        case .locked(_, let reason), .replacing(_, _, let reason): return Self.lock(reason, unsuccessful)
        case .active(let current, let failed), .changing(let current, let failed, _):
            guard epoch == current else { return .otherEpoch }
            let left = Self.triesLeft(failed: failed, unsuccessful: unsuccessful)
            guard left > 0 else { return Self.lock(.tooManyTries, unsuccessful) }
            return .charged(counting(failed: failed + 1), attemptsLeft: left - 1)
        }
    }

    /// The attempts left before the PIN locks or the window of all charges is used up.
    private static func triesLeft(failed: Int, unsuccessful: Int) -> Int {
        max(0, min(PINLimits.tries - failed, PINLimits.chargesPerWindow - unsuccessful))
    }

    /// Why a PIN without attempts is refused. A new PIN unlocks a locked one. If the window is used up, a new PIN would
    /// be refused as well, and the holder has to know that.
    private static func lock(_ reason: PINLockReason, _ unsuccessful: Int) -> Charge {
        unsuccessful < PINLimits.chargesPerWindow ? .locked(reason) : .exhausted
    }

    /// The state after a successful charge: all attempts are restored.
    /// - Returns: `nil` if the epoch is no longer in use. The success came too late and opens nothing.
    package func succeeding(epoch: PINEpoch) -> PINState? { active == epoch ? counting(failed: 0) : nil }

    /// The same state with another number of failed attempts, if it counts any.
    private func counting(failed: Int) -> PINState {
        switch self {
        case .active(let epoch, _): .active(epoch, failed: failed)
        case .changing(let epoch, _, let new): .changing(epoch, failed: failed, to: new)
        case .none, .pending, .locked, .replacing: self
        }
    }

    /// The state after an unsuccessful charge: a wrong PIN, a timeout or a newer challenge. The charge stays, and the
    /// last one locks.
    package func failing(epoch: PINEpoch) -> PINState {
        switch self {
        case .active(epoch, let failed) where failed >= PINLimits.tries: .locked(epoch)
        case .changing(epoch, let failed, let new) where failed >= PINLimits.tries: .replacing(epoch, with: new)
        case .none, .pending, .active, .changing, .locked, .replacing: self
        }
    }

    /// The state with a new epoch being set. It replaces any earlier one being set, whose key is dropped.
    /// - Parameter epoch: a number above all earlier ones of this enrollment.
    /// - Returns: `nil` if the number is not above the known ones.
    package func beginning(_ epoch: PINEpoch) -> PINState? {
        if let pending, pending >= epoch { return nil }
        switch self {
        case .none, .pending: return .pending(epoch)
        case .active(let current, let failed), .changing(let current, let failed, _):
            return current < epoch ? .changing(current, failed: failed, to: epoch) : nil
        case .locked(let current, let reason), .replacing(let current, _, let reason):
            return current < epoch ? .replacing(current, with: epoch, reason) : nil
        }
    }

    /// The state after the pending epoch came into use. The caller deletes the key of the epoch before.
    /// - Returns: `nil` if another epoch or none is being set.
    package func promoting(_ epoch: PINEpoch) -> PINState? { pending == epoch ? .active(epoch, failed: 0) : nil }
}
