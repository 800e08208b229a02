package import Core
internal import Kernel
package import Store

/// The state of a device's long-lived session.
package struct DeviceTokenRecord: Sendable, Hashable {
    package enum State: String, Sendable {
        case active
        case expired
        case declined
    }

    /// The holder's decision, and whether the token still works.
    package let state: State
    /// The account's security version at the issue. The token is void once the account's has changed.
    package let securityVersion: Int64
    /// Each use extends it.
    package let expiresAt: Timestamp

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case state, securityVersion, expiresAt
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        state = try row.name(.state)
        securityVersion = try row.integer(.securityVersion)
        expiresAt = try row.time(.expiresAt)
    }
}

/// Reads and writes device tokens. It owns the `device_tokens` table.
///
/// A token is stored as a digest, and is valid as long as the account keeps the security version it was issued under.
/// Whatever voids sign-ins therefore voids it without a write of its own.
package enum DeviceTokens {
    /// Issues a token in place of the one before.
    /// - Parameters:
    ///   - digest: of the token; 32 bytes.
    ///   - version: the account's security version that the decision was based on; any other refuses it.
    ///   - end: the end of its lifetime unless it is used.
    /// - Returns: whether account and device were still as in the decision.
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

    /// Uses a token, which restarts its lifetime.
    /// - Parameters:
    ///   - version: the account's security version now.
    ///   - end: the new end of its lifetime.
    /// - Returns: whether the token was valid.
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
    /// - Parameter version: the account's security version now.
    /// - Returns: whether there was a valid one.
    package static func expire(
        of device: UniqueID, version: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE device_tokens SET state = 'expired', digest = NULL
            WHERE device_id = $1 AND security_version = $2 AND state = 'active' AND expires_at > $3
            """, [.id(device), .integer(version), .time(now)]) == 1
    }

    /// Records that the holder declined a long-lived session on a device, and ends any token.
    /// - Returns: whether this was news.
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

    /// - Returns: `nil` if the holder was never asked.
    package static func find(of device: UniqueID, on connection: any SQLConnection) throws -> DeviceTokenRecord? {
        try connection.row(
            "SELECT \(DeviceTokenRecord.columns) FROM device_tokens WHERE device_id = $1", [.id(device)]
        ).map(DeviceTokenRecord.init)
    }

    /// Deletes a removed device's token.
    static func remove(of device: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM device_tokens WHERE device_id = $1", [.id(device)])
    }

    /// Keeps the tokens of an account's other devices valid after the end of one raised its security version.
    static func follow(
        _ account: UniqueID, from old: Int64, to new: Int64, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE device_tokens SET security_version = $3 WHERE account_id = $1 AND security_version = $2",
            [.id(account), .integer(old), .integer(new)])
    }
}

extension Accounts {
    /// Voids everything in progress for an account, above all codes, and its browsers' sign-ins. The living sessions of apps go on, and so
    /// do the long-lived ones of its other devices.
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
