package import WalletAuthWire

/// Where an enrollment stands with its PIN: which epoch is in use, which one is being set, and how many tries were charged.
///
/// A value for each state, and a function for each step from one to the next. The store makes each step by one write whose
/// guard is the state before it; what is refused here matches no row there.
package enum PINState: Hashable, Sendable {
    /// No PIN, and none is being set.
    case none
    /// PENDING: a first one is being set.
    case pending(PINEpoch)
    /// ACTIVE, with so many tries charged since the last success, from 0 to ``PINLimits/tries``.
    case active(PINEpoch, failed: Int)
    /// ACTIVE, and beside it a new epoch PENDING.
    case changing(PINEpoch, failed: Int, to: PINEpoch)
    /// LOCKED: nothing is evaluated, until a new PIN is set after a full sign-in with a second factor.
    case locked(PINEpoch)
    /// LOCKED, and beside it a new epoch PENDING.
    case replacing(PINEpoch, with: PINEpoch)

    /// The epoch whose key evaluates, and so the one that an assertion is for.
    package var active: PINEpoch? {
        switch self {
        case .active(let epoch, _), .changing(let epoch, _, _): epoch
        case .none, .pending, .locked, .replacing: nil
        }
    }

    /// The epoch that is being set.
    package var pending: PINEpoch? {
        switch self {
        case .pending(let epoch), .changing(_, _, let epoch), .replacing(_, let epoch): epoch
        case .none, .active, .locked: nil
        }
    }

    /// Whether the PIN is locked.
    package var isLocked: Bool {
        switch self {
        case .locked, .replacing: true
        case .none, .pending, .active, .changing: false
        }
    }
}

extension PINState {
    /// What becomes of a charge.
    package enum Charge: Hashable, Sendable {
        /// One try is spent, before anything is evaluated.
        case charged(PINState, attemptsLeft: Int)
        /// Nothing is spent and nothing is evaluated.
        case refused(PINRefusal)
    }

    /// Charges one try.
    /// - Parameters:
    ///   - epoch: the epoch that the device believes to be in use.
    ///   - unsuccessful: how many charges of this enrollment within ``PINLimits/window`` had no success of their own.
    ///     Neither a success nor a new PIN makes it less.
    package func charging(epoch: PINEpoch, unsuccessful: Int) -> Charge {
        switch self {
        case .none, .pending: return .refused(.notSet)
        case .locked, .replacing: return .refused(Self.lock(unsuccessful))
        case .active(let current, let failed):
            guard epoch == current else { return .refused(.epochMismatch) }
            let left = Self.triesLeft(failed: failed, unsuccessful: unsuccessful)
            guard left > 0 else { return .refused(Self.lock(unsuccessful)) }
            return .charged(.active(current, failed: failed + 1), attemptsLeft: left - 1)
        case .changing(let current, let failed, let new):
            guard epoch == current else { return .refused(.epochMismatch) }
            let left = Self.triesLeft(failed: failed, unsuccessful: unsuccessful)
            guard left > 0 else { return .refused(Self.lock(unsuccessful)) }
            return .charged(.changing(current, failed: failed + 1, to: new), attemptsLeft: left - 1)
        }
    }

    /// How many tries are left: until the PIN locks, and within the window of all charges.
    package static func triesLeft(failed: Int, unsuccessful: Int) -> Int {
        max(0, min(PINLimits.tries - failed, PINLimits.chargesPerWindow - unsuccessful))
    }

    /// What keeps a PIN shut that has no try left. A new PIN opens one that is locked; where the window is used up it would be
    /// refused as well, and that is what its holder has to know.
    private static func lock(_ unsuccessful: Int) -> PINRefusal {
        unsuccessful < PINLimits.chargesPerWindow ? .locked : .exhausted
    }

    /// The state after a charge ended in success: all tries are back.
    /// - Parameter epoch: the epoch whose PIN was right.
    /// - Returns: `nil` where that epoch is not in use any more: the success came too late and opens nothing.
    package func succeeding(epoch: PINEpoch) -> PINState? {
        switch self {
        case .active(epoch, _): .active(epoch, failed: 0)
        case .changing(epoch, _, let new): .changing(epoch, failed: 0, to: new)
        case .none, .pending, .active, .changing, .locked, .replacing: nil
        }
    }

    /// The state after a charge ended without success: by a wrong PIN, by time, or by a newer challenge. The charge stays;
    /// the last one locks.
    package func failing(epoch: PINEpoch) -> PINState {
        switch self {
        case .active(epoch, let failed) where failed >= PINLimits.tries: .locked(epoch)
        case .changing(epoch, let failed, let new) where failed >= PINLimits.tries: .replacing(epoch, with: new)
        case .none, .pending, .active, .changing, .locked, .replacing: self
        }
    }

    /// The state with a new epoch being set. An epoch that was being set is dropped, with its key.
    /// - Parameter epoch: a number above every one that this enrollment has had.
    /// - Returns: `nil` for a number that is not above those that are known here.
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

    /// The state with the epoch in use that was being set. The key of the one before it is to be deleted.
    /// - Parameter epoch: the epoch that the assertion was for.
    /// - Returns: `nil` where another one, or none, is being set.
    package func promoting(_ epoch: PINEpoch) -> PINState? { pending == epoch ? .active(epoch, failed: 0) : nil }

    /// The state after the database was restored from a copy, whose count of tries is not to be believed: a PIN in use waits for
    /// a new one after a fresh second factor, and what was being set is dropped.
    package func restoring() -> PINState {
        switch self {
        case .none, .pending: .none
        case .active(let epoch, _), .changing(let epoch, _, _), .locked(let epoch), .replacing(let epoch, _):
            .locked(epoch)
        }
    }
}
