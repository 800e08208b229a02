internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The warning that somebody gave the code from the mailbox and could not show what else a recovery asks for: whoever has the
/// mailbox, and most likely is not its holder.
///
/// It is written when the other thing is asked for, due when the time for that is over, and taken back by the right answer: who
/// recovers is not bothered, and who stops cannot keep it from being sent. One in an hour goes out for an account, whoever asks.
struct StoppedRecovery: Sendable {
    let context: ServerContext
    let now: Timestamp

    private static let telling = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(1), longest: .hours(1)), forgottenAfter: .hours(1))

    /// Writes the warning.
    /// - Parameters:
    ///   - account: whose mailbox was shown.
    ///   - due: when the recovery cannot go on any more.
    /// - Returns: what it is taken back by; `nil` where one was written within the hour.
    func warn(_ account: AccountRecord, due: Timestamp) async throws -> UniqueID? {
        let vault = AccountVault(context: context)
        // By the other way where there is one: what is sent to the mailbox is read, and deleted, by whoever has it.
        let phone =
            context.settings.undeliverableFactors.contains(.sms)
            ? nil : vault.open(account.phone, .phone, of: account.id)
        let warning = try Journal(context: context).entry(
            .recoveryStopped(phone == nil ? .email : .sms), account: account.id,
            email: phone ?? vault.open(account.email, .email, of: account.id), dueAt: due, now: now)
        let subject = try subject(account.id)
        return try await context.database.write { connection in
            guard case .compare = try Attempts.reserve(subject, under: Self.telling, now: now, on: connection) else {
                return nil
            }
            try warning.write(on: connection)
            return warning.messageID
        }
    }

    /// Takes a warning back, in the write in which the other thing was shown: the next one that stops is told of.
    func takeBack(_ warning: UniqueID, of account: UniqueID, on connection: any SQLConnection) throws {
        try Outbox.withdraw(warning, on: connection)
        try Attempts.clear(subject(account), on: connection)
    }

    private func subject(_ account: UniqueID) throws -> [UInt8] {
        Digests.keyed("recovery-stopped", [account.uuid], key: try context.keyRing.active(.attempts))
    }
}

extension PendingSignIn {
    /// Has the holder warned unless the second factor of a recovery is shown; of any other sign-in nobody is.
    mutating func warn(_ account: AccountRecord, in context: ServerContext, now: Timestamp) async throws {
        guard recovery != nil else { return }
        warning = try await StoppedRecovery(context: context, now: now).warn(account, due: end)?.uuid
    }
}
