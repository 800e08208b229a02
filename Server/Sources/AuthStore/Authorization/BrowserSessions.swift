package import AuthCore

/// A browser that signed in on a hosted page, and may do so again without asking.
package struct BrowserSessionRecord: Sendable, Hashable {
    /// SHA-256 of the cookie's value.
    package var idHash: [UInt8]
    /// Who is signed in.
    package var accountID: UniqueID
    /// The account's security version at the sign-in.
    package var securityVersion: Int64
    /// When the person authenticated.
    package var authTime: Timestamp
    /// The authentication context class reached, if any was named.
    package var acr: String?
    /// The authentication methods used, space separated (RFC 8176): ``methods``.
    package var amr: String
    /// When it began.
    package var createdAt: Timestamp
    /// When it ends.
    package var expiresAt: Timestamp

    /// The authentication methods used (RFC 8176).
    package var methods: [String] { amr.split(separator: " ").map(String.init) }

    /// Each parameter is the property of its name.
    package init(
        idHash: [UInt8], accountID: UniqueID, securityVersion: Int64, authTime: Timestamp, acr: String?, amr: String,
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.idHash = idHash
        self.accountID = accountID
        self.securityVersion = securityVersion
        self.authTime = authTime
        self.acr = acr
        self.amr = amr
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// Single sign-on of the hosted pages. It owns `browser_sessions`; the cookie is the pages' own.
package enum BrowserSessions {
    /// Begins a browser session, if the account is still active and at the security version it was judged by.
    ///
    /// A new one at every sign-in: an id that a stranger fixed before never becomes a signed-in one.
    ///
    /// - Returns: whether it began.
    /// - Throws: ``StoreError``.
    package static func begin(_ session: BrowserSessionRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO browser_sessions
                (id_hash, account_id, security_version, auth_time, acr, amr, created_at, expires_at)
            SELECT $1, id, security_version, $4, $5, $6, $7, $8
            FROM accounts WHERE id = $2 AND state = 'active' AND security_version = $3
            """,
            [
                .blob(session.idHash), .id(session.accountID), .integer(session.securityVersion),
                .time(session.authTime), .optional(session.acr), .text(session.amr), .time(session.createdAt),
                .time(session.expiresAt),
            ]) == 1
    }

    /// The browser session of a cookie, only while it has not expired and its account is active and unchanged.
    package static func living(
        _ idHash: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> BrowserSessionRecord? {
        try connection.row(
            """
            SELECT id_hash, account_id, security_version, auth_time, acr, amr, created_at, expires_at
            FROM browser_sessions WHERE id_hash = $1 AND expires_at > $2 AND security_version =
                (SELECT a.security_version FROM accounts a
                 WHERE a.id = browser_sessions.account_id AND a.state = 'active')
            """, [.blob(idHash), .time(now)]
        ).map { row in
            BrowserSessionRecord(
                idHash: try row.blob(0), accountID: try row.id(1), securityVersion: try row.integer(2),
                authTime: try row.time(3), acr: try row.optionalText(4), amr: try row.text(5),
                createdAt: try row.time(6), expiresAt: try row.time(7))
        }
    }

    /// Ends the browser session of a cookie.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func end(_ idHash: [UInt8], on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM browser_sessions WHERE id_hash = $1", [.blob(idHash)]) == 1
    }

    /// Ends every browser session of an account.
    @discardableResult
    package static func endAll(of account: UniqueID, on connection: any SQLConnection) throws -> Int {
        try connection.execute("DELETE FROM browser_sessions WHERE account_id = $1", [.id(account)])
    }
}
