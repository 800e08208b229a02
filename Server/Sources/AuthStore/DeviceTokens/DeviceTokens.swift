package import AuthCore

/// A device's long-lived session as it stands in its row.
package struct DeviceTokenRecord: Sendable, Hashable {
    /// What its holder said, and what became of it.
    package enum State: String, Sendable {
        case active
        case expired
        case declined
    }

    /// What its holder said, and what became of it.
    package let state: State
    /// The account's security version that the token was issued under; under another it is over.
    package let securityVersion: Int64
    /// Over at this time, unless it is used before.
    package let expiresAt: Timestamp
}

/// The facts of device authentication tokens. A token is kept as a digest, and serves as long as the account's security
/// version is the one it was issued under: whatever voids sign-ins voids it without a write of its own.
package enum DeviceTokens {
    /// Issues a token in the place of the one before.
    ///
    /// - Parameters:
    ///   - digest: of the token; 32 bytes.
    ///   - device: whose token it is.
    ///   - account: the device's account.
    ///   - version: the account's security version that the decision was made by; another one refuses it.
    ///   - now: the present.
    ///   - end: until when it serves unless it is used.
    ///   - connection: the connection of a write.
    /// - Returns: whether account and device were as they were judged.
    /// - Throws: ``StoreError``.
    package static func issue(
        _ digest: [UInt8], for device: UniqueID, of account: UniqueID, version: Int64, now: Timestamp,
        until end: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO device_tokens (device_id, account_id, state, digest, security_version, created_at, expires_at)
            SELECT d.id, d.account_id, 'active', $3, a.security_version, $5, $6
            FROM devices d JOIN accounts a ON a.id = d.account_id
            WHERE d.id = $1 AND d.account_id = $2 AND d.state = 'active' AND a.state = 'active'
                AND a.security_version = $4
            ON CONFLICT (device_id) DO UPDATE SET state = 'active', digest = excluded.digest,
                security_version = excluded.security_version, created_at = excluded.created_at, last_used_at = NULL,
                expires_at = excluded.expires_at
            """,
            [.id(device), .id(account), .blob(digest), .integer(version), .time(now), .time(end)]) == 1
    }

    /// Uses a token, which begins its time anew.
    ///
    /// - Parameters:
    ///   - digest: of the token that was shown.
    ///   - device: the device that showed it.
    ///   - version: the account's security version now.
    ///   - now: the present.
    ///   - end: until when it serves from now on.
    ///   - connection: the connection of a write.
    /// - Returns: whether it served.
    /// - Throws: ``StoreError``.
    package static func use(
        _ digest: [UInt8], of device: UniqueID, version: Int64, now: Timestamp, until end: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE device_tokens SET last_used_at = $4, expires_at = $5
            WHERE device_id = $1 AND digest = $2 AND security_version = $3 AND state = 'active' AND expires_at > $4
            """, [.id(device), .blob(digest), .integer(version), .time(now), .time(end)]) == 1
    }

    /// Ends a device's token.
    ///
    /// - Parameters:
    ///   - device: whose token.
    ///   - version: the account's security version now.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Returns: whether one served until now.
    /// - Throws: ``StoreError``.
    package static func expire(
        of device: UniqueID, version: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE device_tokens SET state = 'expired', digest = NULL
            WHERE device_id = $1 AND security_version = $2 AND state = 'active' AND expires_at > $3
            """, [.id(device), .integer(version), .time(now)]) == 1
    }

    /// Records that the holder wants no long-lived session on a device; a token that served is over.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - account: its account.
    ///   - version: the account's security version now.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Returns: whether that is news.
    /// - Throws: ``StoreError``.
    package static func decline(
        for device: UniqueID, of account: UniqueID, version: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO device_tokens (device_id, account_id, state, digest, security_version, created_at, expires_at)
            VALUES ($1, $2, 'declined', NULL, $3, $4, $4)
            ON CONFLICT (device_id) DO UPDATE SET state = 'declined', digest = NULL, expires_at = $4
            WHERE device_tokens.state <> 'declined'
            """, [.id(device), .id(account), .integer(version), .time(now)]) == 1
    }

    /// How a device's long-lived session stands; `nil` where its holder was never asked.
    package static func find(of device: UniqueID, on connection: any SQLConnection) throws -> DeviceTokenRecord? {
        try connection.row(
            "SELECT state, security_version, expires_at FROM device_tokens WHERE device_id = $1", [.id(device)]
        ).map { row in
            DeviceTokenRecord(
                state: try row.name(0), securityVersion: try row.integer(1), expiresAt: try row.time(2))
        }
    }

    /// Forgets a device's token with the device.
    static func remove(of device: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM device_tokens WHERE device_id = $1", [.id(device)])
    }

    /// Lets the tokens of an account's other devices serve on, where its security version was raised by the end of one.
    static func follow(
        _ account: UniqueID, from old: Int64, to new: Int64, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE device_tokens SET security_version = $3 WHERE account_id = $1 AND security_version = $2",
            [.id(account), .integer(old), .integer(new)])
    }
}
