internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The end of a registration: the account.
extension Registrations {
    struct Details: Sendable {
        var username: Username
        var credential: Credential
        var locale: LocaleTag?
        /// Recorded in the audit log.
        var acceptedTerms: String?
        /// The client through which the person came; `nil` for one that may not learn of them before they consent.
        var client: ClientID?
        var origin: RequestOrigin
    }

    /// What signs in to the new account.
    enum Credential: Sendable {
        case password(Password)
        case passkey(PasskeyRegistrationResponse, in: PasskeyPlace)
    }

    enum Finish: Sendable {
        /// By this request, or by an equal one whose response was lost.
        case made(AccountRecord)
        /// The registration made its account already, with another name, password or passkey.
        case madeOtherwise
        /// Taken, or easily taken for one that is.
        case nameTaken
        /// An address that is not the one that was proved, or text that cannot be shown.
        case nameUnusable
        /// The address got an account in the meantime.
        case addressTaken
        case passwordUnacceptable(PasswordRuleViolation)
        /// The passkey is not one that was created for this account here, or the brand takes none.
        case passkeyRefused
        /// Too many names were tried from this network. In seconds.
        case held(retryAfter: Int64)
        /// No capacity to hash. In seconds.
        case busy(retryAfter: Int64)
        /// The brand lets no one register any more.
        case off
        /// The code was entered too long ago, or never.
        case over
    }

    /// The wrong ends after the account was made: as many as wrong codes. The delay is longer than any session of a registration lasts.
    private static let repetitions = AttemptPolicy(
        free: WaitingRegistrations.mostTries, afterwards: .delay(first: .hours(1), longest: .hours(1)),
        forgottenAfter: .hours(1))

    /// Makes the account, or finds the one that an equal request made.
    func finish(_ begun: Begun, _ details: Details, now: Timestamp) async throws -> Finish {
        guard begun.isProved(now: now), let id = UniqueID(uuid: begun.account) else { return .over }
        guard begun.address.allows(details.username), ShownText.fault(in: details.username.rawValue) == nil else {
            return .nameUnusable
        }
        let (offer, made) = try await database.read { connection in
            (try self.offer(of: begun.brand, on: connection), try Accounts.find(id, on: connection))
        }
        if let made { return try await repeated(made, details, now: now) }
        guard let offer else { return .off }
        // A network that has to wait takes no hashing slot, and has no list of stolen passwords asked.
        let tries = try addresses.counters(of: details.origin, now: now)
        if let until = try await addresses.heldUntil(tries, now: now) {
            return .held(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
        switch details.credential {
        case .password(let password):
            let names = [details.username.typed, begun.address.text]
            if let fault = try await compromised.fault(in: password, names: names, now: now) {
                return .passwordUnacceptable(fault)
            }
            guard let slot = passwords.slot(for: claimant(details)) else {
                return .busy(retryAfter: PasswordHasher.retryAfter)
            }
            let hash = try await passwords.hash(password, in: slot)
            let account = try record(id, begun, details, hash: hash, now: now)
            return try await make(account, begun, details, countedBy: tries, now: now)
        case .passkey(let response, let place):
            guard offer.takesPasskeys, let passkey = try passkey(response, of: id, in: place, now: now) else {
                return .passkeyRefused
            }
            let account = try record(id, begun, details, hash: nil, now: now)
            do {
                return try await make(account, with: passkey, begun, details, countedBy: tries, now: now)
            } catch is PasskeyTaken { return .passkeyRefused }
        }
    }

    private func make(
        _ account: AccountRecord, with passkey: NewPasskey? = nil, _ begun: Begun, _ details: Details,
        countedBy tries: SharedCounters, now: Timestamp
    ) async throws -> Finish {
        let digests = try AccountDigests(of: account, names: [details.username], sealing: sealing)
        var entries = [try entry(for: account, begun, details, now: now)]
        if passkey != nil {
            entries.append(
                try auditLog.entry(
                    PasskeyEvent.added, account: account.id, client: details.client?.rawValue, origin: details.origin,
                    now: now))
        }
        let outcome = try await database.write { [entries] connection -> Finish? in
            if try Accounts.find(account.id, on: connection) != nil { return nil }
            guard let offer = try self.offer(of: begun.brand, on: connection) else { return .off }
            guard passkey == nil || offer.takesPasskeys else { return .passkeyRefused }
            if try begun.address.holder(in: begun.brand, sealing: sealing, now: now, on: connection) != nil {
                return .addressTaken
            }
            // Trying names reveals which exist, so the number of tries is limited.
            if case .refuse(let until) = try tries.reserve(now: now, on: connection) {
                return .held(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            let creation = try ChosenName.create(
                account, named: details.username, digests: digests, auditLog: auditLog, now: now, on: connection)
            guard creation == .created else {
                try tries.fail(on: connection)
                return .nameTaken
            }
            // A refusal undoes the whole write: no account is without a way in.
            try passkey?.keep(on: connection)
            for entry in entries { try entry.write(on: connection) }
            try tries.refund(on: connection)
            return .made(account)
        }
        if let outcome { return outcome }
        guard let made = try await database.read({ try Accounts.find(account.id, on: $0) }) else { return .over }
        return try await repeated(made, details, now: now)
    }

    /// An end that arrives once more signs in to the account that it made, while nothing has happened to it since.
    ///
    /// Wrong names and credentials are counted: the session of a registration must not be a way to guess at the password of its account.
    private func repeated(_ made: AccountRecord, _ details: Details, now: Timestamp) async throws -> Finish {
        guard made.state == .active, made.securityVersion == 1 else { return .over }
        var slot: PasswordHasher.Slot?
        if case .password = details.credential {
            slot = passwords.slot(for: claimant(details))
            guard slot != nil else { return .busy(retryAfter: PasswordHasher.retryAfter) }
        }
        let tries = Digests.keyed("registration-repeated", [made.id.uuid], key: try attempts)
        let reserved = try await database.write {
            try Attempts.reserve(tries, under: Self.repetitions, now: now, on: $0)
        }
        guard case .compare = reserved else { return .over }
        let names = try await database.read { try Accounts.names(of: made.id, on: $0) }
        let isRight =
            try await opens(details.credential, made, in: slot, now: now)
            && names.contains { (try? Username($0)) == details.username }
        try await database.write { connection in
            guard isRight else {
                try Attempts.fail(tries, on: connection)
                return
            }
            try Attempts.refund(tries, on: connection)
        }
        return isRight ? .made(made) : .madeOtherwise
    }

    private func opens(
        _ credential: Credential, _ made: AccountRecord, in slot: PasswordHasher.Slot?, now: Timestamp
    ) async throws -> Bool {
        switch credential {
        case .password(let password):
            guard let slot else { return false }
            let hash = AccountVault(sealing).open(made.password, .password, of: made.id)
            return try await passwords.verify(password, against: hash, in: slot)
        case .passkey(let response, let place):
            guard let passkey = try passkey(response, of: made.id, in: place, now: now)?.record else { return false }
            return try await database.read { try Passkeys.list(of: made.id, on: $0) }
                .contains { $0.credentialID == passkey.credentialID && $0.publicKey == passkey.publicKey }
        }
    }

    private func claimant(_ details: Details) -> PasswordSlots.Claimant {
        .untrusted(name: details.username.rawValue, networks: details.origin.networks)
    }

    private func record(
        _ id: UniqueID, _ begun: Begun, _ details: Details, hash: String?, now: Timestamp
    ) throws -> AccountRecord {
        let vault = AccountVault(sealing)
        var account = AccountRecord(
            id: id, brandID: begun.brand.rawValue, password: try hash.map { try vault.seal($0, .password, of: id) },
            passwordState: hash == nil ? .none : .current, passwordChangedAt: hash == nil ? nil : now,
            locale: details.locale?.rawValue, createdAt: now)
        switch begun.address {
        case .email(let email):
            account.email = try vault.seal(email.rawValue, .email, of: id)
            account.emailState = .verified
        case .phone(let number):
            var profile = PersonalProfile()
            profile.isPhoneVerified = true
            account.phone = try vault.seal(number, .phone, of: id)
            account.profile = try vault.seal(profile, of: id)
        }
        return account
    }

    private func entry(
        for account: AccountRecord, _ begun: Begun, _ details: Details, now: Timestamp
    ) throws -> AuditLog.Entry {
        var properties = ["registration": begun.address.digestKind.rawValue]
        if let terms = details.acceptedTerms { properties["accepted_terms"] = terms }
        // A number gets none: each SMS costs money, and anyone reads a name on a lock screen.
        let message: RegistrationMessage? = account.email == nil ? nil : .made
        return try auditLog.entry(
            AccountEvent.created, account: account.id, client: details.client?.rawValue, origin: details.origin,
            appProperties: properties, now: now, message: message)
    }
}

/// A newcomer who has just made an account has proved its address by the code, and its password or passkey by setting it.
struct RegistrationMethod: SignInMethod {
    let account: AccountRecord
    let registration: Registrations.Begun

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion,
            amr: credential + [registration.address.factor.authenticationMethod], authTime: attempt.now)
        var proof = try await attempt.proof(of: account.id, factors)
        proof.grantID = UniqueID(uuid: registration.grant)?.bytes
        return .proved(proof)
    }

    private var credential: [String] {
        account.password == nil ? AuthenticationStrength.passkey : [AuthenticationStrength.password]
    }
}
