package import AuthCore
internal import AuthEvents
package import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Locks a PIN without attempts and notifies its holder. Five wrong PINs in a row lock it; thirty in thirty days pause it.
///
/// Attempts may run out without a wrong assertion, through evaluations that are never answered. A thief with the device's key can
/// collect those, and the holder has to learn about it as about wrong PINs.
package struct PINLockout: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// Locks a PIN that has no attempts left, unless an evaluation still awaits its assertion.
    /// - Returns: whether this write locked it.
    @discardableResult
    func lockWhenUsedUp(
        _ device: DeviceRecord, origin: RequestOrigin?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        var ends: [PINEvent] = []
        if try PINs.lockWhenUsedUp(device.id, now: now, on: connection) { ends.append(.locked) }
        if try PINs.noteExhaustion(of: device.id, now: now, on: connection) { ends.append(.exhausted) }
        guard !ends.isEmpty, let account = try Accounts.find(device.accountID, on: connection) else {
            return ends.contains(.locked)
        }
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let message = PINMessage.locked(try DeviceVault(context: context).shownName(of: device))
        for end in ends {
            // One message, even if the same attempt causes both events.
            try AuditLog(context: context).entry(
                end, account: account.id, client: device.clientID, origin: origin, now: now,
                details: .naming(device.id), message: end == ends.first ? message : nil, email: email
            ).write(on: connection)
        }
        return ends.contains(.locked)
    }

    /// Locks the PINs whose last attempt was never answered, each in a separate write.
    package func lockUnansweredTries(now: Timestamp) async throws {
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
                    try lockWhenUsedUp(device, origin: nil, now: now, on: connection)
                }
            }
            if tries.count < batch { return }
        }
    }
}
