package import WalletAuthWire

/// A transaction on its way to a signature, and the steps between its states.
///
/// A function for each step answers with the state after it, or with why there is none. Nothing is stored or compared here: a
/// write that takes a step is guarded by the state it began with.
///
/// ```
///   created ──claim──► claimed ──confirm──► confirmed ──sign──► signed
///      │                  │                     │
///      │                  ├──────reject─────────┼──► rejected
///      │                  │                     └──fail──► failed
///      └──────cancel──────┴─────────────────────┴──► cancelled
/// ```
///
/// Expiry needs no write: a transaction that is not final at ``expiresAt`` is expired. It stays so only where a step is decided by the
/// time of its write, and not by that of its request, and where reading a transaction that has just expired waits for such writes.
package struct TransactionState: Sendable, Hashable {
    /// The state, apart from the time: see ``status(at:)``.
    package enum Phase: Sendable, Hashable {
        /// No device has it yet.
        case created
        /// A device scanned it.
        case claimed(by: DeviceID)
        /// The person confirmed it on the device that claimed it.
        case confirmed(by: DeviceID)
        /// It is signed.
        case signed(by: DeviceID, with: TransactionFactor, at: Timestamp)
        /// The person rejected it.
        case rejected(by: DeviceID, RejectionReason, at: Timestamp)
        /// The device's PIN was locked.
        case failed(by: DeviceID, at: Timestamp)
        /// It was withdrawn; the device is the one that had claimed it.
        case cancelled(claimedBy: DeviceID?, CancellationReason, at: Timestamp)
    }

    /// What comes of a step.
    package enum Transition: Sendable, Hashable {
        /// The state after the step.
        case next(TransactionState)
        /// The same step by the same device was taken before: answer it again.
        case repeated
        /// The step comes too early: the device has not claimed or confirmed the transaction.
        case early
        /// Another device claimed the transaction.
        case othersClaim
        /// The second factor is none that the transaction allows.
        case factorNotAllowed
        /// The transaction is over.
        case over(TransactionStatus)
    }

    /// The state, apart from the time.
    package var phase: Phase
    /// When the transaction expires, unless it is over before.
    package let expiresAt: Timestamp
    /// The second factor that it asks for.
    package let requiredSecondFactor: RequiredSecondFactor

    /// Each parameter is the property of its name.
    package init(phase: Phase = .created, expiresAt: Timestamp, requiredSecondFactor: RequiredSecondFactor) {
        self.phase = phase
        self.expiresAt = expiresAt
        self.requiredSecondFactor = requiredSecondFactor
    }

    /// The device that claimed it.
    package var device: DeviceID? {
        switch phase {
        case .created: nil
        case .claimed(let device), .confirmed(let device), .signed(let device, _, _), .rejected(let device, _, _),
            .failed(let device, _):
            device
        case .cancelled(let device, _, _): device
        }
    }

    /// When it reached its final state; nil until then, and for an expired one.
    package var endedAt: Timestamp? {
        switch phase {
        case .created, .claimed, .confirmed: nil
        case .signed(_, _, let at), .rejected(_, _, let at), .failed(_, let at), .cancelled(_, _, let at): at
        }
    }

    /// The state at a moment.
    package func status(at now: Timestamp) -> TransactionStatus {
        let open: TransactionStatus
        switch phase {
        case .created: open = .created
        case .claimed: open = .claimed
        case .confirmed: open = .confirmed
        case .signed: return .signed
        case .rejected: return .rejected
        case .failed: return .failed
        case .cancelled: return .cancelled
        }
        return now < expiresAt ? open : .expired
    }

    /// Whether it expired so lately that a step which was taken in time may not be committed yet.
    package func hasJustExpired(at now: Timestamp) -> Bool {
        status(at: now) == .expired && now < expiresAt + TransactionLimits.settling
    }
}

extension TransactionState {
    /// A device claims the transaction.
    package func claiming(by device: DeviceID, now: Timestamp) -> Transition {
        if let over = over(at: now) { return over }
        guard let holder = self.device else { return next(.claimed(by: device)) }
        return holder == device ? .repeated : .othersClaim
    }

    /// The person confirms the transaction.
    package func confirming(by device: DeviceID, now: Timestamp) -> Transition {
        if let over = over(at: now) { return over }
        switch phase {
        case .claimed(device): return next(.confirmed(by: device))
        case .confirmed(device): return .repeated
        case .created: return .early
        default: return .othersClaim
        }
    }

    /// The person rejects the transaction.
    package func rejecting(by device: DeviceID, _ reason: RejectionReason, now: Timestamp) -> Transition {
        if case .rejected(device, reason, _) = phase { return .repeated }
        if let over = over(at: now) { return over }
        switch phase {
        case .claimed(device), .confirmed(device): return next(.rejected(by: device, reason, at: now))
        case .created: return .early
        default: return .othersClaim
        }
    }

    /// The person signs the transaction. The caller recognizes a repetition by what was signed.
    package func signing(by device: DeviceID, with factor: TransactionFactor, now: Timestamp) -> Transition {
        if let over = over(at: now) { return over }
        switch phase {
        case .confirmed(device):
            guard requiredSecondFactor.allowed.contains(factor) else { return .factorNotAllowed }
            return next(.signed(by: device, with: factor, at: now))
        case .created, .claimed(device): return .early
        default: return .othersClaim
        }
    }

    /// The PIN of the device is locked: the transaction ends unsigned.
    package func failing(on device: DeviceID, now: Timestamp) -> Transition {
        if case .failed(device, _) = phase { return .repeated }
        if let over = over(at: now) { return over }
        switch phase {
        case .claimed(device), .confirmed(device): return next(.failed(by: device, at: now))
        case .created: return .early
        default: return .othersClaim
        }
    }

    /// The transaction is withdrawn.
    package func cancelling(_ reason: CancellationReason, now: Timestamp) -> Transition {
        if case .cancelled = phase { return .repeated }
        if let over = over(at: now) { return over }
        return next(.cancelled(claimedBy: device, reason, at: now))
    }

    private func next(_ phase: Phase) -> Transition {
        var state = self
        state.phase = phase
        return .next(state)
    }

    /// An expired transaction is expired for every caller, whatever else is wrong.
    private func over(at now: Timestamp) -> Transition? {
        let status = status(at: now)
        return status.isFinal ? .over(status) : nil
    }
}
