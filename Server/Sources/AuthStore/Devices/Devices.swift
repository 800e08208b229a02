package import AuthCore

/// The facts of enrolled devices: enrolled, changed, ended. It owns the `devices` table.
///
/// Each change names the state that it was judged by in its guard; what a removal ends beside the row is in
/// ``remove(_:of:now:on:)``, so that no way of removing a device can leave a session behind.
package enum Devices {
    /// What came of an enrollment.
    package enum EnrollmentOutcome: Sendable, Hashable {
        /// It is there.
        case enrolled
        /// The account is not active, or changed after the enrollment was judged.
        case accountChanged
        /// The key belongs to an enrollment already, perhaps a removed one.
        case keyTaken
        /// The account has as many devices as it may have.
        case tooMany
    }

    /// Enrolls a device.
    ///
    /// - Parameters:
    ///   - device: the new row.
    ///   - version: the account's security version that the enrollment was judged by.
    ///   - limit: how many devices that are not removed an account may have.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func enroll(
        _ device: DeviceRecord, version: Int64, limit: Int, on connection: any SQLConnection
    ) throws -> EnrollmentOutcome {
        // The account's row is locked first, so that two enrollments at once are counted one after the other.
        let account = try connection.row(
            """
            UPDATE accounts SET security_version = security_version
            WHERE id = $1 AND state = 'active' AND security_version = $2 RETURNING id
            """, [.id(device.accountID), .integer(version)])
        guard account != nil else { return .accountChanged }
        let count = try connection.row(
            "SELECT COUNT(*) FROM devices WHERE account_id = $1 AND state <> 'removed'", [.id(device.accountID)])
        guard try count?.integer(0) ?? 0 < Int64(limit) else { return .tooMany }
        let inserted = try connection.execute(
            """
            INSERT INTO devices (\(DeviceRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $15, $12, NULL, $13, $14, NULL, NULL, NULL, NULL, NULL)
            ON CONFLICT (thumbprint) DO NOTHING
            """,
            [
                .id(device.id), .id(device.accountID), .text(device.clientID), .blob(device.name),
                .text(device.platform), .blob(device.signingKey), .blob(device.thumbprint), .name(device.keyStorage),
                .name(device.instance), .time(device.createdAt), .time(device.coolingUntil), .name(device.state),
                .time(device.lastUsedAt), .time(device.stateChangedAt), .blob(device.dpopThumbprint),
            ])
        return inserted == 1 ? .enrolled : .keyTaken
    }

    /// The device of an id, removed ones included.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> DeviceRecord? {
        try connection.row("SELECT \(DeviceRecord.columns) FROM devices WHERE id = $1", [.id(id)])
            .map(DeviceRecord.init)
    }

    /// The device whose signing key has a thumbprint, removed ones included.
    package static func find(
        key thumbprint: [UInt8], on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        try connection.row("SELECT \(DeviceRecord.columns) FROM devices WHERE thumbprint = $1", [.blob(thumbprint)])
            .map(DeviceRecord.init)
    }

    /// The device of an account whose app has, or had, a DPoP key; the latest one, removed ones included.
    package static func find(
        dpopKey thumbprint: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        try connection.row(
            """
            SELECT \(DeviceRecord.columns) FROM devices WHERE account_id = $1 AND dpop_jkt = $2 ORDER BY id DESC LIMIT 1
            """, [.id(account), .blob(thumbprint)]
        ).map(DeviceRecord.init)
    }

    /// The devices of an account that are not removed, the oldest first: all of them, whatever the limit of enrollments is now.
    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [DeviceRecord] {
        try connection.query(
            """
            SELECT \(DeviceRecord.columns) FROM devices WHERE account_id = $1 AND state <> 'removed'
            ORDER BY id LIMIT 1000
            """, [.id(account)]
        ).map(DeviceRecord.init)
    }

    /// Whether an account has, or ever had, a device: suspended, deactivated and removed ones included.
    package static func hasAny(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM devices WHERE account_id = $1 LIMIT 1", [.id(account)]) != nil
    }

    /// Whether an account has a device that was not removed.
    package static func holdsAny(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM devices WHERE account_id = $1 AND state <> 'removed' LIMIT 1", [.id(account)]) != nil
    }

    /// Gives a device another name.
    /// - Returns: whether the account has such a device.
    /// - Throws: ``StoreError``.
    package static func rename(
        _ id: UniqueID, of account: UniqueID, to sealed: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE devices SET name = $3 WHERE id = $1 AND account_id = $2 AND state <> 'removed'",
            [.id(id), .id(account), .blob(sealed)]) == 1
    }

    /// Sets where push messages go; `nil` for nowhere.
    /// - Returns: whether the account has such a device, and it is active.
    /// - Throws: ``StoreError``.
    package static func setPushAddress(
        of id: UniqueID, of account: UniqueID, to sealed: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE devices SET push_address = $3 WHERE id = $1 AND account_id = $2 AND state = 'active'",
            [.id(id), .id(account), .optional(sealed)]) == 1
    }

    /// Sets the key that signs behind the holder's presence.
    /// - Returns: whether the account has such a device, and it is active.
    /// - Throws: ``StoreError``.
    package static func setBiometricKey(
        of id: UniqueID, of account: UniqueID, to key: BiometricKeyRecord, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET biometric_key = $3, biometric_key_set_at = $4, biometric_key_storage = $5,
                biometric_presence_attested = $6
            WHERE id = $1 AND account_id = $2 AND state = 'active'
            """,
            [
                .id(id), .id(account), .blob(key.publicKey), .time(key.setAt), .name(key.storage),
                .integer(key.attestsPresence ? 1 : 0),
            ]) == 1
    }

    /// Takes the key away that signs behind the holder's presence.
    /// - Returns: whether there was one.
    /// - Throws: ``StoreError``.
    package static func removeBiometricKey(
        of id: UniqueID, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET \(noBiometricKey)
            WHERE id = $1 AND account_id = $2 AND biometric_key IS NOT NULL
            """, [.id(id), .id(account)]) == 1
    }

    private static let noBiometricKey = """
        biometric_key = NULL, biometric_key_set_at = NULL, biometric_key_storage = NULL, \
        biometric_presence_attested = NULL
        """

    /// Records that the installation confirmed its code.
    /// - Returns: whether it was waiting for that.
    /// - Throws: ``StoreError``.
    package static func verifyInstance(
        _ id: UniqueID, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET instance = 'verified'
            WHERE id = $1 AND account_id = $2 AND instance = 'unverified' AND state = 'active'
            """, [.id(id), .id(account)]) == 1
    }

    /// Records a sign-in's time.
    package static func recordUse(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE devices SET last_used_at = $2 WHERE id = $1", [.id(id), .time(now)])
    }

    /// Moves a device from one state to another, and ends its sessions unless it becomes active.
    ///
    /// - Parameters:
    ///   - id: the device.
    ///   - from: the states that it may come from; ``DeviceState/removed`` is never left.
    ///   - to: any state but ``DeviceState/removed``, which ``remove(_:of:now:on:)`` is for.
    ///   - closer: who closes it, where it becomes ``DeviceState/deactivated``. An operator's word, as every suspension is,
    ///     stands above the failures' that closed it before: its holder cannot open it by a recovery then.
    ///   - why: why its sessions end.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: whether it was in one of these states, or closed by failures and is now as an operator says.
    /// - Throws: ``StoreError``.
    package static func move(
        _ id: UniqueID, from: Set<DeviceState>, to: DeviceState, by closer: DeactivationCause? = nil,
        because why: SessionEnd,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard to != .removed, !from.contains(.removed) else { return false }
        for state in from.sorted(by: { $0.rawValue < $1.rawValue }) {
            let moved = try connection.execute(
                "UPDATE devices SET state = $3, closed_by = $5, state_changed_at = $4 WHERE id = $1 AND state = $2",
                [.id(id), .name(state), .name(to), .time(now), .optional(closer?.rawValue)])
            guard moved == 1 else { continue }
            if to != .active { try Sessions.endAll(onDevice: id, because: why, now: now, on: connection) }
            return true
        }
        guard to == .suspended || (to == .deactivated && closer == .operator) else { return false }
        return try connection.execute(
            """
            UPDATE devices SET state = $3, closed_by = $4, state_changed_at = $2
            WHERE id = $1 AND state = 'deactivated' AND closed_by = 'failures'
            """, [.id(id), .time(now), .name(to), .optional(closer?.rawValue)]) == 1
    }

    /// Opens a device that failures closed, in the write of a recovery that its key took part in and whose guard,
    /// ``Accounts/recover(_:to:expecting:asOn:coolingUntil:now:on:)``, named the device as it stood.
    ///
    /// - Returns: whether failures had closed it.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func reopen(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET state = 'active', closed_by = NULL, state_changed_at = $2
            WHERE id = $1 AND state = 'deactivated' AND closed_by = 'failures'
            """, [.id(id), .time(now)]) == 1
    }

    /// Removes a device: its row stays as a mark that its key is spent, what it held is gone, its sessions end.
    ///
    /// - Returns: whether the account had such a device.
    /// - Throws: ``StoreError``.
    package static func remove(
        _ id: UniqueID, of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let removed = try connection.execute(
            """
            UPDATE devices SET state = 'removed', closed_by = NULL, state_changed_at = $3, name = $4,
                push_address = NULL, \(noBiometricKey)
            WHERE id = $1 AND account_id = $2 AND state <> 'removed'
            """, [.id(id), .id(account), .time(now), .blob([])])
        guard removed == 1 else { return false }
        try PINs.removeAll(of: id, on: connection)
        try DeviceTokens.remove(of: id, on: connection)
        try Transactions.cancelAll(onRemovedDevice: id, now: now, on: connection)
        try Sessions.endAll(onDevice: id, because: .deviceRemoved, now: now, on: connection)
        return true
    }

    /// Removes every device of an account that is erased, and what it told of its holder.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE devices SET state = 'removed', closed_by = NULL, name = $2, platform = 'erased',
                push_address = NULL, \(noBiometricKey)
            WHERE account_id = $1
            """, [.id(account), .blob([])])
        for device in try connection.query("SELECT id FROM devices WHERE account_id = $1", [.id(account)]) {
            try PINs.removeAll(of: try device.id(0), on: connection)
            try DeviceTokens.remove(of: try device.id(0), on: connection)
        }
    }
}
