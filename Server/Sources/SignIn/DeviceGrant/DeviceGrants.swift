package import Core
package import Store

/// Reads and writes devices that wait for their holder. It owns the `device_grants` table.
///
/// Each change is one guarded statement, so that of several callers one decides, and one redeems.
package enum DeviceGrants {
    /// - Returns: `false` if one of its codes is in use.
    package static func add(_ record: DeviceGrantRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(insertion.sql, record.values(of: insertion.columns)) == 1
    }

    private static let insertion = RecordWrite<DeviceGrantRecord.Column>.insertion(into: "device_grants")

    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> DeviceGrantRecord? {
        try connection.row(
            "SELECT \(DeviceGrantRecord.columns) FROM device_grants WHERE id = $1", [.id(id)]
        ).map(DeviceGrantRecord.init)
    }

    /// - Parameter deviceCode: its digest.
    package static func find(
        deviceCode: [UInt8], on connection: any SQLConnection
    ) throws -> DeviceGrantRecord? {
        try connection.row(
            "SELECT \(DeviceGrantRecord.columns) FROM device_grants WHERE device_code = $1", [.blob(deviceCode)]
        ).map(DeviceGrantRecord.init)
    }

    /// The device whose code was typed, if its holder can still decide.
    /// - Parameter digests: of the code, under every key that still counts.
    static func waiting(
        _ digests: [[UInt8]], now: Timestamp, on connection: any SQLConnection
    ) throws -> DeviceGrantRecord? {
        for digest in digests {
            let row = try connection.row(
                "SELECT \(DeviceGrantRecord.columns) FROM device_grants WHERE user_code = $1", [.blob(digest)])
            if let record = try row.map(DeviceGrantRecord.init), record.isOpen(at: now) { return record }
        }
        return nil
    }

    /// The holder's decision.
    /// - Parameter grant: of the sign-in, sealed; `nil` to refuse the device.
    /// - Returns: whether this caller decided; `false` if another one had, or the codes have expired.
    package static func decide(
        _ id: UniqueID, by account: UniqueID, grant: [UInt8]?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let state: DeviceGrantRecord.State = grant == nil ? .denied : .approved
        return try connection.execute(
            """
            UPDATE device_grants SET state = $2, account_id = $3, grant_sealed = $4
            WHERE id = $1 AND state = 'waiting' AND ends_at > $5
            """, [.id(id), .name(state), .id(account), .optional(grant), .time(now)]) == 1
    }

    /// - Returns: whether this caller may open the session.
    package static func redeem(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE device_grants SET state = 'redeemed' WHERE id = $1 AND state = 'approved'", [.id(id)]) == 1
    }

    package enum Poll: Sendable, Hashable {
        case inTime
        /// From now on the device waits longer.
        case tooEarly
        /// The holder has decided meanwhile.
        case decided
    }

    /// Records the poll of a device that still waits.
    package static func poll(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Poll {
        let isInTime =
            try connection.execute(
                """
                UPDATE device_grants SET polled_at = $2
                WHERE id = $1 AND state = 'waiting' AND (polled_at IS NULL OR polled_at + poll_interval * 1000 <= $3)
                """, [.id(id), .time(now), .time(now + DeviceGrantLimits.leeway)]) == 1
        if isInTime { return .inTime }
        let isSlowed =
            try connection.execute(
                """
                UPDATE device_grants SET polled_at = $2, poll_interval = poll_interval + $3
                WHERE id = $1 AND state = 'waiting'
                """, [.id(id), .time(now), .integer(DeviceGrantLimits.slowDown)]) == 1
        return isSlowed ? .tooEarly : .decided
    }

    /// Deletes what waits for a transaction that is deleted.
    package static func remove(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM device_grants WHERE id = $1", [.id(id)])
    }

    /// Deletes the rows of an erased account.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM device_grants WHERE account_id = $1", [.id(account)])
    }
}

extension DeviceGrantRecord {
    /// The columns that ``init(_:)`` reads and ``values(of:)`` gives.
    enum Column: Int, RecordColumn {
        case id, deviceCode, userCode, clientID, sealed, state, accountID, grantSealed, pollInterval, polledAt,
            createdAt
        case endsAt, expiresAt
    }

    static let columns = Column.list()

    func values(of columns: [Column]) -> [SQLValue] { columns.map(value) }

    private func value(of column: Column) -> SQLValue {
        switch column {
        case .id: .id(id)
        case .deviceCode: .blob(deviceCode)
        case .userCode: .optional(userCode)
        case .clientID: .text(clientID)
        case .sealed: .blob(sealed)
        case .state: .name(state)
        case .accountID: .id(accountID)
        case .grantSealed: .optional(grantSealed)
        case .pollInterval: .integer(pollInterval)
        case .polledAt: .time(polledAt)
        case .createdAt: .time(createdAt)
        case .endsAt: .time(endsAt)
        case .expiresAt: .time(expiresAt)
        }
    }

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), deviceCode: try row.blob(.deviceCode), userCode: try row.optionalBlob(.userCode),
            clientID: try row.text(.clientID), sealed: try row.blob(.sealed), state: try row.name(.state),
            accountID: try row.optionalID(.accountID), grantSealed: try row.optionalBlob(.grantSealed),
            pollInterval: try row.integer(.pollInterval), polledAt: try row.optionalTime(.polledAt),
            createdAt: try row.time(.createdAt), endsAt: try row.time(.endsAt))
    }
}
