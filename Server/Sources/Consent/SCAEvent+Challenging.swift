package import Core
internal import Kernel
package import WalletAuthWire

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
    package var sendsCode: Bool { channel == .sms || channel == .email }
}
