internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The warning that someone proved the mailbox's code but not the second factor of a recovery: most likely a person who controls
/// the mailbox and is not its holder.
///
/// It is written when the second factor is asked for, due when the recovery expires, and withdrawn by the correct factor. So a
/// holder who recovers is not bothered, and an attacker who stops cannot prevent it. At most one per hour is sent for an account.
struct AbandonedRecovery: Sendable {
    let secondFactors: SecondFactorReader
    let database: any Database
    let keyRing: KeyRing
    let vault: AccountVault
    let auditLog: AuditLog
    /// Whether a text message can be delivered.
    let sendsSMS: Bool

    private static let telling = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(1), longest: .hours(1)), forgottenAfter: .hours(1))

    /// Writes the warning for every channel: an intruder in the mailbox reads and deletes the e-mail, and a phone is stolen more easily
    /// than both.
    /// - Parameter due: when the recovery expires.
    /// - Returns: the messages to withdraw; empty if one was written within the hour.
    func warn(_ account: AccountRecord, due: Timestamp, now: Timestamp) async throws -> [UniqueID] {
        let addresses: [(OutboxChannel, String?)] = [
            (.email, vault.email(of: account)),
            (.sms, sendsSMS ? vault.open(account.phone, .phone, of: account.id) : nil),
        ]
        let warnings = try addresses.filter { $0.1 != nil }.map { channel, address in
            try auditLog.entry(
                RecoveryMessage.stopped(channel), account: account.id, email: address, dueAt: due, now: now)
        }
        let subject = try subject(account.id)
        return try await database.write { connection in
            guard case .compare = try Attempts.count(subject, under: Self.telling, now: now, on: connection) else {
                return []
            }
            for warning in warnings { try warning.write(on: connection) }
            return warnings.compactMap(\.messageID)
        }
    }

    /// Records a recovery that the code alone cannot finish, and warns the holder at once.
    /// - Returns: the other ways to the account, which only its mailbox's holder learns.
    func refuse(
        _ account: AccountRecord, intent: SignInIntent, now: Timestamp
    ) async throws -> WaysBesideMailbox {
        let ways = try await database.read { [secondFactors] connection in
            try secondFactors.waysBesideMailbox(of: account.id, now: now, on: connection)
        }
        var details = JSONObject()
        details["passkey"] = .bool(ways.hasPasskey)
        details["linked_device"] = .bool(ways.hasDevice)
        let entry = try auditLog.entry(
            RecoveryEvent.refused, account: account.id, client: intent.client.id.rawValue, origin: intent.origin,
            now: now, details: details)
        try await database.write { _ = try entry.write(on: $0) }
        _ = try await warn(account, due: now, now: now)
        return ways
    }

    /// Withdraws warnings in the write that records the second factor. The next abandoned recovery causes a warning again.
    func withdraw(_ warnings: [UniqueID], of account: UniqueID, on connection: any SQLConnection) throws {
        for warning in warnings { try Outbox.withdraw(warning, on: connection) }
        try Attempts.clear(subject(account), on: connection)
    }

    private func subject(_ account: UniqueID) throws -> [UInt8] {
        Digests.keyed("recovery-stopped", [account.uuid], key: try keyRing.active(.attempts))
    }
}
