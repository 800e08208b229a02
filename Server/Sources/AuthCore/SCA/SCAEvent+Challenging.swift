package import WalletAuthWire

extension SCAEvent {
    /// What becomes of a request for a challenge.
    package enum Challenging: Hashable, Sendable {
        /// The event with the way challenged; what was challenged before is void. A code has to be sent where the way sends one.
        case challenged(SCAEvent)
        /// The same way was challenged a moment ago and its code is under way: nothing changes, and another can be sent then.
        case sentAlready(Challenge, next: Timestamp)
        /// A code was sent a moment ago, and another way is challenged since: nothing changes, and one can be sent then.
        case tooSoon(next: Timestamp)
        /// No code can be sent any more: nothing changes.
        case noCodeLeft
        /// No way can be challenged any more: what is challenged stays so.
        case noChallengeLeft
        /// The person agreed already: nothing is left to challenge.
        case verified
        /// It is over.
        case over(End)
    }

    /// Challenges a way, or has its code sent once more. Wrong values stay counted.
    ///
    /// Codes keep their distance whatever is challenged between them: another channel, or a way that sends none, would otherwise
    /// be a way around it.
    /// - Parameters:
    ///   - verification: one of those that this person has.
    ///   - now: the present moment.
    package func challenging(_ verification: SCAVerification, now: Timestamp) -> Challenging {
        let present: Challenge?
        switch status(at: now) {
        case .over(let end): return .over(end)
        case .verified: return .verified
        case .pending(let challenge): present = challenge
        }
        if verification.sendsCode {
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
        guard verification.sendsCode else {
            next.state = .challenged(Challenge(verification))
            return .challenged(next)
        }
        next.sends += 1
        next.sentAt = now
        let end = min(now + SCALimits.codeLifetime, expiresAt)
        next.state = .challenged(Challenge(verification, codeExpiresAt: end))
        return .challenged(next)
    }
}

extension SCAVerification {
    /// Whether a code is sent for it.
    package var sendsCode: Bool { channel == .sms || channel == .email }
}
