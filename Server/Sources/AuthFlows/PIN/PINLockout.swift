internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Ends the tries of a PIN that has none left, and tells its holder: five in a row lock it, thirty in thirty days rest.
///
/// Tries may run out without a wrong assertion, by evaluations that are never answered: a thief who holds the device's key
/// collects them, and the holder has to learn of that as of wrong PINs.
struct PINLockout: Sendable {
    let context: ServerContext

    /// Ends the tries of a PIN where they are used up, unless one of them is still on its way.
    /// - Returns: whether this write locked it.
    /// - Throws: infrastructure errors.
    @discardableResult
    func endWhenUsedUp(
        _ device: DeviceRecord, origin: RequestOrigin?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        var ends: [AuditLog.Event] = []
        if try PINs.lockWhenUsedUp(device.id, now: now, on: connection) { ends.append(.pinLocked) }
        if try PINs.noteExhaustion(of: device.id, now: now, on: connection) { ends.append(.pinExhausted) }
        guard !ends.isEmpty, let account = try Accounts.find(device.accountID, on: connection) else {
            return ends.contains(.pinLocked)
        }
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let message = AuditLog.Message.pinLocked(try DeviceVault(context: context).shownName(of: device))
        for end in ends {
            // One message, where both ends come with one try.
            try AuditLog(context: context).entry(
                end, account: account.id, client: device.clientID, origin: origin, now: now,
                message: end == ends.first ? message : nil, email: email
            ).write(on: connection)
        }
        return ends.contains(.pinLocked)
    }

    /// Ends the tries of PINs whose last one was never answered, a PIN in each write.
    /// - Throws: infrastructure errors.
    func endUnansweredTries(now: Timestamp) async throws {
        let batch = 100
        while true {
            try Task.checkCancellation()
            let tries = try await context.database.read {
                try PINChallenges.unansweredLastTries(now: now, limit: batch, on: $0)
            }
            for last in tries {
                try await context.database.write { connection in
                    guard try PINChallenges.expire(last.challenge, now: now, on: connection),
                        let device = try Devices.find(last.device, on: connection)
                    else { return }
                    try endWhenUsedUp(device, origin: nil, now: now, on: connection)
                }
            }
            if tries.count < batch { return }
        }
    }
}
