package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Reads and writes enrolled devices: enrolled, changed, ended. It owns the `devices` table.
///
/// The guard of each change includes the state it was based on. ``remove(_:of:with:because:now:on:)`` also ends all that depends on
/// a device, so that no way of removing one leaves a session.
package enum Devices {
    /// The result of an enrollment.
    package enum EnrollmentOutcome: Sendable, Hashable {
        case enrolled
        /// The account is not active, or changed after the decision.
        case accountChanged
        /// The key belongs to an earlier enrollment, perhaps a removed one.
        case keyTaken
        /// The account has reached the limit.
        case tooMany
    }

    /// - Parameters:
    ///   - version: the account's security version that the decision was based on.
    ///   - limit: the largest number of an account's devices, not counting removed ones.
    package static func enroll(
        _ device: DeviceRecord, version: Int64, limit: Int, on connection: any SQLConnection
    ) throws -> EnrollmentOutcome {
        // This locks the account's row, so that concurrent enrollments are counted one after the other.
        let account = try connection.row(
            """
            UPDATE accounts SET security_version = security_version
            WHERE id = $1 AND state = 'active' AND security_version = $2 RETURNING id
            """, [.id(device.accountID), .integer(version)])
        guard account != nil else { return .accountChanged }
        let count = try connection.row(
            "SELECT COUNT(*) AS number FROM devices WHERE account_id = $1 AND state <> 'removed'",
            [.id(device.accountID)])
        guard try count?.integer("number") ?? 0 < Int64(limit) else { return .tooMany }
        let inserted = try connection.execute(
            """
            INSERT INTO devices (\(DeviceRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $15, $12, NULL, $13, $14, NULL, NULL, NULL, NULL, NULL,
                $16, $17, $18)
            ON CONFLICT (thumbprint) DO NOTHING
            """,
            [
                .id(device.id), .id(device.accountID), .text(device.clientID), .blob(device.name),
                .text(device.platform), .blob(device.signingKey), .blob(device.thumbprint), .name(device.keyStorage),
                .name(device.instance), .time(device.createdAt), .time(device.coolingUntil), .name(device.state),
                .time(device.lastUsedAt), .time(device.stateChangedAt), .blob(device.dpopThumbprint),
            ] + DeviceAttestation.values(device.attestation))
        return inserted == 1 ? .enrolled : .keyTaken
    }

    /// Includes removed devices.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> DeviceRecord? {
        try connection.row(byID, [.id(id)]).map(DeviceRecord.init)
    }

    private static let byID = "SELECT \(DeviceRecord.columns) FROM devices WHERE id = $1"

    /// Finds a device by the thumbprint of its signing key, including removed devices.
    package static func find(
        key thumbprint: [UInt8], on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        try connection.row("SELECT \(DeviceRecord.columns) FROM devices WHERE thumbprint = $1", [.blob(thumbprint)])
            .map(DeviceRecord.init)
    }

    /// Finds the latest device of an account whose app had the DPoP key at enrollment, including removed devices.
    package static func find(
        dpopKey thumbprint: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        try connection.row(
            """
            SELECT \(DeviceRecord.columns) FROM devices WHERE account_id = $1 AND dpop_jkt = $2 ORDER BY id DESC LIMIT 1
            """, [.id(account), .blob(thumbprint)]
        ).map(DeviceRecord.init)
    }

    /// The devices of an account that are not removed, oldest first. There may be more than the present limit of
    /// enrollments.
    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [DeviceRecord] {
        try connection.query(
            """
            SELECT \(DeviceRecord.columns) FROM devices WHERE account_id = $1 AND state <> 'removed'
            ORDER BY id LIMIT 1000
            """, [.id(account)]
        ).map(DeviceRecord.init)
    }

    /// Whether an account has or ever had a device, in any state.
    package static func hasAny(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM devices WHERE account_id = $1 LIMIT 1", [.id(account)]) != nil
    }

    /// Whether an account has a device that is not removed.
    package static func holdsAny(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM devices WHERE account_id = $1 AND state <> 'removed' LIMIT 1", [.id(account)]) != nil
    }

    /// - Returns: whether the account has such a device.
    package static func rename(
        _ id: UniqueID, of account: UniqueID, to sealed: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE devices SET name = $3 WHERE id = $1 AND account_id = $2 AND state <> 'removed'",
            [.id(id), .id(account), .blob(sealed)]) == 1
    }

    /// Sets the address of push messages; `nil` removes it.
    /// - Returns: whether the account has such a device and it is active.
    package static func setPushAddress(
        of id: UniqueID, of account: UniqueID, to sealed: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE devices SET push_address = $3 WHERE id = $1 AND account_id = $2 AND state = 'active'",
            [.id(id), .id(account), .optional(sealed)]) == 1
    }

    /// Removes the address of push messages, unless the device has another one by now.
    /// - Returns: whether it was removed.
    static func removePushAddress(
        of id: UniqueID, ifStill sealed: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE devices SET push_address = NULL WHERE id = $1 AND push_address = $2", [.id(id), .blob(sealed)]) == 1
    }

    /// Sets the key that signs only in the holder's presence.
    /// - Returns: whether the account has such a device and it is active.
    package static func setBiometricKey(
        of id: UniqueID, of account: UniqueID, to key: BiometricKeyRecord, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET biometric_key = $3, biometric_key_set_at = $4, biometric_key_storage = $5,
                biometric_key_voucher = $6
            WHERE id = $1 AND account_id = $2 AND state = 'active'
            """,
            [
                .id(id), .id(account), .blob(key.publicKey), .time(key.setAt), .name(key.storage),
                .optional(key.voucher?.rawValue),
            ]) == 1
    }

    /// - Returns: whether there was one.
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
        biometric_key_voucher = NULL
        """

    private static let noAttestation = "attestation = NULL, attested_key = NULL, attestation_counter = NULL"

    /// Raises the counter of an app's assertions.
    /// - Returns: false if it is not higher than before: refuse what the assertion is for.
    static func raiseAttestationCounter(
        of id: UniqueID, of account: UniqueID, from key: DeviceAttestation.CountedKey, to counter: Int64,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET attestation_counter = $4
            WHERE id = $1 AND account_id = $2 AND attested_key = $3 AND attestation_counter < $4 AND state = 'active'
            """, [.id(id), .id(account), .blob(key.publicKey), .integer(counter)]) == 1
    }

    /// Records that the installation confirmed its code.
    /// - Returns: whether it had to.
    package static func verifyInstance(
        _ id: UniqueID, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET instance = 'verified'
            WHERE id = $1 AND account_id = $2 AND instance = 'unverified' AND state = 'active'
            """, [.id(id), .id(account)]) == 1
    }

    package static func recordUse(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE devices SET last_used_at = $2 WHERE id = $1", [.id(id), .time(now)])
    }

    /// Moves a device to another state, and ends its sessions unless it becomes active.
    /// - Parameters:
    ///   - from: the states it may come from; ``DeviceState/removed`` is final.
    ///   - to: any state but ``DeviceState/removed``, for which there is ``remove(_:of:with:because:now:on:)``.
    ///   - cause: why it is closed, if it becomes ``DeviceState/deactivated``. An operator's decision, as in every
    ///     suspension, overrides one by failures: the holder's recovery then no longer reopens the device.
    ///   - why: the reason for the end of its sessions.
    /// - Returns: whether it was in one of these states, or closed by failures and an operator's decision now applies.
    package static func move(
        _ id: UniqueID, from: Set<DeviceState>, to: DeviceState, by cause: DeactivationCause? = nil,
        because why: SessionEnd,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard to != .removed, !from.contains(.removed) else { return false }
        for state in from.sorted(by: { $0.rawValue < $1.rawValue }) {
            let moved = try connection.execute(
                "UPDATE devices SET state = $3, deactivated_by = $5, state_changed_at = $4 WHERE id = $1 AND state = $2",
                [.id(id), .name(state), .name(to), .time(now), .optional(cause?.rawValue)])
            guard moved == 1 else { continue }
            if to != .active { try Sessions.endAll(onDevice: id, because: why, now: now, on: connection) }
            return true
        }
        guard to == .suspended || (to == .deactivated && cause == .operator) else { return false }
        return try connection.execute(
            """
            UPDATE devices SET state = $3, deactivated_by = $4, state_changed_at = $2
            WHERE id = $1 AND state = 'deactivated' AND deactivated_by = 'failures'
            """, [.id(id), .time(now), .name(to), .optional(cause?.rawValue)]) == 1
    }

    /// Reopens a device that failures closed. Call this in the write of a recovery with the device's key, whose guard
    /// ``Accounts/recover(_:to:expecting:asOn:coolingUntil:now:on:)`` included the device's state.
    /// - Returns: whether failures had closed it.
    @discardableResult
    package static func reopen(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE devices SET state = 'active', deactivated_by = NULL, state_changed_at = $2
            WHERE id = $1 AND state = 'deactivated' AND deactivated_by = 'failures'
            """, [.id(id), .time(now)]) == 1
    }

    /// The devices of a client that are not removed, in the order of ids, with their accounts.
    ///
    /// It has no index and reads the whole table page by page: for a client that is deleted.
    package static func page(
        ofClient client: String, after: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [(id: UniqueID, account: UniqueID)] {
        try connection.query(
            """
            SELECT id, account_id FROM devices WHERE id > $2 AND client_id = $1 AND state <> 'removed'
            ORDER BY id LIMIT $3
            """, [.text(client), after.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map { (id: try $0.id("id"), account: try $0.id("account_id")) }
    }

    /// Removes a device. Its row stays to mark its key as used; its data is deleted, and its sessions end.
    /// - Parameters:
    ///   - dependents: the rows of other features that end with it.
    ///   - why: the reason for the end of its sessions.
    /// - Returns: whether the account had such a device.
    package static func remove(
        _ id: UniqueID, of account: UniqueID, with dependents: [any DependentRows],
        because why: SessionEnd = .deviceRemoved, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let removed = try connection.execute(
            """
            UPDATE devices SET state = 'removed', deactivated_by = NULL, state_changed_at = $3, name = $4,
                push_address = NULL, \(noBiometricKey), \(noAttestation)
            WHERE id = $1 AND account_id = $2 AND state <> 'removed'
            """, [.id(id), .id(account), .time(now), .blob([])])
        guard removed == 1 else { return false }
        try PINs.removeAll(of: id, on: connection)
        try DeviceTokens.remove(of: id, on: connection)
        for rows in dependents { try rows.deviceRemoved(id, now: now, on: connection) }
        try Sessions.endAll(onDevice: id, because: why, now: now, on: connection)
        return true
    }

    /// Removes every device of an erased account, with its personal data.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE devices SET state = 'removed', deactivated_by = NULL, name = $2, platform = 'erased',
                push_address = NULL, \(noBiometricKey), \(noAttestation)
            WHERE account_id = $1
            """, [.id(account), .blob([])])
        for device in try connection.query("SELECT id FROM devices WHERE account_id = $1", [.id(account)]) {
            let id = try device.id("id")
            try PINs.removeAll(of: id, on: connection)
            try DeviceTokens.remove(of: id, on: connection)
        }
    }
}
