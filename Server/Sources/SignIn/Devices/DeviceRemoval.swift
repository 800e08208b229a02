package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Removes a device, for its holder or an operator. One place for both, so that nothing of the device is left behind.
package struct DeviceRemoval: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    /// The rows of other features that end with a device.
    let dependents: [any DependentRows]
    let changes: CommittedChanges
    let clock: any Clock

    package enum Outcome: Sendable {
        /// Removed now or earlier.
        case removed
        /// The account never had such a device.
        case notFound
        /// The holder's session ended, or its proof or page was used before.
        case refused(FactorRefusal)
    }

    /// Removes a device for an operator.
    package func remove(_ device: UniqueID, of account: AccountRecord, now: Timestamp) async throws -> Outcome {
        try await remove(device, of: account, by: nil, now: now)
    }

    /// Removes a device, ends its sessions, voids pending sign-ins, and notifies the holder.
    /// - Parameter call: the holder's, whose session continues; `nil` for an operator.
    func remove(
        _ device: UniqueID, of account: AccountRecord, by call: (any HolderCaller)?, now: Timestamp
    ) async throws -> Outcome {
        let found = try await database.read { try Devices.find(device, on: $0) }
        guard let found, found.accountID == account.id else { return .notFound }
        let name = try DeviceVault(sealing).shownName(of: found)
        let email = AccountVault(sealing).open(account.email, .email, of: account.id)
        let entry = try auditLog.entry(
            DeviceEvent.removed, account: account.id, client: call?.clientID, origin: call?.origin, now: now,
            details: .naming(device), message: DeviceMessage.removed(name), email: email
        ).telling(client: found.clientID)
        let outcome = try await database.write { connection -> Outcome in
            // Removing again is harmless, even in a session that the first removal ended.
            guard found.state != .removed else { return .removed }
            if let refusal = try call?.refusalOfChange(on: connection) { return .refused(refusal) }
            // The device's transactions that expired while this waited stay expired: their backends may have read it.
            let removedAt = clock.writeTime(since: now)
            guard
                try Devices.remove(
                    device, of: account.id, with: dependents, now: removedAt, on: connection)
            else { return .removed }
            // Codes and sign-ins begun on it are void; the sessions of other devices continue.
            try Accounts.raiseSecurityVersionKeepingSessions(of: account.id, on: connection)
            try call?.continueSession(on: connection)
            try entry.write(on: connection)
            return .removed
        }
        if case .removed = outcome { changes.changed(device) }
        return outcome
    }
}
