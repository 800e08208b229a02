internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What a restored database must not revive.
///
/// A copy brings back sessions that were ended and codes that were spent after it was made. Each restore chooses a number
/// that is kept outside the database; a database that knows another one was put in its place since.
struct Restoration: Sendable {
    let context: ServerContext

    private static let epochName = "epoch"

    /// Ends every session, the long-lived ones of devices too, of a database whose epoch is another, a batch at a time, and records the epoch last, together
    /// with where the copy's audit chains go on: a start that is interrupted begins again.
    func voidWhatWasRestored(epoch: Int64, now: Timestamp) async throws {
        let database = context.database
        let known = try await database.write { connection in
            Int64(try Meta.establish(Self.epochName, as: String(epoch), on: connection)) ?? 0
        }
        guard known != epoch else { return }
        while try await database.write({ try Sessions.endBatch(500, because: .administrator, now: now, on: $0) }) > 0 {}
        // Nor does a key or a browser make anybody known who may have become a stranger since.
        try await database.write { try Accounts.makeAllStrangers(now: now, on: $0) }
        while try await database.write({ try BrowserSessions.endBatch(500, on: $0) }) > 0 {}
        // Sign-ins that were under way are over, and no authenticator's code of before is taken again.
        while try await database.write({ try OpenFactors.endBatch(500, on: $0) }) > 0 {}
        while try await database.write({ try Recoveries.endBatch(500, on: $0) }) > 0 {}
        while try await database.write({ try LoginNonces.endBatch(500, on: $0) }) > 0 {}
        while try await database.write({ try DeviceTokens.endBatch(500, on: $0) }) > 0 {}
        // Rows of the copy may stand for what was carried out since.
        let voided = OperationEvidenceClaims.Step.Kind.voided.rawValue
        while try await database.write({ try WalletOperations.cancelBatch(200, step: voided, now: now, on: $0) }) > 0 {}
        let step = TOTP.steps(at: now).upperBound
        while try await database.write({ try TOTPSecrets.advanceBatch(500, to: step, on: $0) }) > 0 {}
        try await database.write { try PINs.lockAll(now: now, on: $0) }
        try await database.write { try AccountPINs.lockAll(now: now, on: $0) }
        let heads = try await database.read { connection in
            var heads = JSONObject()
            for partition in AuditPartition.all {
                let head = try AuditChains.head(of: partition, on: connection)
                if head.sequence > 0 { heads.set(String(partition.rawValue), head.sequence) }
            }
            return heads
        }
        let entry = try Journal(context: context).administration(.databaseRestored, details: heads, now: now)
        try await database.write { connection in
            try Meta.set(Self.epochName, to: String(epoch), on: connection)
            try entry.write(on: connection)
        }
    }
}
