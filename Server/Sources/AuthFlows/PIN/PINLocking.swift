internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Locks a PIN without a try left, and tells its holder.
struct PINLocking: Sendable {
    let context: ServerContext

    /// Locks a PIN whose tries are used up, unless one of them is still on its way.
    /// - Returns: whether this write locked it.
    /// - Throws: infrastructure trouble.
    func lockWhenUsedUp(
        _ device: DeviceRecord, epoch: PINEpoch, origin: RequestOrigin, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        guard try PINs.lockWhenUsedUp(device.id, epoch: epoch, now: now, on: connection) else { return false }
        guard let account = try Accounts.find(device.accountID, on: connection) else { return true }
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        try Journal(context: context).entry(
            .pinLocked, account: account.id, client: device.clientID, origin: origin, now: now,
            message: .pinLocked(try DeviceVault(context: context).shownName(of: device)), email: email
        ).write(on: connection)
        return true
    }
}
