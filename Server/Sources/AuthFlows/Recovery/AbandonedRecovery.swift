internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The warning that somebody gave the code from the mailbox and could not show what else a recovery asks for: whoever has the
/// mailbox, and most likely is not its holder.
///
/// It is written when the other thing is asked for, due when the time for that is over, and taken back by the right answer: who
/// recovers is not bothered, and who stops cannot keep it from being sent. One in an hour goes out for an account, whoever asks.
struct AbandonedRecovery: Sendable {
    let context: ServerContext
    let now: Timestamp

    private static let telling = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(1), longest: .hours(1)), forgottenAfter: .hours(1))

    /// Writes the warning, for every way to the holder: what is sent to the mailbox is read, and deleted, by whoever has it, and a
    /// telephone is stolen more easily than both.
    /// - Parameters:
    ///   - account: whose mailbox was shown.
    ///   - due: when the recovery cannot go on any more.
    /// - Returns: what it is taken back by; nothing where one was written within the hour.
    func warn(_ account: AccountRecord, due: Timestamp) async throws -> [UniqueID] {
        let vault = AccountVault(context: context)
        let phone =
            context.settings.undeliverableFactors.contains(.sms)
            ? nil : vault.open(account.phone, .phone, of: account.id)
        let addresses: [(OutboxChannel, String?)] = [
            (.email, vault.open(account.email, .email, of: account.id)), (.sms, phone),
        ]
        let auditLog = AuditLog(context: context)
        let warnings = try addresses.filter { $0.1 != nil }.map { channel, address in
            try auditLog.entry(.recoveryStopped(channel), account: account.id, email: address, dueAt: due, now: now)
        }
        let subject = try subject(account.id)
        return try await context.database.write { connection in
            guard case .compare = try Attempts.count(subject, under: Self.telling, now: now, on: connection) else {
                return []
            }
            for warning in warnings { try warning.write(on: connection) }
            return warnings.compactMap(\.messageID)
        }
    }

    /// Takes warnings back, in the write in which the other thing was shown: the next one that stops is told of.
    func takeBack(_ warnings: [UniqueID], of account: UniqueID, on connection: any SQLConnection) throws {
        for warning in warnings { try Outbox.withdraw(warning, on: connection) }
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
        warnings = try await AbandonedRecovery(context: context, now: now).warn(account, due: end).map(\.uuid)
    }
}
