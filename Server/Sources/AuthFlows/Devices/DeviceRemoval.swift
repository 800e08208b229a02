internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Removing a device, by its holder or by an operator: one place, so that nothing it held is ever left behind.
struct DeviceRemoval: Sendable {
    let context: ServerContext

    /// Who removes it.
    enum Author: Sendable {
        case holder(ClientID, RequestOrigin)
        case administrator
    }

    /// Removes a device, ends what was opened on it, voids what was begun, and tells the holder.
    /// - Returns: whether the account has, or had, such a device.
    func remove(
        _ device: UniqueID, of account: AccountRecord, by author: Author, now: Timestamp
    ) async throws -> Bool {
        var client: String?
        var origin: RequestOrigin?
        if case .holder(let id, let from) = author { (client, origin) = (id.rawValue, from) }
        let found = try await context.database.read { try Devices.find(device, on: $0) }
        guard let found, found.accountID == account.id else { return false }
        let name = DeviceVault(context: context).open(found.name, .name, of: device)
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let entry = try Journal(context: context).entry(
            .deviceRemoved, account: account.id, client: client, origin: origin, now: now,
            message: .deviceRemoved(try DeviceName(name ?? found.platform)), email: email)
        try await context.database.write { connection in
            guard try Devices.remove(device, of: account.id, now: now, on: connection) else { return }
            // Codes and sign-ins that were begun on it are void; the sessions of the other devices go on.
            try Accounts.raiseSecurityVersionKeepingSessions(of: account.id, on: connection)
            try entry.write(on: connection)
        }
        return true
    }
}
