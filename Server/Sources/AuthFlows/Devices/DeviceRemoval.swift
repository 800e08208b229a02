internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Removing a device, by its holder or by an operator: one place, so that nothing it held is ever left behind.
struct DeviceRemoval: Sendable {
    let context: ServerContext

    /// Who removes it.
    enum Author: Sendable {
        case holder(AppCaller)
        case administrator
    }

    /// What came of it.
    enum Outcome: Sendable {
        /// It is gone, since now or before.
        case removed
        /// The account never had such a device.
        case notFound
        /// The holder's session ended, or its proof was used.
        case refused(DeviceRefusal)
    }

    /// Removes a device, ends what was opened on it, voids what was begun, and tells the holder.
    func remove(
        _ device: UniqueID, of account: AccountRecord, by author: Author, now: Timestamp
    ) async throws -> Outcome {
        let call: AppCaller? = if case .holder(let call) = author { call } else { nil }
        let found = try await context.database.read { try Devices.find(device, on: $0) }
        guard let found, found.accountID == account.id else { return .notFound }
        let name = DeviceVault(context: context).open(found.name, .name, of: device)
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let entry = try AuditLog(context: context).entry(
            .deviceRemoved, account: account.id, client: call?.client.id.rawValue, origin: call?.origin, now: now,
            message: .deviceRemoved(try DeviceName(name ?? found.platform)), email: email)
        let outcome = try await context.database.write { connection -> Outcome in
            // Removing again is harmless, also for a session that the first removal ended.
            guard found.state != .removed else { return .removed }
            if let refusal = try call?.deviceRefusalOfChange(on: connection) { return .refused(refusal) }
            guard try Devices.remove(device, of: account.id, now: now, on: connection) else { return .removed }
            // Codes and sign-ins that were begun on it are void; the sessions of the other devices go on.
            try Accounts.raiseSecurityVersionKeepingSessions(of: account.id, on: connection)
            try entry.write(on: connection)
            return .removed
        }
        if case .removed = outcome { context.changes.changed(device) }
        return outcome
    }
}
