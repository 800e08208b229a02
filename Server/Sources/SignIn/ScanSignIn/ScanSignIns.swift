package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Reads and writes sign-ins that wait for a phone. It owns the `scan_sign_ins` table.
///
/// A row's `revision` guards it, as with transactions: a write based on an older revision changes nothing.
package enum ScanSignIns {
    package static func add(_ record: ScanSignInRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(insertion.sql, record.values(of: insertion.columns)) == 1
    }

    private static let insertion = RecordWrite<ScanSignInRecord.Column>.insertion(into: "scan_sign_ins")

    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> ScanSignInRecord? {
        try connection.row(
            "SELECT \(ScanSignInRecord.columns) FROM scan_sign_ins WHERE id = $1", [.id(id)]
        ).map(ScanSignInRecord.init)
    }

    /// Stores the state after a step.
    /// - Returns: whether the row was still at the revision read; `false` changes nothing.
    package static func save(_ record: ScanSignInRecord, on connection: any SQLConnection) throws -> Bool {
        let values = record.values(of: update.columns) + [.id(record.id), .integer(record.revision)]
        return try connection.execute(update.sql, values) == 1
    }

    private static let update = RecordWrite<ScanSignInRecord.Column>.update(
        of: "scan_sign_ins",
        [
            .state, .accountID, .deviceID, .number, .numbers, .sameNetwork, .payload, .payloadHash, .assertion,
            .methods,
            .securityVersion, .signedAt, .endsAt, .expiresAt,
        ], key: .id, revision: .revision)

    /// Ends what a browser has not used, before it gets another code: it has one at a time.
    package static func endUnused(of browser: [UInt8], now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE scan_sign_ins SET ends_at = $2, revision = revision + 1
            WHERE browser = $1 AND state IN ('open', 'claimed', 'chosen') AND ends_at > $2
            """, [.blob(browser), .time(now)])
    }

    /// When an account's devices may scan again after too many wrong numbers; `nil` for now.
    package static func heldUntil(
        _ account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(ends_at) AS first_end FROM scan_sign_ins
            WHERE account_id = $1 AND state = 'mismatched' AND ends_at > $2
            """, [.id(account), .time(now - ScanLimits.mismatchWindow)])
        guard let row, try row.integer("number") >= ScanLimits.mismatches else { return nil }
        return try row.optionalTime("first_end").map { $0 + ScanLimits.mismatchWindow }
    }

    /// Deletes the rows of an erased account.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM scan_sign_ins WHERE account_id = $1", [.id(account)])
    }
}

extension ScanSignInRecord {
    /// The columns that ``init(_:)`` reads and ``values(of:)`` gives.
    enum Column: Int, RecordColumn {
        case id, brandID, clientID, browser, network, sealed, state, accountID, deviceID, number, numbers, sameNetwork
        case payload, payloadHash, assertion, methods, securityVersion, signedAt, revision, createdAt, endsAt, expiresAt
    }

    static let columns = Column.list()

    func values(of columns: [Column]) -> [SQLValue] { columns.map(value) }

    private func value(of column: Column) -> SQLValue {
        switch column {
        case .id: .id(id)
        case .brandID: .text(brandID)
        case .clientID: .text(clientID)
        case .browser: .blob(browser)
        case .network: .blob(network)
        case .sealed: .blob(sealed)
        case .state: .name(state)
        case .accountID: .id(claim?.account)
        case .deviceID: .id(claim?.device)
        case .number: .optional(claim?.number)
        case .numbers: .optional(claim.map { $0.numbers.map(String.init).joined(separator: " ") })
        case .sameNetwork: .optional(claim.map { $0.sameNetwork ? 1 : 0 })
        case .payload: .optional(claim?.payload?.sealed)
        case .payloadHash: .optional(claim?.payload?.hash.rawValue)
        case .assertion: .optional(claim?.signature?.assertion)
        case .methods: .optional(claim?.signature.map { $0.methods.joined(separator: " ") })
        case .securityVersion: .optional(claim?.signature?.securityVersion)
        case .signedAt: .time(claim?.signature?.at)
        case .revision: .integer(revision)
        case .createdAt: .time(createdAt)
        case .endsAt: .time(endsAt)
        case .expiresAt: .time(expiresAt)
        }
    }

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), brandID: try row.text(.brandID), clientID: try row.text(.clientID),
            browser: try row.blob(.browser), network: try row.blob(.network), sealed: try row.blob(.sealed),
            state: try row.name(.state), claim: try Claim(row), revision: try row.integer(.revision),
            createdAt: try row.time(.createdAt), endsAt: try row.time(.endsAt))
    }
}

extension ScanSignInRecord.Claim {
    fileprivate init?(_ row: RecordRow<ScanSignInRecord.Column>) throws {
        guard let account = try row.optionalID(.accountID), let device = try row.optionalID(.deviceID) else {
            return nil
        }
        self.init(
            account: account, device: device, number: try row.integer(.number),
            numbers: try row.text(.numbers).split(separator: " ").compactMap { Int64($0) },
            sameNetwork: try row.integer(.sameNetwork) == 1)
        if let sealed = try row.optionalBlob(.payload) {
            guard let hash = try? PayloadHash(row.text(.payloadHash)) else {
                throw StoreError(.unexpectedRow, "column payload_hash is not a hash")
            }
            payload = ScanSignInRecord.Payload(sealed: sealed, hash: hash)
        }
        if let methods = try row.optionalText(.methods) {
            signature = ScanSignInRecord.Signature(
                assertion: try row.blob(.assertion), methods: methods.split(separator: " ").map(String.init),
                securityVersion: try row.integer(.securityVersion), at: try row.time(.signedAt))
        }
    }
}

extension Brands {
    /// Whether people may sign in to a brand by scanning the sign-in page. Its operator turns that on.
    package static func takesScans(_ brand: String, on connection: any SQLConnection) throws -> Bool {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.scanSignIn ?? false
    }
}
