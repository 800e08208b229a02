package import Core
package import Kernel
package import Store

/// A browser that signed in on a hosted page, and may sign in again without asking.
package struct BrowserSessionRecord: Sendable, Hashable {
    /// SHA-256 of the cookie's value.
    package var idHash: [UInt8]
    package var accountID: UniqueID
    /// The account's security version at the sign-in.
    package var securityVersion: Int64
    package var authTime: Timestamp
    /// The authentication context class reached, if any was named.
    package var acr: String?
    /// Space-separated (RFC 8176): ``methods``.
    package var amr: String
    package var createdAt: Timestamp
    package var expiresAt: Timestamp
    /// To the minute.
    package var lastUsedAt: Timestamp
    /// What the browser said of itself at the sign-in.
    package var kind: BrowserKind
    /// From where it was last used, sealed (``SessionVault``).
    package var network: [UInt8]?

    package var methods: [String] { amr.split(separator: " ").map(String.init) }

    /// Names the session on a page and in the account's tables, where the hash of its cookie does not belong.
    package var publicID: UniqueID? { Self.publicID(of: idHash) }

    static func publicID(of idHash: [UInt8]) -> UniqueID? {
        UniqueID(bytes: Digests.of("browser-session-id", idHash).prefix(16))
    }

    /// Whether a use is worth a write.
    func isUnrecorded(useAt now: Timestamp) -> Bool { now - lastUsedAt >= .minutes(1) }

    package init(
        idHash: [UInt8], accountID: UniqueID, securityVersion: Int64, authTime: Timestamp, acr: String?, amr: String,
        createdAt: Timestamp, expiresAt: Timestamp, lastUsedAt: Timestamp? = nil, kind: BrowserKind = BrowserKind(),
        network: [UInt8]? = nil
    ) {
        self.idHash = idHash
        self.accountID = accountID
        self.securityVersion = securityVersion
        self.authTime = authTime
        self.acr = acr
        self.amr = amr
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt ?? createdAt
        self.kind = kind
        self.network = network
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case idHash, accountID, securityVersion, authTime, acr, amr, createdAt, expiresAt, lastUsedAt, browser
        case system, network
    }

    static let columns = Column.list()
}

extension BrowserSessionRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            idHash: try row.blob(.idHash), accountID: try row.id(.accountID),
            securityVersion: try row.integer(.securityVersion), authTime: try row.time(.authTime),
            acr: try row.optionalText(.acr), amr: try row.text(.amr), createdAt: try row.time(.createdAt),
            expiresAt: try row.time(.expiresAt), lastUsedAt: try row.time(.lastUsedAt),
            // A family that a later version of the program knows is unknown to this one.
            kind: BrowserKind(
                browser: try row.optionalText(.browser).flatMap(BrowserFamily.init),
                system: try row.optionalText(.system).flatMap(SystemFamily.init)),
            network: try row.optionalBlob(.network))
    }
}

extension SessionVault {
    /// The network of a browser's session.
    package func network(of session: BrowserSessionRecord) -> String? {
        session.publicID.flatMap { open(session.network, .browser, of: $0) }
    }
}

/// Single sign-on for the hosted pages. It owns the `browser_sessions` table; the pages own the cookie.
package enum BrowserSessions {
    /// Begins a browser session, if the account is active and still at the security version of the sign-in.
    ///
    /// Every sign-in begins a new one, so that an id that an attacker planted before never becomes a signed-in one.
    /// - Returns: whether it began.
    package static func begin(_ session: BrowserSessionRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO browser_sessions (\(BrowserSessionRecord.columns))
            SELECT $1, id, security_version, $4, $5, $6, $7, $8, $9, $10, $11, $12
            FROM accounts WHERE id = $2 AND state = 'active' AND security_version = $3
            """,
            [
                .blob(session.idHash), .id(session.accountID), .integer(session.securityVersion),
                .time(session.authTime), .optional(session.acr), .text(session.amr), .time(session.createdAt),
                .time(session.expiresAt), .time(session.lastUsedAt), .optional(session.kind.browser?.rawValue),
                .optional(session.kind.system?.rawValue), .optional(session.network),
            ]) == 1
    }

    /// Adds a method that the person has proved in the browser since the session began, which goes on under another id.
    /// - Parameters:
    ///   - idHash: the new one.
    ///   - network: sealed for the new one.
    static func raise(
        _ session: BrowserSessionRecord, to idHash: [UInt8], by method: String, from network: [UInt8]?,
        on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE browser_sessions SET id_hash = $2, amr = $3, network = $4 WHERE id_hash = $1",
            [
                .blob(session.idHash), .blob(idHash), .text((session.methods + [method]).joined(separator: " ")),
                .optional(network),
            ])
    }

    /// Finds a browser session that has not expired and whose account is active and unchanged.
    package static func living(
        _ idHash: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> BrowserSessionRecord? {
        try connection.row(
            """
            SELECT \(BrowserSessionRecord.columns) FROM browser_sessions
            WHERE id_hash = $1 AND expires_at > $2 AND security_version =
                (SELECT a.security_version FROM accounts a
                 WHERE a.id = browser_sessions.account_id AND a.state = 'active')
            """, [.blob(idHash), .time(now)]
        ).map(BrowserSessionRecord.init)
    }

    /// The browser sessions of an account that have not expired, newest first.
    package static func living(
        of account: UniqueID, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [BrowserSessionRecord] {
        try connection.query(
            """
            SELECT \(BrowserSessionRecord.columns) FROM browser_sessions
            WHERE account_id = $1 AND expires_at > $2 AND security_version =
                (SELECT a.security_version FROM accounts a
                 WHERE a.id = browser_sessions.account_id AND a.state = 'active')
            ORDER BY created_at DESC, id_hash LIMIT $3
            """, [.id(account), .time(now), .integer(Int64(limit))]
        ).map(BrowserSessionRecord.init)
    }

    /// Records a use, so that the holder sees when each was, and from where.
    package static func use(
        _ idHash: [UInt8], from network: [UInt8]?, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE browser_sessions SET last_used_at = $2, network = $3 WHERE id_hash = $1 AND last_used_at < $2",
            [.blob(idHash), .time(now), .optional(network)])
    }

    /// - Returns: whether there was one.
    @discardableResult
    package static func end(_ idHash: [UInt8], on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM browser_sessions WHERE id_hash = $1", [.blob(idHash)]) == 1
    }

    /// - Parameter spared: the hash of one that continues; `nil` for none.
    @discardableResult
    package static func endAll(
        of account: UniqueID, sparing spared: [UInt8]? = nil, on connection: any SQLConnection
    ) throws -> Int {
        try connection.execute(
            "DELETE FROM browser_sessions WHERE account_id = $1 AND id_hash <> $2",
            [.id(account), .blob(spared ?? [])])
    }
}
