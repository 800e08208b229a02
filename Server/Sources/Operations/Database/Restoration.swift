internal import Consent
package import Core
internal import Kernel
internal import Logging
internal import SignIn
package import Store
internal import WalletAuthWire

/// Keeps a restore from reviving what must stay void.
///
/// This folder owns what concerns the database as a whole: backup, restore, check, and its issuer. The engine's part is in
/// `StoreSQLite`.
///
/// Each restore chooses a number. With SQLite it is kept outside the database, and a database with another number was restored
/// since. With PostgreSQL `database restored` chooses it and it is kept in the database, where every process reads it. The
/// schema declares the effect on each table's rows (``RestoreEffect``); effects that need more than a statement are here. A
/// restore cannot know later changes such as passwords and deactivations: they stay as in the copy.
package struct Restoration: Sendable {
    let database: any Database
    let auditLog: AuditLog
    let logger: Logger
    /// How long a factor counts as new.
    let coolingPeriod: Duration

    /// What else ends, for an operator.
    package static let endings =
        "Operators' roles end with a restore: grant them again with `walletauth operator grant`. For about a minute after the start, "
        + "codes of authenticator apps may be refused, because they may have been used before."

    static let epochName = DatabaseMarks.epochName
    private static let timeName = "restored_at"
    private static let coolingName = "restored_cooling_until"

    /// The epoch that a database was last opened with; `nil` if no server has opened it yet.
    package static func recordedEpoch(of database: any Database) async throws -> Int64? {
        try await database.read { try Meta.value(epochName, on: $0) }.flatMap { Int64($0) }
    }

    /// Time of the last restore: `now` for a restore that this start detects, `nil` if there was none.
    package static func time(of database: any Database, epoch: Int64, now: Timestamp) async throws -> Timestamp? {
        let (known, time, isPending) = try await database.read { connection in
            (
                try Meta.value(epochName, on: connection), try Meta.value(timeName, on: connection),
                try PendingRestore.isPending(on: connection)
            )
        }
        if isPending { return now }
        if let known, Int64(known) != epoch { return now }
        return time.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
    }

    /// End of the cooling period of the factors that the last restore brought back; `nil` if none was recorded.
    static func coolingEnd(on connection: any SQLConnection) throws -> Timestamp? {
        try Meta.value(coolingName, on: connection).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
    }

    /// The database was restored, or is marked as restored, and this process may not apply the effects.
    package struct Undeclared: Error {
        /// The server that has the database, for people; `nil` for an engine without one.
        package let server: String?
    }

    /// Applies the schema's restore effects to a database with another epoch, in batches. The epoch is recorded last, together
    /// with the heads of the copy's audit chains, so an interrupted start begins again.
    /// - Parameter isAllowed: whether this process may apply them. With several processes on a database, only the command that
    ///   declares a restore may, because it is alone.
    /// - Throws: ``Undeclared`` if they are needed and this process may not apply them. Nothing was voided then.
    func voidWhatWasRestored(epoch: Int64, now: Timestamp, isAllowed: Bool = true) async throws {
        // A copy that no server has opened yet has no epoch: it takes this one, and only its mark reveals the restore.
        let (known, isPending, server) = try await database.write { connection in
            (
                Int64(try Meta.establish(Self.epochName, as: String(epoch), on: connection)) ?? 0,
                try PendingRestore.isPending(on: connection), connection.serverName
            )
        }
        guard known != epoch || isPending else { return }
        guard isAllowed else { throw Undeclared(server: server) }
        let cooling = now + coolingPeriod
        for (table, effect) in Schema.restoreEffects {
            try await effect.apply(to: table, in: database, now: now, coolingUntil: cooling)
        }
        try await spendAuthenticatorCodes(now: now)
        try await takeBackOperations(now: now)
        try await voidRecoveryCodes(now: now)
        let heads = try await database.read { connection in
            var heads = JSONObject()
            for partition in AuditPartition.all {
                let head = try AuditChains.head(of: partition, on: connection)
                if head.sequence > 0 { heads.set(String(partition.rawValue), head.sequence) }
            }
            return heads
        }
        let entry = try auditLog.administration(
            AdministrationEvent.databaseRestored, details: heads, now: now)
        try await database.write { connection in
            try Meta.set(Self.epochName, to: String(epoch), on: connection)
            try Meta.set(Self.timeName, to: String(now.milliseconds), on: connection)
            try Meta.set(Self.coolingName, to: String(cooling.milliseconds), on: connection)
            try PendingRestore.settle(on: connection)
            try entry.write(on: connection)
        }
        logger.warning(
            """
            the database was restored from a copy: sessions and operators' roles ended, recovery codes no longer work, \
            restored factors are in a cooling period; walletauth database restore-report lists them
            """
        )
    }

    /// In the copy, the last used step of an authenticator may precede a code that was spent since.
    private func spendAuthenticatorCodes(now: Timestamp) async throws {
        let step = TOTP.steps(at: now).upperBound
        while try await database.write({ try TOTPSecrets.advanceBatch(500, to: step, on: $0) }) > 0 {}
    }

    /// An operation that is pending or agreed to in the copy may have been carried out since. Its cancellation is a step of the
    /// evidence.
    private func takeBackOperations(now: Timestamp) async throws {
        let voided = OperationEvidenceClaims.Step.Kind.voided.rawValue
        while try await database.write({
            try WalletOperations.cancelBatch(200, step: voided, now: now, on: $0)
        }) > 0 {}
    }

    /// Recovery codes may have been spent or replaced since. The write that removes them also notifies the holder: once, even
    /// if the start is interrupted.
    private func voidRecoveryCodes(now: Timestamp) async throws {
        while true {
            let holders = try await database.read { try RecoveryCodes.holders(limit: 100, on: $0) }
            guard !holders.isEmpty else { return }
            let entries = try holders.map { holder in
                (
                    holder,
                    try auditLog.entry(
                        FactorEvent.recoveryCodesVoided, account: holder, now: now,
                        message: FactorMessage.recoveryCodesVoided)
                )
            }
            try await database.write { connection in
                for (holder, entry) in entries {
                    guard try RecoveryCodes.removeAll(of: holder, on: connection) else { continue }
                    try entry.write(on: connection)
                }
            }
        }
    }
}
