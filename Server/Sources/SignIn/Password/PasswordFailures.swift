internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What wrong passwords lead to: entries in the audit log and, after too many, a closed device or account.
struct PasswordFailures: Sendable {
    let database: any Database
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog

    private static let first: Int64 = 4

    /// The device's relation to the account, as the log records it.
    enum Device: String {
        case known
        case unknown
    }

    /// Records a failure if its number calls for an entry: a few entries with counts instead of one per failure.
    ///
    /// An attacker decides how many attempts there are, and must not decide how large the log grows. The 4th failure in a row, the
    /// 8th, the 16th and so on add an entry; guesses at unknown names add none.
    /// - Parameters:
    ///   - failures: the number of failures in a row, including this one.
    ///   - account: `nil` for an unknown name.
    ///   - subject: the counter of the failures.
    func record(
        _ failures: Int64, of account: AccountRecord?, countedUnder subject: [UInt8], from device: Device,
        origin: RequestOrigin, now: Timestamp
    ) async throws {
        guard failures >= Self.first, failures & (failures - 1) == 0 else { return }
        var details = JSONObject()
        details.set("failures", failures)
        details.set("device_trust", device.rawValue)
        let entry = try account.map {
            try auditLog.entry(
                AccountEvent.signInFailures, account: $0.id, origin: origin, now: now, details: details)
        }
        try await database.write { connection in
            // The timing must not reveal whether the name exists.
            guard let entry else { return try Attempts.touch(subject, on: connection) }
            try entry.write(on: connection)
        }
    }

    /// Deactivates an account, ends its sessions, and notifies the holder, who can recover the account. Does nothing if it is not active.
    func close(_ id: UniqueID, origin: RequestOrigin, now: Timestamp) async throws {
        let entry = try auditLog.entry(
            AccountEvent.deactivated, account: id, origin: origin, now: now, message: AccountMessage.deactivated)
        try await database.write { connection in
            guard try Accounts.deactivate(id, by: .failures, on: connection) else { return }
            try Sessions.endAll(of: id, because: .accountClosed, now: now, on: connection)
            try BrowserSessions.endAll(of: id, on: connection)
            try entry.write(on: connection)
        }
    }

    /// Deactivates one device, ends its sessions, and notifies the holder. Recovery on the device unlocks it if the
    /// account has an address for the code. Does nothing if it is not active.
    func close(
        _ device: DeviceRecord, of account: AccountRecord, origin: RequestOrigin, now: Timestamp
    ) async throws {
        let name = try DeviceVault(sealing).shownName(of: device)
        let entry = try auditLog.entry(
            DeviceEvent.deactivated, account: account.id, client: device.clientID, origin: origin, now: now,
            details: .naming(device.id, reason: "failures"),
            message: account.isRecoverable ? DeviceMessage.closed(name) : DeviceMessage.deactivated(name),
            email: AccountVault(sealing).email(of: account))
        try await database.write { connection in
            let moved = try Devices.move(
                device.id, from: [.active], to: .deactivated, by: .failures, because: .deviceClosed,
                now: clock.writeTime(since: now), on: connection)
            if moved { try entry.write(on: connection) }
        }
    }
}
