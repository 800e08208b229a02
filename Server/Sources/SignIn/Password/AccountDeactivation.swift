internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Deactivates an account or a device after too many wrong passwords.
struct AccountDeactivation: Sendable {
    let context: ServerContext

    /// Deactivates an account, ends its sessions, and notifies the holder, who can recover the account.
    /// - Returns: whether it was active.
    @discardableResult
    func deactivate(_ id: UniqueID, origin: RequestOrigin?, now: Timestamp) async throws -> Bool {
        let entry = try context.auditLog.entry(
            AccountEvent.deactivated, account: id, origin: origin, now: now, message: AccountMessage.deactivated)
        return try await context.database.write { connection in
            guard try Accounts.deactivate(id, by: .failures, on: connection) else { return false }
            try Sessions.endAll(of: id, because: .accountClosed, now: now, on: connection)
            try BrowserSessions.endAll(of: id, on: connection)
            try entry.write(on: connection)
            return true
        }
    }

    /// Deactivates one device, ends its sessions, and notifies the holder. Recovery on the device unlocks it if the
    /// account has an address for the code.
    /// - Returns: whether it was active.
    @discardableResult
    func deactivate(
        _ device: DeviceRecord, of account: AccountRecord, origin: RequestOrigin?, now: Timestamp
    ) async throws -> Bool {
        let name = try DeviceVault(context.sealing).shownName(of: device)
        let email = AccountVault(context.sealing).open(account.email, .email, of: account.id)
        let entry = try context.auditLog.entry(
            DeviceEvent.deactivated, account: account.id, client: device.clientID, origin: origin, now: now,
            details: .naming(device.id, reason: "failures"),
            message: account.isRecoverable ? DeviceMessage.closed(name) : DeviceMessage.deactivated(name), email: email)
        return try await context.database.write { connection in
            let moved = try Devices.move(
                device.id, from: [.active], to: .deactivated, by: .failures, because: .deviceClosed,
                now: context.writeTime(since: now), on: connection)
            if moved { try entry.write(on: connection) }
            return moved
        }
    }
}
