// The rules of transactions signed on a phone: states, refusals and limits.

package import Core
package import WalletAuthWire

package enum TransactionLimits {
    /// Open transactions of one account at one backend.
    package static let openOfAccount = 20
    /// Transactions that a device may begin by itself and sign within ``begunWindow``.
    package static let begunOnDevice = 200
    package static let begunWindow = Duration.days(1)
    /// How long an unsigned transaction is kept after its expiry.
    package static let unsignedRetention = Duration.days(30)
    /// How long an app's draft can be signed.
    package static let draftLifetime = Duration.minutes(5)
    /// The age at which no transaction is open any more, whatever lifetime was requested.
    package static let longestLifetime = Duration.seconds(TransactionRequest.lifetimes.upperBound)
    /// The longest time a request waits for a change.
    package static let longestWait = Duration.seconds(30)
    package static let pageSize = 100
}

/// The state of a transaction, and the transitions to its signature.
///
/// Each transition returns the next state or the reason there is none. Nothing is stored or compared here; the caller's
/// write is guarded by the state it began with.
///
/// ```
///   created ──claim──► claimed ──confirm──► confirmed ──sign──► signed
///      │                  │                     │
///      │                  ├──────reject─────────┼──► rejected
///      │                  │                     └──fail──► failed
///      └──────cancel──────┴─────────────────────┴──► cancelled
/// ```
///
/// Expiry needs no write: a transaction that is not final at ``expiresAt`` is expired. For this to stay true, a
/// transition is judged by the time of its write, not of its request, and reading a transaction that has just expired
/// waits for such writes.
package struct TransactionState: Sendable, Hashable {
    /// The state as stored. It ignores the time: see ``status(at:)``.
    package enum Phase: Sendable, Hashable {
        /// No device has claimed it yet.
        case created
        /// A device scanned its code or followed its link.
        case claimed(by: DeviceID)
        /// The person confirmed it on the device that claimed it.
        case confirmed(by: DeviceID)
        case signed(by: DeviceID, with: TransactionFactor, at: Timestamp)
        case rejected(by: DeviceID, RejectionReason, at: Timestamp)
        /// The device's PIN was locked.
        case failed(by: DeviceID, at: Timestamp)
        /// It was withdrawn. The device is the one that had claimed it.
        case cancelled(claimedBy: DeviceID?, CancellationReason, at: Timestamp)

        /// The status of a transaction that has not expired.
        package var status: TransactionStatus {
            switch self {
            case .created: .created
            case .claimed: .claimed
            case .confirmed: .confirmed
            case .signed: .signed
            case .rejected: .rejected
            case .failed: .failed
            case .cancelled: .cancelled
            }
        }
    }

    /// The result of a transition.
    package enum Transition: Sendable, Hashable {
        case next(TransactionState)
        /// The same device took the same step before. Repeat the answer.
        case repeated
        /// The device has not claimed or confirmed the transaction yet.
        case notYetPossible
        /// Another device claimed the transaction.
        case othersClaim
        /// The transaction does not allow this second factor.
        case factorNotAllowed
        case over(TransactionStatus)
    }

    package var phase: Phase = .created
    /// When it expires unless it ends before.
    package let expiresAt: Timestamp
    package let requiredSecondFactor: RequiredSecondFactor

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

    package func status(at now: Timestamp) -> TransactionStatus {
        let status = phase.status
        return status.isFinal || now < expiresAt ? status : .expired
    }
}

extension TransactionState: Expiring {
    package func hasExpired(at now: Timestamp) -> Bool { status(at: now) == .expired }
}

extension TransactionState {
    package func claiming(by device: DeviceID, now: Timestamp) -> Transition {
        if let over = over(at: now) { return over }
        guard let holder = self.device else { return next(.claimed(by: device)) }
        return holder == device ? .repeated : .othersClaim
    }

    package func confirming(by device: DeviceID, now: Timestamp) -> Transition {
        if let over = over(at: now) { return over }
        switch phase {
        case .claimed(device): return next(.confirmed(by: device))
        case .confirmed(device): return .repeated
        case .created: return .notYetPossible
        default: return .othersClaim
        }
    }

    package func rejecting(by device: DeviceID, _ reason: RejectionReason, now: Timestamp) -> Transition {
        if case .rejected(device, reason, _) = phase { return .repeated }
        if let over = over(at: now) { return over }
        switch phase {
        case .claimed(device), .confirmed(device): return next(.rejected(by: device, reason, at: now))
        case .created: return .notYetPossible
        default: return .othersClaim
        }
    }

    /// The caller recognizes a repetition by the signed bytes.
    package func signing(by device: DeviceID, with factor: TransactionFactor, now: Timestamp) -> Transition {
        if let over = over(at: now) { return over }
        switch phase {
        case .confirmed(device):
            guard requiredSecondFactor.allowed.contains(factor) else { return .factorNotAllowed }
            return next(.signed(by: device, with: factor, at: now))
        case .created, .claimed(device): return .notYetPossible
        default: return .othersClaim
        }
    }

    /// The device's PIN was locked, and the transaction ends unsigned.
    package func failing(on device: DeviceID, now: Timestamp) -> Transition {
        if case .failed(device, _) = phase { return .repeated }
        if let over = over(at: now) { return over }
        switch phase {
        case .claimed(device), .confirmed(device): return next(.failed(by: device, at: now))
        case .created: return .notYetPossible
        default: return .othersClaim
        }
    }

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

    /// Expiry comes before every other refusal, for every caller.
    private func over(at now: Timestamp) -> Transition? {
        let status = status(at: now)
        return status.isFinal ? .over(status) : nil
    }
}
