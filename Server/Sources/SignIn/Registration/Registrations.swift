internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A newcomer makes an account by oneself: an address, the code that was sent there, and then a user name and a
/// password or a passkey.
///
/// This folder owns the way to the new account. It does not own the gate, which the new account passes like any other, nor accounts for
/// people whom a provider vouches for (`Federation`), nor what finds the account that has an address (``AccountDigests``).
///
/// Nothing exists before the code is right. Until then the response, the queries, the writes and the number of messages do not depend on
/// whether the address has an account: a row, a code, and one message. That of an address with an account says so to its holder, and no
/// code is right. Only who has proved the address learns which names are taken.
struct Registrations: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    let lockout: LockoutPolicy
    let limits: CodeLimits
    /// Channels that nothing delivers.
    let undeliverable: Set<FactorKind>
    let addresses: AddressAttempts
    let passwords: PasswordHasher
    let compromised: CompromisedPasswords
    let passkeys: PasskeyAuthentication

    /// The time from the start to the right code, and from there to the end.
    static let patience = Duration.minutes(15)

    /// One message immediately, another after 30 seconds, then a minute, two …: to one address, asked for from one network.
    private static let sending = AttemptPolicy(
        free: 1, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))
    /// Messages to the newcomers of one brand: beyond it one after each delay, so that a flood neither ends all registrations nor makes
    /// a thousand accounts or paid messages more.
    private static let ofBrand = AttemptPolicy(
        free: 1000, afterwards: .delay(first: .seconds(1), longest: .seconds(30)), forgottenAfter: .hours(1),
        since: .firstGuess)

    /// A registration that has begun, sealed until its next step.
    struct Begun: Codable, Sendable {
        /// Names the row that waits for the code.
        var id: String
        /// The id that the account gets: an end that arrives twice makes one account.
        var account: String
        var address: RegistrationAddress
        var brand: BrandID
        /// The id shared by all codes that the end leads to; one of them opens a session.
        var grant: String
        /// When the code was entered; `nil` before.
        var provenAt: Timestamp?
        /// Whether a message was sent for it. A code from before works only in the registration that it was sent for.
        var hasCode = true

        /// Whether the code was entered, and not too long ago.
        func isProved(now: Timestamp) -> Bool {
            provenAt.map { now < $0 + Registrations.patience } ?? false
        }
    }

    enum Beginning: Sendable {
        case begun(Begun, sent: Bool, resendAfter: Int64)
        /// The brand lets no one register.
        case off
        /// Nothing delivers messages to phones.
        case phonesNotTaken
        /// Too many were begun from this network, or in this brand. In seconds.
        case held(retryAfter: Int64)
    }

    enum Confirmation: Sendable {
        case proved(Begun)
        case wrong
        /// No attempt is left, or the registration has ended.
        case over
    }

    private var keyRing: KeyRing { sealing.keyRing }
    var attempts: DataKey { get throws { try keyRing.active(.attempts) } }
    private var codes: WaitingCodes {
        WaitingCodes(purpose: "registration", keyRing: keyRing, random: sealing.random)
    }

    // MARK: - The brand

    /// What newcomers of a brand find; `nil` if it lets no one register.
    func offer(of brand: BrandID) async throws -> Offer? {
        try await database.read { try offer(of: brand, on: $0) }
    }

    struct Offer: Sendable, Hashable {
        var termsURL: String?
        /// Whether a phone number will do.
        var takesPhones: Bool
        /// Whether a passkey in place of a password will do.
        var takesPasskeys: Bool
    }

    func offer(of brand: BrandID, on connection: any SQLConnection) throws -> Offer? {
        let profile = try Brands.find(brand.rawValue, on: connection).map { try BrandProfile(json: $0.settings) }
        guard let profile, profile.registration ?? false else { return nil }
        return Offer(
            termsURL: profile.termsURL, takesPhones: !undeliverable.contains(.sms),
            takesPasskeys: profile.registersByPasskey == true && passkeys.party != nil)
    }

    // MARK: - The address

    /// Sends a message to an address, unless one was sent recently.
    /// - Parameter form: the page's form. Posted again, it sends no second message; `nil` for an app.
    func begin(
        _ address: RegistrationAddress, brand: BrandID, origin: RequestOrigin, now: Timestamp,
        form: SubmittedForm? = nil
    ) async throws -> Beginning {
        let counted = try counters(of: address, brand: brand, origin: origin, now: now)
        let (offer, isHeld, holder) = try await database.read { connection in
            let offer = try self.offer(of: brand, on: connection)
            // Before the address is looked up: the time that this takes could be measured without end otherwise.
            let isHeld = try counted.isHeld(now: now, on: connection)
            let holder =
                offer == nil || isHeld
                ? nil : try address.holder(in: brand, sealing: sealing, now: now, on: connection)
            return (offer, isHeld, holder)
        }
        guard let offer else { return .off }
        if case .phone = address, !offer.takesPhones { return .phonesNotTaken }
        let subject = Array("\(brand.rawValue)\0\(address.compared)".utf8)
        let (known, account) = (
            form?.id(of: "registration-of-form", for: subject), form?.id(of: "registered-by-form", for: subject)
        )
        let id = try known ?? sealing.random.uniqueID()
        let begun = Begun(
            id: id.uuid, account: try (account ?? sealing.random.uniqueID()).uuid, address: address, brand: brand,
            grant: try (form?.id(of: "registration-grant", for: subject) ?? sealing.random.uniqueID()).uuid)
        if known != nil, try await database.read({ try WaitingRegistrations.exists(id, now: now, on: $0) }) {
            return .begun(begun, sent: true, resendAfter: Self.sending.firstDelay)
        }
        let (code, made) = try codes.make(for: id, now: now)
        let message = try message(code, to: address, brand: brand, holder: holder, now: now)
        let held = try auditLog.administration(
            RegistrationEvent.held, details: JSONObject(strings: ["brand": brand.rawValue]), now: now)
        let mark = Digests.of("registration-held", Array(brand.rawValue.utf8))
        return try await database.write { connection -> Beginning in
            if let until = try counted.network.heldUntil(now: now, on: connection) {
                return .held(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            if let until = try Attempts.heldUntil(counted.brand, now: now, on: connection) {
                if try SeenJTIs.remember(mark, until: now + .hours(1), on: connection) {
                    try held.write(on: connection)
                }
                return .held(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            // The limits have ended since they were read, but the address was not looked up.
            if isHeld { return .held(retryAfter: 1) }
            _ = try counted.network.count(now: now, on: connection)
            var kept = made
            let isSent: Bool
            let next: Timestamp
            switch try Attempts.count(counted.address, now: now, on: connection) {
            case .compare:
                isSent = true
                next = try Attempts.heldUntil(counted.address, now: now, on: connection) ?? now
                _ = try Attempts.count(counted.brand, now: now, on: connection)
            case .refuse(let until):
                isSent = false
                next = until ?? now
            }
            // A code that was not sent must not be guessable: the limit of messages is also the limit of guesses.
            if !isSent || holder != nil { kept.expiresAt = now }
            let row = WaitingRegistration(id: id, code: kept, expiresAt: now + Self.patience)
            if known != nil { try WaitingRegistrations.removeExpired(id, now: now, on: connection) }
            if try WaitingRegistrations.open(row, on: connection), isSent { try message.write(on: connection) }
            return .begun(begun, sent: isSent, resendAfter: RetryAfter.seconds(until: next, now: now))
        }
    }

    /// One message, whichever it is.
    private func message(
        _ code: String, to address: RegistrationAddress, brand: BrandID, holder: AccountRecord?, now: Timestamp
    ) throws -> AuditLog.Entry {
        guard let holder else {
            return try auditLog.entry(
                RegistrationMessage.code(code, address, brand), account: nil, email: address.text, now: now)
        }
        // It goes to the account's own address, as its holder wrote it, and is read there with the names that it has then.
        return try auditLog.entry(RegistrationMessage.existing(address), account: holder.id, email: nil, now: now)
    }

    /// What a message counts under.
    private struct Counters: Sendable {
        let network: SharedCounters
        let brand: [AttemptLimit]
        let address: [AttemptLimit]

        /// Whether there is no message for anyone at the moment, whatever the address.
        func isHeld(now: Timestamp, on connection: any SQLConnection) throws -> Bool {
            if try network.heldUntil(now: now, on: connection) != nil { return true }
            return try Attempts.heldUntil(brand, now: now, on: connection) != nil
        }
    }

    private func counters(
        of address: RegistrationAddress, brand: BrandID, origin: RequestOrigin, now: Timestamp
    ) throws -> Counters {
        let key = try attempts
        let unproved = UnprovedAddressLimits(limits: limits, lockout: lockout, key: key)
        let whole = unproved.address(address, in: brand.rawValue)
        let place = Digests.keyed(
            "registration-from", [Base64URL.encode(whole.subject), origin.networks.map(\.name).last ?? ""], key: key)
        var ofBrand = [
            AttemptLimit(
                Digests.keyed("registration-brand", [brand.rawValue], key: key),
                under: limits.applied(to: Self.ofBrand))
        ]
        var ofAddress = [
            AttemptLimit(place, under: limits.applied(to: Self.sending)), whole,
        ]
        if case .phone(let number) = address {
            ofBrand.append(unproved.newcomers(of: brand.rawValue))
            ofAddress.append(unproved.number(number))
        }
        return Counters(network: unproved.network(of: origin, now: now), brand: ofBrand, address: ofAddress)
    }

    // MARK: - The code

    /// Verifies a code: charges one attempt first, and compares once. A right code is right again until it expires, so that a lost response
    /// costs nothing: it leads to the same account.
    func confirm(_ typed: OneTimeCode?, of begun: Begun, now: Timestamp) async throws -> Confirmation {
        guard let id = UniqueID(uuid: begun.id) else { return .over }
        // Input that cannot be a code is not compared and costs no attempt.
        guard let typed, TypedCode.isPossible(typed.reveal(), digits: WaitingCodes.digits) else {
            return try await database.read { try WaitingRegistrations.exists(id, now: now, on: $0) } ? .wrong : .over
        }
        let reserved = try await database.write { try WaitingRegistrations.reserveTry(id, now: now, on: $0) }
        guard let waiting = reserved else { return .over }
        guard codes.isRight(typed.reveal(), kept: waiting.code, for: waiting.id, now: now) else {
            return waiting.tries >= WaitingRegistrations.mostTries ? .over : .wrong
        }
        var proved = begun
        proved.provenAt = now
        return .proved(proved)
    }
}

extension AttemptPolicy {
    /// In seconds; 0 for a limit that locks.
    fileprivate var firstDelay: Int64 {
        if case .delay(let first, _) = afterwards { first.wholeSeconds } else { 0 }
    }
}
