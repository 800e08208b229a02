internal import AuthCore
internal import AuthStore
internal import Crypto
internal import WalletAuthWire

/// A code to the confirmed mailbox of somebody who cannot give the password: sent, sent again, compared.
///
/// Whoever asks is told the same, and the same is written, whether somebody has the name or not: a row, a code, and a message
/// that goes nowhere where there is nobody to go to. Each recovery has a code of its own, so that a stranger's neither voids
/// nor uses up the holder's; and what bounds the messages is counted apart for devices that the account knows, so that a
/// stranger's do not stand in the way of the holder's phone.
struct PasswordRecovery: Sendable {
    let context: ServerContext
    let origin: RequestOrigin
    let now: Timestamp

    /// How many digits a code has: it is the only thing that is asked for first, so a hundred times as many as a second
    /// factor's.
    static let digits = 8
    /// How long a code is good.
    static let lifetime = Duration.minutes(10)
    /// How long the whole may take, up to the right code.
    static let patience = Duration.minutes(15)
    /// How long before the next code may be sent.
    static let interval = Duration.seconds(30)

    /// Messages that are sent without waiting, and the waits after them. With five guesses at each code, whoever asks without
    /// end makes some two hundred guesses a day at a hundred million codes.
    private static let sending = AttemptPolicy(
        free: 3, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))
    /// The same of all devices that the account does not know together, from whichever networks.
    private static let sendingToAll = AttemptPolicy(
        free: 10, afterwards: .delay(first: .minutes(5), longest: .hours(1)), forgottenAfter: .hours(24))
    /// Recoveries begun from one network, of whomever, or on one device that the account knows.
    private static let asking = AttemptPolicy(
        free: 20, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))

    /// What came of beginning.
    enum Beginning: Sendable {
        /// A code is on its way, if there is somebody to send it to.
        case begun(UniqueID, RecoveryPrompt)
        /// Too many were begun from this address; seconds.
        case tooManyAttempts(retryAfter: Int64)
    }

    /// What came of an answer.
    enum Outcome: Sendable {
        /// The code was right; it is spent.
        case proved(AccountRecord)
        /// Wrong or too old.
        case wrong(isLast: Bool)
        /// No try is left, or the recovery is over.
        case over
    }

    /// Begins a recovery.
    /// - Parameters:
    ///   - username: as typed, mapped.
    ///   - brand: whose accounts are meant.
    ///   - device: what the request brought.
    func begin(
        _ username: Username, brand: BrandID, device: PasswordVerification.Device
    ) async throws -> Beginning {
        let (found, isKnown, isReachable) = try await context.database.read { connection in
            let account = try Accounts.find(named: username.rawValue, brand: brand.rawValue, on: connection)
            return (
                account, try account.map { try Self.knows(device, $0, now: now, on: connection) } ?? false,
                try account.map { try Self.isReachable($0, on: connection) } ?? false
            )
        }
        let network = PasswordVerification.network(of: origin.address)
        let address = try Digests.keyed("recovery-address", [network], key: attempts)
        let person = try Digests.keyed(
            "recovery", found.map { [$0.id.uuid] } ?? [brand.rawValue, username.rawValue], key: attempts)
        let place = isKnown ? device.name : network
        let budget = try Digests.keyed(
            isKnown ? "recovery-device" : "recovery-place", [Base64URL.encode(person), place], key: attempts)
        let account = isReachable ? found : nil
        let begun = try isKnown ? Digests.keyed("recovery-begun", [Base64URL.encode(budget)], key: attempts) : address
        let id = try context.randomID()
        let (code, kept) = try makeCode(for: id)
        let opened = RecoveryRecord(
            id: id, accountID: account?.id, budget: budget, ceiling: isKnown ? nil : person,
            securityVersion: account?.securityVersion ?? 0, code: kept, sentAt: now, expiresAt: now + Self.patience)
        let message = try message(code, to: account)
        return try await context.database.write { connection in
            if case .refuse(let until) = try Attempts.count(begun, under: Self.asking, now: now, on: connection) {
                return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            var recovery = opened
            let isSent = try maySend(recovery, on: connection)
            // A code that nobody was sent must not be there to be guessed: what bounds the messages bounds the guesses.
            if !isSent { recovery.code.expiresAt = now }
            try Recoveries.open(recovery, on: connection)
            if isSent { try message.write(on: connection) }
            // The same for every name, whether a message went out or was held back.
            return .begun(id, prompt(recovery, sent: true))
        }
    }

    /// Sends another code, where that may be; what was sent before stays good otherwise.
    /// - Returns: what everybody is told; `nil` where the recovery is over.
    func resend(_ id: UniqueID) async throws -> RecoveryPrompt? {
        let (found, account) = try await context.database.read { connection in
            let found = try Recoveries.find(id, now: now, on: connection)
            return (found, try found?.accountID.flatMap { try Accounts.find($0, on: connection) })
        }
        guard found != nil else { return nil }
        let (code, kept) = try makeCode(for: id)
        let message = try message(code, to: account)
        return try await context.database.write { connection -> RecoveryPrompt? in
            guard let found = try Recoveries.find(id, now: now, on: connection) else { return nil }
            let earliest = now - Self.interval
            guard found.sends < Recoveries.mostSends, found.sentAt <= earliest else {
                return prompt(found, sent: false)
            }
            let maySend = try maySend(found, on: connection)
            guard
                try Recoveries.send(
                    id, maySend ? kept : nil, unlessSentAfter: earliest, now: now, on: connection)
            else { return prompt(found, sent: false) }
            if maySend { try message.write(on: connection) }
            return try Recoveries.find(id, now: now, on: connection).map { prompt($0, sent: true) }
        }
    }

    /// Compares an answer: one try taken first, one comparison, one winner.
    func answer(_ typed: OneTimeCode, for id: UniqueID) async throws -> Outcome {
        // What can be no code is not compared, and costs no try.
        guard TypedCode.isPossible(typed.reveal(), digits: Self.digits) else {
            let open = try await context.database.read { try Recoveries.find(id, now: now, on: $0) }
            return open == nil ? .over : .wrong(isLast: false)
        }
        let reserved = try await context.database.write { try Recoveries.reserveTry(id, now: now, on: $0) }
        guard let recovery = reserved else { return .over }
        let isRight = isRight(typed.reveal(), for: recovery)
        let isLast = recovery.tries >= Recoveries.mostTries
        guard isRight || isLast else { return .wrong(isLast: false) }
        let auditLog = AuditLog(context: context)
        let entry = try recovery.accountID.map {
            try auditLog.entry(isRight ? .recoveryProved : .recoveryFailed, account: $0, origin: origin, now: now)
        }
        return try await context.database.write { connection in
            guard try Recoveries.end(id, mac: recovery.code.mac, on: connection) else {
                return isRight ? .over : .wrong(isLast: isLast)
            }
            // The time that it takes must not say whether somebody has the name.
            guard let entry else {
                try Attempts.touch(recovery.budget, on: connection)
                return .wrong(isLast: isLast)
            }
            guard isRight else {
                try entry.write(on: connection)
                return .wrong(isLast: isLast)
            }
            let account = try recovery.accountID.flatMap { try Accounts.find($0, on: connection) }
            // A password that was changed meanwhile voids the code that was sent before.
            guard let account, account.securityVersion == recovery.securityVersion,
                try Self.isReachable(account, on: connection)
            else { return .over }
            try entry.write(on: connection)
            return .proved(account)
        }
    }

    private var attempts: DataKey { get throws { try context.keyRing.active(.attempts) } }

    /// Charges what bounds the messages of a recovery, and says whether one may go out. What one network is refused does not
    /// use up what all others share.
    private func maySend(_ recovery: RecoveryRecord, on connection: any SQLConnection) throws -> Bool {
        let own = try Attempts.count(recovery.budget, under: Self.sending, now: now, on: connection)
        guard case .compare = own else { return false }
        guard let ceiling = recovery.ceiling else { return true }
        guard case .compare = try Attempts.count(ceiling, under: Self.sendingToAll, now: now, on: connection) else {
            return false
        }
        return true
    }

    /// Whether a code can be sent to whoever has the account, and helps. A number for SMS is nobody's proof of anything: none
    /// is ever confirmed, so a code goes to a confirmed e-mail address or nowhere. Who has no password has none to recover: they
    /// come by a provider's word, which a mailbox must not stand in for. Where that provider says that the person's account there
    /// is gone, the mailbox is what is left.
    private static func isReachable(_ account: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        guard account.state != .erased, account.emailState == .verified else { return false }
        return try account.password != nil || UnreachableAccounts.contains(account.id, on: connection)
    }

    private static func knows(
        _ device: PasswordVerification.Device, _ account: AccountRecord, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        switch device {
        case .key(let thumbprint, let client):
            if let here = try Devices.find(dpopKey: thumbprint, of: account.id, on: connection) {
                return here.state != .removed
            }
            return try Sessions.links(thumbprint, by: client.rawValue, to: account.id, on: connection)
        case .enrolled(let enrolled): return enrolled.accountID == account.id
        case .cookie(let cookie):
            return cookie?.knows(account, now: now) ?? false
        case .backend: return false
        }
    }

    private func message(_ code: String, to account: AccountRecord?) throws -> AuditLog.Entry {
        let email = account.flatMap { AccountVault(context: context).open($0.email, .email, of: $0.id) }
        return try AuditLog(context: context).entry(
            .passwordRecoveryCode(code, email == nil ? .none : .email), account: account?.id, email: email, now: now)
    }

    /// - Parameter sent: whether the step was one that sends a code. Whether a message went out it does not say, since that
    ///   would tell names apart.
    private func prompt(_ recovery: RecoveryRecord, sent: Bool) -> RecoveryPrompt {
        let wait = max(1, (recovery.sentAt + Self.interval - now).wholeSeconds)
        return RecoveryPrompt(
            digits: Int64(Self.digits), resendAfter: recovery.sends < Recoveries.mostSends ? wait : nil,
            expiresIn: Self.lifetime.wholeSeconds, sent: sent)
    }

    private func makeCode(for id: UniqueID) throws -> (code: String, kept: OpenFactorRecord.Code) {
        let code = CodeDigits.make(Self.digits, of: context.random.bytes(8))
        let key = try context.keyRing.active(.signIn)
        return (
            code,
            OpenFactorRecord.Code(
                mac: Self.mac(code, id, key: key), keyID: key.id, expiresAt: now + Self.lifetime)
        )
    }

    private func isRight(_ typed: String, for recovery: RecoveryRecord) -> Bool {
        guard let key = context.keyRing.key(.signIn, recovery.code.keyID, at: now) else { return false }
        let digits = typed.filter { !$0.isWhitespace }
        let matches = ConstantTime.equal(Self.mac(digits, recovery.id, key: key), recovery.code.mac)
        return matches && now < recovery.code.expiresAt && recovery.accountID != nil
    }

    private static func mac(_ code: String, _ id: UniqueID, key: DataKey) -> [UInt8] {
        let message = Array("recovery\0".utf8) + id.bytes + Array(code.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }
}

extension PasswordVerification.Device {
    /// What tells one device from another in a counter's name.
    fileprivate var name: String {
        switch self {
        case .key(let thumbprint, _): Base64URL.encode(thumbprint)
        case .enrolled(let device): device.id.uuid
        case .cookie(let cookie): cookie?.device ?? ""
        case .backend: ""
        }
    }
}
