package import Core
internal import Kernel
package import WalletAuthWire

/// A payment consent in progress: the challenge, the proofs and the failed attempts.
///
/// A pure state machine: each step returns the next event or the reason there is none, and nothing is stored, sent or
/// compared here. The caller writes a step under the guard that the stored event is still the one the step began with.
///
/// ```
///              challenge            right, and complete        carried out
///   open ─────────────► challenged ───────────────► verified ───────────► used
///     ▲   ◄─────────────     │  wrong value: stays; the fifth ──► locked
///     │ right, incomplete    ▼
///     └───────────── withdrawn, from open, challenged and verified ──► cancelled
/// ```
package struct SCAEvent: Hashable, Sendable {
    /// The state as stored. It ignores the time: see ``status(at:)``.
    package enum State: Hashable, Sendable {
        case open
        /// One factor is challenged and can be answered.
        case challenged(Challenge)
        /// The person agreed.
        case verified(at: Timestamp)
        case used(at: Timestamp)
        /// Too many wrong values.
        case locked
        /// The backend withdrew the operation, or the person refused it.
        case cancelled
    }

    package struct Challenge: Hashable, Sendable {
        package var verification: SCAVerification
        /// The end of the sent code's lifetime; nil if no code was sent.
        package var codeExpiresAt: Timestamp?

        package init(_ verification: SCAVerification, codeExpiresAt: Timestamp? = nil) {
            self.verification = verification
            self.codeExpiresAt = codeExpiresAt
        }
    }

    /// A factor that was proved for this event.
    package struct Proof: Hashable, Sendable {
        package var verification: SCAVerification
        /// The `amr` values of the proof (RFC 8176).
        package var methods: [String]
        package var at: Timestamp

        package init(_ verification: SCAVerification, methods: [String], at: Timestamp) {
            self.verification = verification
            self.methods = methods
            self.at = at
        }
    }

    package internal(set) var state: State
    /// In the order of their proof.
    package internal(set) var proofs: [Proof] = []
    /// Attempts spent, including those under comparison.
    package internal(set) var spent: Int = 0
    /// Attempts found wrong.
    package internal(set) var wrong: Int = 0
    /// Codes and push messages sent.
    package internal(set) var sends: Int = 0
    /// When the last of them was sent.
    package internal(set) var sentAt: Timestamp?
    /// The end of the time to agree; after the person agreed, the end of the time to carry the operation out.
    package internal(set) var expiresAt: Timestamp
    /// Challenges so far, over all factors.
    package internal(set) var challenges: Int = 0
    /// When the last attempt was spent, or its value sent again.
    package internal(set) var triedAt: Timestamp?
    /// The values of attempts without a result, as digests: under comparison, or their result was lost. An attempt whose value was not
    /// named is not among them.
    package internal(set) var compared: [[UInt8]] = []

    package var remainingAttempts: Int { max(0, SCALimits.tries - spent) }

    /// The `amr` values of all proofs.
    package var methods: [String] { proofs.flatMap(\.methods) }
}

extension SCAEvent {
    /// Begins an event. `expiresAt` is the end of the time to agree.
    package init(expiresAt: Timestamp) { self.init(state: .open, expiresAt: expiresAt) }

    /// An event that needs no consent: the operation may be carried out at once.
    package init(exemptAt now: Timestamp) {
        self.init(state: .verified(at: now), expiresAt: now + SCALimits.consentLifetime)
    }
}

extension SCAEvent {
    /// Why an event accepts no further step.
    package enum End: Hashable, Sendable {
        case locked
        case expired
        /// Withdrawn by the backend, refused by the person, or ended by a restore, another issuer or the erasure of the account.
        case cancelled
        case used
    }

    /// The state at a given time.
    package enum Status: Hashable, Sendable {
        case pending(Challenge?)
        /// The person agreed, and the operation may be carried out.
        case verified(at: Timestamp)
        case over(End)
    }

    package func status(at now: Timestamp) -> Status {
        switch state {
        case .used: return .over(.used)
        case .locked: return .over(.locked)
        case .cancelled: return .over(.cancelled)
        case .open: return lives(at: now) ? .pending(nil) : .over(.expired)
        case .challenged(let challenge): return lives(at: now) ? .pending(challenge) : .over(.expired)
        case .verified(let at): return lives(at: now) ? .verified(at: at) : .over(.expired)
        }
    }

    /// Whether the event's lifetime includes `now`. An event from the future counts as ended: the clock was set back.
    private func lives(at now: Timestamp) -> Bool {
        var beginning = expiresAt - SCALimits.eventLifetime
        if case .verified(let at) = state { beginning = at }
        return now < expiresAt && now >= beginning - SCALimits.clockTolerance
    }
}

extension SCAEvent: Expiring {
    package func hasExpired(at now: Timestamp) -> Bool { status(at: now) == .over(.expired) }
}

// MARK: - Attempting

extension SCAEvent {
    /// The result of reserving an attempt.
    package enum Reservation: Hashable, Sendable {
        /// The value may be compared. The event has one attempt fewer; a correct value gives it back.
        case compare(SCAEvent)
        /// The value may be compared by the attempt that it was charged with before, whose result is not known.
        case compareAgain(SCAEvent)
        /// Another factor or none is challenged. No attempt is spent.
        case notChallenged
        /// The code has expired. No attempt is spent.
        case codeExpired
        /// The person agreed already, for example with the same value in a request whose answer was lost. No attempt is
        /// spent.
        case verified
        case over(End)
    }

    /// Spends an attempt before the comparison, so that a thousand concurrent guesses get five comparisons.
    /// - Parameter value: a digest of the value and its challenge, by which a repetition of the request is found: the same guess costs
    ///   one attempt, and ``settling(_:)`` lets one of its comparisons count. `nil` charges each comparison.
    package func reserving(
        _ verification: SCAVerification, value: [UInt8]? = nil, now: Timestamp
    ) -> Reservation {
        switch status(at: now) {
        case .over(let end): return .over(end)
        case .verified: return .verified
        case .pending(let challenge):
            guard let challenge, challenge.verification == verification else { return .notChallenged }
            if let end = challenge.codeExpiresAt, now >= end { return .codeExpired }
            var next = self
            next.triedAt = now
            if let value, compared.contains(value) { return .compareAgain(next) }
            // Five comparisons are running, and their results are not known yet.
            guard spent < SCALimits.tries else { return .over(.locked) }
            next.spent += 1
            if let value { next.compared.append(value) }
            return .compare(next)
        }
    }

    /// The event in which the result of a comparison can be recorded; `nil` if another comparison of the same value was first.
    package func settling(_ value: [UInt8]?) -> SCAEvent? {
        guard let value else { return self }
        guard let place = compared.firstIndex(of: value) else { return nil }
        var next = self
        next.compared.remove(at: place)
        return next
    }

    /// The result of a correct value.
    package enum Proving: Hashable, Sendable {
        /// The person agreed with two categories, at least one of them proved for this operation.
        case verified(SCAEvent)
        /// Correct, but a factor of another category is needed.
        case additionalFactorRequired(SCAEvent)
        /// The challenge changed or the event ended during the comparison. The value proves nothing.
        case late
    }

    /// Records a correct value and gives its attempt back.
    /// - Parameter methods: the `amr` values of the session's sign-in; empty if they no longer count.
    package func proving(_ proof: Proof, beside methods: [String], now: Timestamp) -> Proving {
        guard case .pending(let challenge?) = status(at: now), challenge.verification == proof.verification else {
            return .late
        }
        var next = self
        next.spent = max(0, spent - 1)
        next.proofs.append(proof)
        guard AuthenticationStrength.categories(of: next.methods + methods).count >= 2 else {
            next.state = .open
            return .additionalFactorRequired(next)
        }
        next.state = .verified(at: now)
        next.expiresAt = now + SCALimits.consentLifetime
        return .verified(next)
    }

    /// Records a wrong value. Its attempt stays spent, and the last one locks the event. Attempts still under
    /// comparison do not lock it, because they may be correct.
    package func failing() -> SCAEvent {
        switch state {
        case .open, .challenged:
            var next = self
            next.wrong += 1
            next.spent = max(next.spent, next.wrong)
            if next.wrong >= SCALimits.tries { next.state = .locked }
            return next
        case .verified, .used, .locked, .cancelled: return self
        }
    }

    /// Gives an attempt back, because its challenge had become void by the end of the comparison.
    package func releasing() -> SCAEvent {
        var next = self
        next.spent = max(wrong, spent - 1)
        return next
    }

    /// Locks an event whose attempts are all spent although fewer were found wrong: the other comparisons died with
    /// their process and count as wrong. Nil while one of them may still be running.
    package func abandoning(now: Timestamp) -> SCAEvent? {
        guard case .pending(_?) = status(at: now), spent >= SCALimits.tries, wrong < SCALimits.tries else {
            return nil
        }
        if let triedAt, now < triedAt + SCALimits.comparison { return nil }
        var next = self
        next.wrong = SCALimits.tries
        next.state = .locked
        return next
    }
}

// MARK: - Its end

extension SCAEvent {
    /// The result of using the consent.
    package enum Consuming: Hashable, Sendable {
        /// The operation may be carried out once. The event is the one to store.
        case authorized(SCAEvent)
        /// The person has not agreed.
        case notVerified
        case alreadyUsed
        case over(End)
    }

    package func consuming(now: Timestamp) -> Consuming {
        switch status(at: now) {
        case .pending: return .notVerified
        case .over(.used): return .alreadyUsed
        case .over(let end): return .over(end)
        case .verified:
            var next = self
            next.state = .used(at: now)
            return .authorized(next)
        }
    }

    /// The event after the backend withdrew the operation or the person refused it; nil if it has ended already.
    package func cancelling(now: Timestamp) -> SCAEvent? {
        switch status(at: now) {
        case .over: return nil
        case .pending, .verified:
            var next = self
            next.state = .cancelled
            return next
        }
    }
}

extension SCAEvent {
    /// The result of requesting a challenge.
    package enum Challenging: Hashable, Sendable {
        /// The factor is challenged, and any earlier challenge is void. Send a code if the factor uses one.
        case challenged(SCAEvent)
        /// The same factor was challenged a moment ago, and its code is under way. Nothing changes. `next` is when
        /// another can be sent.
        case sentAlready(Challenge, next: Timestamp)
        /// A code was sent a moment ago, and another factor was challenged since. Nothing changes. `next` is when a
        /// code can be sent.
        case tooSoon(next: Timestamp)
        /// All codes were sent. Nothing changes.
        case noCodeLeft
        /// All challenges were used. The current challenge stays.
        case noChallengeLeft
        /// The person agreed already; nothing is left to challenge.
        case verified
        case over(End)
    }

    /// Challenges a factor or requests its code again. Wrong values stay counted.
    ///
    /// The interval between codes applies across factors. Otherwise another channel, or a factor that sends no code,
    /// would be a way around it.
    package func challenging(_ verification: SCAVerification, now: Timestamp) -> Challenging {
        let present: Challenge?
        switch status(at: now) {
        case .over(let end): return .over(end)
        case .verified: return .verified
        case .pending(let challenge): present = challenge
        }
        if verification.isSent {
            if let sentAt, now < sentAt + SCALimits.interval {
                let again = sentAt + SCALimits.interval
                if let present, present.verification == verification { return .sentAlready(present, next: again) }
                guard sends < SCALimits.sends else { return .noCodeLeft }
                return .tooSoon(next: again)
            }
            guard sends < SCALimits.sends else { return .noCodeLeft }
        }
        guard challenges < SCALimits.challenges else { return .noChallengeLeft }
        var next = self
        next.challenges += 1
        if verification.isSent {
            next.sends += 1
            next.sentAt = now
        }
        // What another device approves is the operation, for as long as the event lasts.
        let end = verification.sendsCode ? min(now + SCALimits.codeLifetime, expiresAt) : nil
        next.state = .challenged(Challenge(verification, codeExpiresAt: end))
        return .challenged(next)
    }
}

extension SCAVerification {
    package var sendsCode: Bool { channel == .sms || channel == .email }

    /// Whether a challenge sends something: a code, or a push message. Both are seldom and few for an event.
    package var isSent: Bool { sendsCode || self == .push }
}
