internal import AuthCore
internal import AuthStore
internal import Logging
internal import WalletAuthWire

/// Guessing an account's PIN, wherever that is done: one charge, before anything is compared; one comparison; one answer for
/// everything that is wrong.
struct AccountPINGuesses: Sendable {
    let context: ServerContext
    let origin: RequestOrigin
    let now: Timestamp

    /// What a guess was charged to.
    struct Charge: Sendable {
        /// What it is counted under, whether there is something to guess or not.
        fileprivate let subject: [UInt8]
        /// The network whose failures it counts among; `nil` where it counts among none.
        fileprivate let address: [UInt8]?
        /// The PIN that it is compared with; `nil` where there is nothing to compare: no account, no PIN, or none that is open.
        /// The same work is done for nothing then.
        fileprivate var compared: AccountPINRecord?
        /// A PIN whose guesses were used up by one that nobody ended.
        fileprivate var abandoned: AccountPINRecord?
    }

    /// A right guess. It counts once it is spent.
    struct Proof: Sendable {
        fileprivate let account: UniqueID
        fileprivate let version: UniqueID
        fileprivate let rehashed: [UInt8]?

        /// Gives the charge back, in the write that the guess opens something in.
        /// - Returns: whether it counts: not where the PIN was changed, taken away or locked meanwhile.
        func spend(on connection: any SQLConnection) throws -> Bool {
            try AccountPINs.prove(account, version: version, rehashed: rehashed, on: connection)
        }
    }

    /// How guesses at a name are counted beside the PIN's own row, so that those write as much which have none to write to. Nobody
    /// is told anything by this count, and it is forgotten.
    private static let beside = AttemptPolicy(
        free: AccountPINLimits.inARow, afterwards: .delay(first: .hours(1), longest: .hours(1)),
        forgottenAfter: .hours(24))

    /// Longer than any PIN waits for its place and is compared.
    private static let longestComparison = Duration.minutes(1)

    /// What guesses at a name are counted under, whether there is something to guess or not.
    func subject(_ name: [String]) throws -> [UInt8] {
        Digests.keyed("account-pin", name, key: try context.keyRing.active(.attempts))
    }

    /// Charges a guess.
    /// - Parameters:
    ///   - account: whose PIN is guessed; `nil` where nothing may be compared.
    ///   - subject: what it is counted under, whether there is something to guess or not.
    ///   - address: the network that the guess is reserved at; `nil` where it is reserved at none.
    ///   - connection: the connection of a write.
    func charge(
        _ account: UniqueID?, under subject: [UInt8], address: [UInt8]? = nil, on connection: any SQLConnection
    ) throws -> Charge {
        var charge = Charge(subject: subject, address: address)
        _ = try Attempts.count(subject, under: Self.beside, now: now, on: connection)
        guard let account else { return charge }
        charge.compared = try AccountPINs.charge(account, now: now, on: connection)
        if charge.compared == nil, let record = try AccountPINs.find(account, on: connection), isAbandoned(record) {
            charge.abandoned = record
        }
        return charge
    }

    /// Whether the last guess was charged and never ended: the process may have ended in between. Not at once: that guess may be
    /// the right one, its comparison under way.
    private func isAbandoned(_ record: AccountPINRecord) -> Bool {
        guard record.state == .active, record.isUsedUp else { return false }
        return record.chargedAt.map { now - $0 >= Self.longestComparison } ?? true
    }

    /// Compares a guess that was charged.
    /// - Parameters:
    ///   - pin: as typed.
    ///   - charge: what it was charged to.
    ///   - account: whose PIN it is.
    ///   - place: the place to hash in, taken before the charge.
    /// - Returns: `nil` for a wrong one, whose holder was told where it was the last.
    func compare(
        _ pin: AccountPIN, charged charge: Charge, to account: AccountRecord?, in place: PasswordHasher.Place
    ) async throws -> Proof? {
        let encoded = charge.compared.flatMap { open($0) }
        let isRight = try await context.passwords.verify(pin.digits, against: encoded, in: place)
        if isRight, let encoded, let record = charge.compared {
            return Proof(
                account: record.accountID, version: record.version,
                rehashed: try await rehashed(encoded, of: record, pin: pin, in: place))
        }
        let ending = try account.map { try self.ending(of: charge, at: $0) } ?? .unrecorded
        // One write, whatever there is to write: the time that it takes must not say whether there is something to lock.
        try await context.database.write { connection in
            try Attempts.touch(charge.subject, on: connection)
            if let address = charge.address { try Attempts.fail(address, on: connection) }
            switch ending {
            case .unrecorded: break
            case .failures(let entry): try entry.write(on: connection)
            case .locked(let record, let entry):
                guard
                    try AccountPINs.lock(record.accountID, version: record.version, now: now, on: connection)
                else { return }
                try entry.write(on: connection)
            }
        }
        return nil
    }

    /// What a wrong guess leaves behind.
    private enum Ending: Sendable {
        case unrecorded
        /// An entry of how many there were.
        case failures(AuditLog.Entry)
        /// The PIN is locked, and its holder told.
        case locked(AccountPINRecord, AuditLog.Entry)
    }

    private func ending(of charge: Charge, at account: AccountRecord) throws -> Ending {
        let auditLog = AuditLog(context: context)
        if let record = charge.abandoned ?? charge.compared, record.isUsedUp {
            let email = AccountVault(context: context).open(account.email, .email, of: account.id)
            return .locked(
                record,
                try auditLog.entry(
                    .accountPINLocked, account: account.id, origin: origin, now: now, message: .accountPINLocked,
                    email: email))
        }
        // As of wrong passwords, by their number and not one by one: four in a row, eight and sixteen altogether.
        guard let record = charge.compared, record.failed == 4 || record.spent == 8 || record.spent == 16 else {
            return .unrecorded
        }
        var details = JSONObject()
        details.set("factor", AuthenticationStrength.pin)
        details.set("failures", record.failed)
        details.set("altogether", record.spent)
        return .failures(
            try auditLog.entry(.signInFailures, account: account.id, origin: origin, now: now, details: details))
    }

    // MARK: - The hash

    /// The hash of a new PIN, sealed as its row keeps it.
    func sealedHash(
        of pin: AccountPIN, account: UniqueID, in place: PasswordHasher.Place
    ) async throws -> [UInt8] {
        try seal(try await context.passwords.hash(pin.digits, in: place), of: account)
    }

    /// A hash of today's cost under today's pepper, where the stored one is neither; `nil` where it is both.
    private func rehashed(
        _ encoded: String, of record: AccountPINRecord, pin: AccountPIN, in place: PasswordHasher.Place
    ) async throws -> [UInt8]? {
        let isPeppered = try Sealing.keyID(of: record.hash) == context.keyRing.active(.pepper).id
        let isCurrent = Argon2.isCurrent(encoded, cost: context.settings.passwordHashing)
        if isPeppered, isCurrent { return nil }
        if isCurrent { return try seal(encoded, of: record.accountID) }
        return try await sealedHash(of: pin, account: record.accountID, in: place)
    }

    private func seal(_ hash: String, of account: UniqueID) throws -> [UInt8] {
        try context.seal(Array(hash.utf8), for: .pepper, context: Self.label(account))
    }

    /// The hash; `nil` where it does not open, which is logged: a lost key must not look like a wrong PIN.
    private func open(_ record: AccountPINRecord) -> String? {
        guard let bytes = context.open(record.hash, for: .pepper, context: Self.label(record.accountID)) else {
            context.logger.error("a sealed column does not open", metadata: ["column": "account_pins.hash"])
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func label(_ account: UniqueID) -> String { "account_pins|hash|\(account.uuid)" }
}
