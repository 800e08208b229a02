internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Limits codes to addresses and numbers that are not proved yet: a newcomer's, and the new one of a holder.
///
/// One by SMS costs the operator money, and rings a phone that may be a stranger's. So both kinds are counted together by number, and by the
/// network that asks, where registrations by e-mail count as well. In a brand they are counted apart: newcomers are strangers, and must not
/// use up what its holders need to change their numbers.
struct UnprovedAddressLimits: Sendable {
    let limits: CodeLimits
    let lockout: LockoutPolicy
    let key: DataKey

    /// Codes to one address from all networks together. With five guesses for each code, an attacker makes some two hundred guesses a
    /// day at a hundred million values.
    private static let toAddress = AttemptPolicy(
        free: 10, afterwards: .delay(first: .minutes(5), longest: .hours(1)), forgottenAfter: .hours(24))
    /// Codes to one number, in all brands and for all accounts.
    private static let toNumber = AttemptPolicy(
        free: 5, afterwards: .delay(first: .hours(1), longest: .hours(1)), forgottenAfter: .hours(1),
        since: .firstGuess)
    /// Codes by SMS to the newcomers of one brand, far below those by e-mail, which cost nothing, and as many to its holders.
    private static let ofBrand = AttemptPolicy(
        free: 100, afterwards: .delay(first: .seconds(30), longest: .minutes(5)), forgottenAfter: .hours(1),
        since: .firstGuess)

    /// Of everyone who asks from a network for a code to a new address or number.
    func network(of origin: RequestOrigin, now: Timestamp) -> SharedCounters {
        SharedCounters(
            "registration-address", of: origin, under: limits.applied(to: lockout.recoveries(at: origin.address)),
            key: key, now: now)
    }

    func address(_ address: RegistrationAddress, in brand: String) -> AttemptLimit {
        AttemptLimit(
            Digests.keyed("registration-to", [brand, address.counted], key: key),
            under: limits.applied(to: Self.toAddress))
    }

    /// Charges one code to the new e-mail address of a holder: several accounts must not send a mailbox more than newcomers may.
    /// Returns a refusal if there were too many.
    func charge(
        _ email: EmailAddress, of call: any FactorCaller, on connection: any SQLConnection
    ) throws -> FactorRefusal? {
        switch try Attempts.count([address(.email(email), in: call.account.brandID)], now: call.now, on: connection) {
        case .compare: nil
        case .refuse(let until): .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: call.now))
        }
    }

    func number(_ number: String) -> AttemptLimit {
        AttemptLimit(Digests.keyed("phone-codes-to", [number], key: key), under: limits.applied(to: Self.toNumber))
    }

    func newcomers(of brand: String) -> AttemptLimit { limit("phone-codes-of", brand) }

    private func holders(of brand: String) -> AttemptLimit { limit("phone-codes-of-holders", brand) }

    private func limit(_ label: String, _ brand: String) -> AttemptLimit {
        AttemptLimit(Digests.keyed(label, [brand], key: key), under: limits.applied(to: Self.ofBrand))
    }

    /// Charges one code to the new number of a holder, under all limits or none. Returns a refusal if there were too many.
    func charge(
        _ number: String, of call: any FactorCaller, on connection: any SQLConnection
    ) throws -> FactorRefusal? {
        let network = network(of: call.origin, now: call.now)
        let shared = [self.number(number), holders(of: call.account.brandID)]
        let held = [
            try network.heldUntil(now: call.now, on: connection),
            try Attempts.heldUntil(shared, now: call.now, on: connection),
        ].compactMap(\.self).max()
        if let held { return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: held, now: call.now)) }
        _ = try network.count(now: call.now, on: connection)
        _ = try Attempts.count(shared, now: call.now, on: connection)
        return nil
    }
}
