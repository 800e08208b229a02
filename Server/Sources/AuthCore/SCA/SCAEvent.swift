package import WalletAuthWire

/// A payment consent on its way: what is challenged, what was proved, how often the person was wrong.
///
/// A value for each state and a function for each step, which answers with the event after it, or with why there is none.
/// Nothing is stored, sent or compared here; who writes a step writes it under the guard that the event is still the one that
/// the step began with.
///
/// ```
///              challenge            right, and complete        carried out
///   open ─────────────► challenged ───────────────► verified ───────────► used
///     ▲   ◄─────────────     │  wrong value: stays; the fifth ──► locked
///     │ right, incomplete    ▼
///     └───────────── taken back, from open, challenged and verified ──► cancelled
/// ```
package struct SCAEvent: Hashable, Sendable {
    /// Where it stands, apart from the time: see ``status(at:)``.
    package enum State: Hashable, Sendable {
        /// Nothing is challenged.
        case open
        /// One way is challenged, and can be answered.
        case challenged(Challenge)
        /// The person agreed.
        case verified(at: Timestamp)
        /// The operation was carried out.
        case used(at: Timestamp)
        /// Too many wrong values.
        case locked
        /// Its backend took the operation back, or the person refused it.
        case cancelled
    }

    /// A way that is challenged.
    package struct Challenge: Hashable, Sendable {
        /// The way.
        package var verification: SCAVerification
        /// Until when its code is good; nil where nothing was sent.
        package var codeExpiresAt: Timestamp?

        /// - Parameters:
        ///   - verification: the way.
        ///   - codeExpiresAt: until when its code is good.
        package init(_ verification: SCAVerification, codeExpiresAt: Timestamp? = nil) {
            self.verification = verification
            self.codeExpiresAt = codeExpiresAt
        }
    }

    /// A factor that was proved for this event.
    package struct Proof: Hashable, Sendable {
        /// The way.
        package var verification: SCAVerification
        /// What it is in `amr` (RFC 8176).
        package var methods: [String]
        /// When.
        package var at: Timestamp

        /// - Parameters:
        ///   - verification: the way.
        ///   - methods: what it is in `amr`.
        ///   - at: when.
        package init(_ verification: SCAVerification, methods: [String], at: Timestamp) {
            self.verification = verification
            self.methods = methods
            self.at = at
        }
    }

    /// Where it stands.
    package internal(set) var state: State
    /// What was proved, in order.
    package internal(set) var proofs: [Proof]
    /// How many tries are spent, those that are being compared among them.
    package internal(set) var spent: Int
    /// How many of them were found wrong.
    package internal(set) var wrong: Int
    /// How many codes were sent.
    package internal(set) var sends: Int
    /// When the last one was.
    package internal(set) var sentAt: Timestamp?
    /// Until when the person may agree; once they did, until when it may be carried out.
    package internal(set) var expiresAt: Timestamp
    /// How often a way was challenged.
    package internal(set) var challenges: Int
    /// When the last try was spent.
    package internal(set) var triedAt: Timestamp?

    /// An event that begins.
    /// - Parameter expiresAt: until when the person may agree.
    package init(expiresAt: Timestamp) {
        self.init(state: .open, proofs: [], spent: 0, wrong: 0, sends: 0, sentAt: nil, expiresAt: expiresAt)
    }

    /// The event of an operation that needs no consent: it may be carried out at once.
    /// - Parameter now: when that was decided.
    package init(exemptAt now: Timestamp) {
        self.init(
            state: .verified(at: now), proofs: [], spent: 0, wrong: 0, sends: 0, sentAt: nil,
            expiresAt: now + SCALimits.consentLifetime)
    }

    /// The event as it was kept. Each parameter is the property of its name.
    package init(
        state: State, proofs: [Proof], spent: Int, wrong: Int, sends: Int, sentAt: Timestamp?, expiresAt: Timestamp,
        challenges: Int = 0, triedAt: Timestamp? = nil
    ) {
        self.state = state
        self.proofs = proofs
        self.spent = spent
        self.wrong = wrong
        self.sends = sends
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.challenges = challenges
        self.triedAt = triedAt
    }

    /// How many wrong values it still bears.
    package var remainingAttempts: Int { max(0, SCALimits.tries - spent) }

    /// What was proved, as `amr` says it.
    package var methods: [String] { proofs.flatMap(\.methods) }
}

extension SCAEvent {
    /// Why nothing more can be done with an event.
    package enum End: Hashable, Sendable {
        /// Too many wrong values.
        case locked
        /// Its time is over.
        case expired
        /// Taken back or refused.
        case cancelled
        /// Carried out.
        case used
    }

    /// What the state and the time say together.
    package enum Status: Hashable, Sendable {
        /// The person may go on.
        case pending(Challenge?)
        /// The person agreed; it may be carried out.
        case verified(at: Timestamp)
        /// It is over.
        case over(End)
    }

    /// Where it stands at a time.
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

    /// Whether its time has begun and is not over.
    private func lives(at now: Timestamp) -> Bool {
        var beginning = expiresAt - SCALimits.eventLifetime
        if case .verified(let at) = state { beginning = at }
        return now < expiresAt && now >= beginning - SCALimits.clockTolerance
    }
}

// MARK: - Attempting

extension SCAEvent {
    /// What becomes of a value that came.
    package enum Reservation: Hashable, Sendable {
        /// The event with one try spent: the value may be compared. ``proving(_:beside:now:)`` gives the try back.
        case compare(SCAEvent)
        /// Another way, or none, is challenged: nothing is spent.
        case notChallenged
        /// The code is too old: nothing is spent.
        case codeExpired
        /// The person agreed already, for instance by the same value whose answer was lost: nothing is spent.
        case verified
        /// It is over.
        case over(End)
    }

    /// Spends a try before anything is compared: of a thousand values at once five are.
    /// - Parameters:
    ///   - verification: the way that the value is for.
    ///   - now: the present moment.
    package func reserving(_ verification: SCAVerification, now: Timestamp) -> Reservation {
        switch status(at: now) {
        case .over(let end): return .over(end)
        case .verified: return .verified
        case .pending(let challenge):
            guard let challenge, challenge.verification == verification else { return .notChallenged }
            if let end = challenge.codeExpiresAt, now >= end { return .codeExpired }
            // Five are being compared at this moment; what comes of them is not known yet.
            guard spent < SCALimits.tries else { return .over(.locked) }
            var next = self
            next.spent += 1
            next.triedAt = now
            return .compare(next)
        }
    }

    /// What becomes of a right value.
    package enum Proving: Hashable, Sendable {
        /// The person agreed: two categories, of which at least one was proved for this very operation.
        case verified(SCAEvent)
        /// Right, and a factor of another category is needed.
        case additionalFactorRequired(SCAEvent)
        /// Meanwhile something else was challenged, or the event ended: the value came too late and proves nothing.
        case late
    }

    /// Takes a right value, and gives its try back.
    /// - Parameters:
    ///   - proof: what was proved.
    ///   - methods: what the sign-in of the session proved, as `amr` says it; empty where that counts no more.
    ///   - now: the present moment.
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

    /// The event after a wrong value, whose try stays spent: the last one locks it. One that is still being compared may be
    /// right, and is waited for.
    package func failing() -> SCAEvent {
        switch state {
        case .open, .challenged:
            var next = self
            next.wrong += 1
            if next.wrong >= SCALimits.tries { next.state = .locked }
            return next
        case .verified, .used, .locked, .cancelled: return self
        }
    }

    /// The event after a value whose challenge was void when it had been compared: its try is given back.
    package func releasing() -> SCAEvent {
        var next = self
        next.spent = max(wrong, spent - 1)
        return next
    }

    /// The event locked, where no try is left although fewer values were found wrong: the comparison of the others died with its
    /// process, and they count as wrong. Nil while one of them may still be compared.
    /// - Parameter now: the present moment.
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
    /// What becomes of an attempt to carry the operation out.
    package enum Consuming: Hashable, Sendable {
        /// It may, once; the event after it.
        case authorized(SCAEvent)
        /// The person has not agreed.
        case notVerified
        /// It was carried out before.
        case alreadyUsed
        /// It is over for another reason.
        case over(End)
    }

    /// Uses the consent up.
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

    /// The event after its backend took it back, or the person refused; nil where it is over.
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
