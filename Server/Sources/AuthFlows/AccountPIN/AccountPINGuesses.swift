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
    enum Charge: Sendable {
        /// The PIN that it is compared with.
        case pin(AccountPINRecord)
        /// There is nothing to compare: no account, no PIN, or one that is locked. The same work is done for nothing.
        /// - `subject`: what it is counted under.
        /// - `isLast`: whether a PIN would be locked by it.
        case nothing(subject: [UInt8], isLast: Bool)
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

    /// How guesses are counted where there is nothing to guess, so that they write what all others write. Nobody is told anything
    /// by this count, and it is forgotten.
    private static let empty = AttemptPolicy(
        free: AccountPINLimits.inARow, afterwards: .delay(first: .hours(1), longest: .hours(1)),
        forgottenAfter: .hours(24))

    /// What guesses at a name are counted under where there is nothing to guess.
    func subject(_ name: [String]) throws -> [UInt8] {
        Digests.keyed("account-pin", name, key: try context.keyRing.active(.attempts))
    }

    /// Charges a guess.
    /// - Parameters:
    ///   - account: whose PIN is guessed; `nil` where nothing may be compared.
    ///   - subject: what it is counted under where there is nothing to guess.
    ///   - connection: the connection of a write.
    func charge(
        _ account: UniqueID?, orElse subject: [UInt8], on connection: any SQLConnection
    ) throws -> Charge {
        if let account, let record = try AccountPINs.charge(account, on: connection) { return .pin(record) }
        switch try Attempts.reserve(subject, under: Self.empty, now: now, on: connection) {
        case .compare(let failures):
            return .nothing(subject: subject, isLast: failures == AccountPINLimits.inARow)
        case .refuse: return .nothing(subject: subject, isLast: false)
        }
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
        var encoded: String?
        if case .pin(let record) = charge { encoded = open(record) }
        let isRight = try await context.passwords.verify(pin.digits, against: encoded, in: place)
        switch charge {
        case .pin(let record):
            if isRight, let encoded {
                return Proof(
                    account: record.accountID, version: record.version,
                    rehashed: try await rehashed(encoded, of: record, pin: pin, in: place))
            }
            if record.isUsedUp, let account { try await lock(record, of: account) }
        case .nothing(let subject, let isLast):
            // The time that it takes must not say whether there is something to lock.
            if isLast { try await context.database.write { try Attempts.touch(subject, on: $0) } }
        }
        return nil
    }

    private func lock(_ record: AccountPINRecord, of account: AccountRecord) async throws {
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let entry = try Journal(context: context).entry(
            .accountPINLocked, account: account.id, origin: origin, now: now, message: .accountPINLocked, email: email)
        try await context.database.write { connection in
            guard try AccountPINs.lock(account.id, version: record.version, now: now, on: connection) else { return }
            try entry.write(on: connection)
        }
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
