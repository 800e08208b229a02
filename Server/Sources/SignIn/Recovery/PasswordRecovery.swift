internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A code to the confirmed mailbox of a person who has lost the password: sent, sent again, verified.
///
/// This folder owns recovery up to the new password. It does not own the second factor that a recovery also needs, nor the gate.
///
/// The response, the queries and the writes do not depend on whether the name exists: a row, a code, and a message, which for an unknown
/// name goes nowhere, and which names the way to sign in if an account has no password. Each recovery has its own code, so that another
/// person's recovery neither voids nor uses up the holder's. The message limits are separate for known devices, so that others cannot
/// block the holder's phone.
struct PasswordRecovery: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let random: any RandomBytes
    let vault: AccountVault
    let auditLog: AuditLog
    let lockout: LockoutPolicy
    let limits: CodeLimits
    /// The relying party of passkeys; `nil` if there are none.
    let party: PasskeyRelyingParty?

    static let digits = WaitingCodes.digits
    static let lifetime = WaitingCodes.lifetime
    /// The time from the start to the correct code.
    static let patience = Duration.minutes(15)
    /// The time between two codes.
    static let interval = Duration.seconds(30)

    /// The messages sent without delay, and the delays after them. With five guesses for each code, an attacker makes some two hundred
    /// guesses a day at a hundred million values.
    private static let sending = AttemptPolicy(
        free: 3, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))
    /// The same limit for all unknown devices together, from any network.
    private static let sendingToAll = AttemptPolicy(
        free: 10, afterwards: .delay(first: .minutes(5), longest: .hours(1)), forgottenAfter: .hours(24))
    /// The recoveries started on one known device. Those of others are limited by network (``NetworkLimits/recoveries``).
    private static let asking = AttemptPolicy(
        free: 20, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))

    enum Beginning: Sendable {
        /// A code was sent if the account exists and can be reached.
        case begun(UniqueID, RecoveryPrompt)
        /// Too many were started on this known device; in seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// Too many were started from this network; in seconds.
        case networkHeld(retryAfter: Int64)
    }

    enum Outcome: Sendable {
        /// The code was correct, and is used up.
        case proved(AccountRecord)
        /// Wrong or expired.
        case wrong(isLast: Bool)
        /// No attempt is left, or the recovery has ended.
        case over
    }

    /// Starts a recovery.
    /// - Parameters:
    ///   - username: as typed, then mapped; or an e-mail address, as at a sign-in.
    ///   - device: the evidence in the request that the device is known.
    ///   - form: the page's form. Posted again, it sends no second code; `nil` for an app.
    func begin(
        _ username: Username, brand: BrandID, device: PasswordVerification.Device, origin: RequestOrigin,
        now: Timestamp, form: SubmittedForm? = nil
    ) async throws -> Beginning {
        let subject = Array("\(brand.rawValue)\0\(username.rawValue)".utf8)
        let known = form?.id(of: "recovery-of-form", for: subject)
        if let known, let begun = try await database.read({ try Recoveries.find(known, now: now, on: $0) }) {
            return .begun(known, Self.prompt(begun, sent: false, now: now))
        }
        let network = try SharedCounters(
            "recovery-address", of: origin, under: limits.applied(to: lockout.recoveries(at: origin.address)),
            key: attempts, now: now)
        // Before the account is looked up: how long a held request takes must not tell whether there is one.
        let held = try await database.read { connection -> Timestamp? in
            guard let until = try network.heldUntil(now: now, on: connection) else { return nil }
            let mayBeKnown = try device.mayBeKnown(
                to: username, brand: brand, sealing: vault.sealing, now: now, on: connection)
            return mayBeKnown ? nil : until
        }
        if let held { return .networkHeld(retryAfter: RetryAfter.seconds(until: held, now: now)) }
        let unknown = try random.uniqueID()
        let (found, isKnown, help) = try await database.read { connection in
            let typed = try Accounts.search(
                typed: username, brand: brand, sealing: vault.sealing, now: now, on: connection)
            let account = typed.account ?? typed.sharing
            // The timing must not reveal whether the name exists: the same queries without an account, for an id that none has.
            let id = account?.id ?? unknown
            let help = Self.help(for: account, ways: try ways(to: id, on: connection))
            return (
                account, try Self.knows(device, account, id, now: now, on: connection),
                typed.sharing == nil ? help : .names
            )
        }
        let person =
            if let found {
                try Self.messageCounter(of: found.id, key: attempts)
            } else {
                try Digests.keyed("recovery", [brand.rawValue, username.rawValue], key: attempts)
            }
        // These messages all go to one person, so counting them by the largest network costs no one else anything.
        let place = isKnown ? device.name : origin.networks.map(\.name).last ?? ""
        let budget = try Digests.keyed(
            isKnown ? "recovery-device" : "recovery-place", [Base64URL.encode(person), place], key: attempts)
        let account = help == .nothing ? nil : found
        let begun =
            if isKnown {
                try SharedCounters(
                    Digests.keyed("recovery-begun", [Base64URL.encode(budget)], key: attempts),
                    under: limits.applied(to: Self.asking))
            } else {
                network
            }
        let id = try known ?? random.uniqueID()
        let (code, kept) = try codes.make(for: id, now: now)
        let opened = RecoveryRecord(
            // An address that several accounts have recovers none of them.
            id: id, accountID: help == .names ? nil : account?.id, budget: budget, ceiling: isKnown ? nil : person,
            securityVersion: account?.securityVersion ?? 0, code: kept, sentAt: now, expiresAt: now + Self.patience)
        let message = try message(code, help, to: account, now: now)
        return try await database.write { connection in
            if case .refuse(let until) = try begun.count(now: now, on: connection) {
                let seconds = RetryAfter.seconds(until: until, now: now)
                return isKnown ? .tooManyAttempts(retryAfter: seconds) : .networkHeld(retryAfter: seconds)
            }
            var recovery = opened
            let isSent = try maySend(recovery, now: now, on: connection)
            // A code that was not sent must not be guessable: the limit of messages is also the limit of guesses.
            if !isSent || help != .code { recovery.code.expiresAt = now }
            if known != nil { try Recoveries.removeExpired(id, now: now, on: connection) }
            let isNew = try Recoveries.open(recovery, on: connection)
            if isNew, isSent { try message.write(on: connection) }
            // The same for every name, whether a message was sent or held back.
            return .begun(id, Self.prompt(recovery, sent: true, now: now))
        }
    }

    /// Sends another code if the limits allow it; otherwise the previous one stays valid.
    /// - Returns: a response that does not depend on the account; `nil` if the recovery has ended.
    func resend(_ id: UniqueID, now: Timestamp) async throws -> RecoveryPrompt? {
        let unknown = try random.uniqueID()
        let (found, account, help) = try await database.read { connection in
            let found = try Recoveries.find(id, now: now, on: connection)
            let holder = found?.accountID ?? unknown
            let account = try Accounts.find(holder, on: connection)
            return (
                found, account, Self.help(for: account, ways: try ways(to: holder, on: connection))
            )
        }
        guard found != nil else { return nil }
        let (code, made) = try codes.make(for: id, now: now)
        var kept = made
        if help != .code { kept.expiresAt = now }
        let message = try message(code, help, to: account, now: now)
        return try await database.write { [kept] connection -> RecoveryPrompt? in
            guard let found = try Recoveries.find(id, now: now, on: connection) else { return nil }
            let earliest = now - Self.interval
            guard found.sends < Recoveries.mostSends, found.sentAt <= earliest else {
                return Self.prompt(found, sent: false, now: now)
            }
            let maySend = try maySend(found, now: now, on: connection)
            guard
                try Recoveries.send(
                    id, maySend ? kept : nil, unlessSentAfter: earliest, now: now, on: connection)
            else { return Self.prompt(found, sent: false, now: now) }
            if maySend { try message.write(on: connection) }
            return try Recoveries.find(id, now: now, on: connection).map { Self.prompt($0, sent: true, now: now) }
        }
    }

    /// Verifies a code: charges one attempt first, compares once, and has one winner.
    func answer(
        _ typed: OneTimeCode, for id: UniqueID, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        // Input that cannot be a code is not compared and costs no attempt.
        guard TypedCode.isPossible(typed.reveal(), digits: Self.digits) else {
            let open = try await database.read { try Recoveries.find(id, now: now, on: $0) }
            return open == nil ? .over : .wrong(isLast: false)
        }
        let reserved = try await database.write { try Recoveries.reserveTry(id, now: now, on: $0) }
        guard let recovery = reserved else { return .over }
        let isRight =
            codes.isRight(typed.reveal(), kept: recovery.code, for: recovery.id, now: now)
            && recovery.accountID != nil
        let isLast = recovery.tries >= Recoveries.mostTries
        guard isRight || isLast else { return .wrong(isLast: false) }
        let entry = try recovery.accountID.map {
            try auditLog.entry(isRight ? RecoveryEvent.proved : .failed, account: $0, origin: origin, now: now)
        }
        return try await database.write { connection in
            guard try Recoveries.end(id, mac: recovery.code.mac, on: connection) else {
                return isRight ? .over : .wrong(isLast: isLast)
            }
            // The timing must not reveal whether the name exists.
            guard let entry else {
                try Attempts.touch(recovery.budget, on: connection)
                return .wrong(isLast: isLast)
            }
            guard isRight else {
                try entry.write(on: connection)
                return .wrong(isLast: isLast)
            }
            let account = try recovery.accountID.flatMap { try Accounts.find($0, on: connection) }
            // A password change voids codes that were sent before it.
            guard let account, account.securityVersion == recovery.securityVersion,
                Self.help(for: account, ways: try ways(to: account.id, on: connection)) == .code
            else { return .over }
            try entry.write(on: connection)
            return .proved(account)
        }
    }

    /// The counter of the messages to an account that all unknown devices share.
    static func messageCounter(of account: UniqueID, key: DataKey) -> [UInt8] {
        Digests.keyed("recovery", [account.uuid], key: key)
    }

    private func ways(to account: UniqueID, on connection: any SQLConnection) throws -> RecoveryWays {
        try RecoveryWays.find(of: account, at: party, on: connection)
    }

    private var attempts: DataKey { get throws { try keyRing.active(.attempts) } }

    /// Charges the message limits of a recovery, and returns whether a message may be sent. One that is not sent uses
    /// up neither the limit of its network nor the one that all networks share.
    private func maySend(
        _ recovery: RecoveryRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        var counted = [AttemptLimit(recovery.budget, under: limits.applied(to: Self.sending))]
        if let ceiling = recovery.ceiling {
            counted.append(AttemptLimit(ceiling, under: limits.applied(to: Self.sendingToAll)))
        }
        guard case .compare = try Attempts.count(counted, now: now, on: connection) else { return false }
        return true
    }

    /// What the mailbox of an account gets.
    private enum Help: Sendable, Hashable {
        case code
        /// There is no password: the names of the providers that the account signs in with.
        case providers
        /// There is no password, and a passkey alone signs in.
        case passkey
        /// Several accounts confirmed the address: their user names.
        case names
        case nothing
    }

    /// Whether a code can be sent to the account's holder and would help. Phone numbers are never confirmed and prove nothing, so a
    /// code goes only to a confirmed e-mail address. An account without a password signs in through a provider, which a mailbox must
    /// not replace, unless the provider said that the person's account there is gone.
    private static func help(for account: AccountRecord?, ways: RecoveryWays) -> Help {
        guard let account, account.state != .erased, account.emailState == .verified else { return .nothing }
        if account.password != nil || ways.isUnreachable { return .code }
        return ways.hasProvider ? .providers : ways.hasPasskey ? .passkey : .nothing
    }

    /// - Parameter id: the account's, or one that no account has.
    private static func knows(
        _ device: PasswordVerification.Device, _ account: AccountRecord?, _ id: UniqueID, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        switch device {
        case .key(let thumbprint, let client): try Devices.links(thumbprint, by: client, to: id, on: connection)
        case .enrolled(let enrolled): enrolled.accountID == id
        case .cookie(let cookie): account.flatMap { cookie?.knows($0, now: now) } ?? false
        case .backend: false
        }
    }

    private func message(
        _ code: String, _ help: Help, to account: AccountRecord?, now: Timestamp
    ) throws -> AuditLog.Entry {
        let email = account.flatMap { vault.email(of: $0) }
        let message: RecoveryMessage =
            if help == .providers, email != nil {
                .noPassword
            } else if help == .passkey, email != nil {
                .byPasskey
            } else if help == .names, email != nil {
                .sharedAddress
            } else {
                .code(code, help == .code && email != nil ? .email : .none)
            }
        return try auditLog.entry(message, account: account?.id, email: email, now: now)
    }

    /// - Parameter sent: whether this step sends codes. It does not say whether a message was sent, which would reveal whether the name
    ///   exists.
    private static func prompt(_ recovery: RecoveryRecord, sent: Bool, now: Timestamp) -> RecoveryPrompt {
        let wait = max(1, (recovery.sentAt + interval - now).wholeSeconds)
        return RecoveryPrompt(
            digits: Int64(digits), resendAfter: recovery.sends < Recoveries.mostSends ? wait : nil,
            expiresIn: lifetime.wholeSeconds, sent: sent)
    }

    private var codes: WaitingCodes { WaitingCodes(purpose: "recovery", keyRing: keyRing, random: random) }
}

/// The code that a recovery sent to the mailbox. Like for any other sign-in, the gate asks for what is missing.
struct RecoveryCodeMethod: SignInMethod {
    let code: OneTimeCode
    let recovery: UniqueID
    /// The enrolled device whose key was proved at the start of the recovery.
    var device: UniqueID?

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let answered = try await attempt.checks.recoveries.answer(
            code, for: recovery, origin: attempt.intent.origin, now: attempt.now)
        switch answered {
        case .over: return .refused(.over)
        case .wrong(let isLast): return .refused(.wrongRecoveryCode(isLast: isLast))
        case .proved(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [FactorKind.email.authenticationMethod],
                authTime: attempt.now, recovery: .mailbox)
            let proved = try await attempt.database.read { connection in
                try device.flatMap { try Devices.find($0, on: connection) }
            }
            return .proved(try await attempt.proof(of: account.id, factors, on: proved))
        }
    }
}
