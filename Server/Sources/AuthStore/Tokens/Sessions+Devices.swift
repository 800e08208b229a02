package import AuthCore

extension Sessions {
    /// Binds a living session to the device enrolled in it.
    /// - Returns: whether the session was still living.
    package static func bind(_ id: UniqueID, to device: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE sessions SET device_id = $2 WHERE id = $1 AND revoked_at IS NULL", [.id(id), .id(device)]) == 1
    }

    /// Ends every session on a device: those that name it, and the account's sessions without a device that are bound
    /// to its app's DPoP key, for example after a sign-in in the browser.
    package static func endAll(
        onDevice device: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws {
        if let account = try connection.row("SELECT account_id FROM devices WHERE id = $1", [.id(device)])?.id(0) {
            try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        }
        try connection.execute(
            """
            UPDATE sessions SET revoked_at = $2, revoked_reason = $3
            WHERE revoked_at IS NULL AND (device_id = $1 OR
                (device_id IS NULL AND account_id = (SELECT d.account_id FROM devices d WHERE d.id = $1)
                    AND dpop_jkt = (SELECT d.dpop_jkt FROM devices d WHERE d.id = $1)))
            """, [.id(device), .time(now), .name(why)])
    }
}

extension Accounts {
    /// Voids everything in progress for an account, above all codes. Its living sessions go on, and so do the
    /// long-lived sessions of its other devices.
    package static func raiseSecurityVersionKeepingSessions(
        of id: UniqueID, on connection: any SQLConnection
    ) throws {
        guard let version = try raiseSecurityVersion(of: id, on: connection) else { return }
        try connection.execute(
            """
            UPDATE sessions SET security_version = $2
            WHERE account_id = $1 AND revoked_at IS NULL AND security_version = $3
            """, [.id(id), .integer(version), .integer(version - 1)])
        try DeviceTokens.follow(id, from: version - 1, to: version, on: connection)
    }
}
