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

/// The state of an enrollment's PIN: the epoch in use, the epoch being set, and the attempts charged.
///
/// A pure state machine. The store makes each transition with one write guarded by the state before it; a transition
/// that is refused here matches no row there.
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
    case locked(PINEpoch)
    /// LOCKED, with a new epoch PENDING.
    case replacing(PINEpoch, with: PINEpoch)

    /// The epoch whose key evaluates, and the only one for assertions.
    package var active: PINEpoch? {
        switch self {
        case .active(let epoch, _), .changing(let epoch, _, _): epoch
        case .none, .pending, .locked, .replacing: nil
        }
    }

    package var pending: PINEpoch? {
        switch self {
        case .pending(let epoch), .changing(_, _, let epoch), .replacing(_, let epoch): epoch
        case .none, .active, .locked: nil
        }
    }

    package var isLocked: Bool {
        switch self {
        case .locked, .replacing: true
        case .none, .pending, .active, .changing: false
        }
    }
}

extension PINState {
    /// The result of charging an attempt.
    package enum Charge: Hashable, Sendable {
        /// One attempt is spent, before any evaluation.
        case charged(PINState, attemptsLeft: Int)
        /// No attempt is spent, and nothing is evaluated.
        case refused(PINRefusal)
    }

    /// Charges one attempt.
    /// - Parameters:
    ///   - epoch: the epoch that the device believes to be in use.
    ///   - unsuccessful: the charges of this enrollment within ``PINLimits/window`` without a success of their own.
    ///     Neither a success nor a new PIN reduces it.
    package func charging(epoch: PINEpoch, unsuccessful: Int) -> Charge {
        switch self {
        case .none, .pending: return .refused(.notSet)
        case .locked, .replacing: return .refused(Self.lock(unsuccessful))
        case .active(let current, let failed), .changing(let current, let failed, _):
            guard epoch == current else { return .refused(.epochMismatch) }
            let left = Self.triesLeft(failed: failed, unsuccessful: unsuccessful)
            guard left > 0 else { return .refused(Self.lock(unsuccessful)) }
            return .charged(counting(failed: failed + 1), attemptsLeft: left - 1)
        }
    }

    /// The attempts left before the PIN locks or the window of all charges is used up.
    package static func triesLeft(failed: Int, unsuccessful: Int) -> Int {
        max(0, min(PINLimits.tries - failed, PINLimits.chargesPerWindow - unsuccessful))
    }

    /// Why a PIN without attempts is refused. A new PIN unlocks a locked one. If the window is used up, a new PIN would
    /// be refused as well, and the holder has to know that.
    private static func lock(_ unsuccessful: Int) -> PINRefusal {
        unsuccessful < PINLimits.chargesPerWindow ? .locked : .exhausted
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
        case .locked(let current), .replacing(let current, _):
            return current < epoch ? .replacing(current, with: epoch) : nil
        }
    }

    /// The state after the pending epoch came into use. The caller deletes the key of the epoch before.
    /// - Returns: `nil` if another epoch or none is being set.
    package func promoting(_ epoch: PINEpoch) -> PINState? { pending == epoch ? .active(epoch, failed: 0) : nil }
}

/// Why a request about a PIN is refused. All but the first are revealed only to a device with a valid signature.
package enum PINRefusal: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// Any fault of a signature, assertion, nonce or challenge; one answer for all.
    case invalidCredentials = "invalid_credentials"
    case notSet = "pin_not_set"
    /// The device names another epoch than the one in use.
    case epochMismatch = "pin_epoch_mismatch"
    /// Too many wrong attempts.
    case locked = "pin_locked"
    /// Too many attempts without a success in thirty days. Nothing is evaluated and no PIN is set until the oldest of
    /// them has aged out.
    case exhausted = "pin_exhausted"
    /// The `Idempotency-Key` was used for another request.
    case idempotencyMismatch = "idempotency_mismatch"
    /// The challenge of that `Idempotency-Key` was used, replaced or has expired.
    case challengeOver = "challenge_over"
}
