package import Core
package import Store

/// A row of an unused login nonce, without the nonce itself.
package struct LoginNonceRecord: Sendable, Hashable {
    /// The digest of the nonce: 32 bytes.
    package let digest: [UInt8]
    package let accountID: UniqueID
    /// The account's security version at the issue. Whatever voids sign-ins voids the nonce.
    package let securityVersion: Int64
    package let issuerClientID: String
    /// The client that may use it.
    package let clientID: String
    package let purpose: String
    /// The DPoP key that may use it: 32 bytes; `nil` for any key of the client's app.
    package let keyThumbprint: [UInt8]?
    package let expiresAt: Timestamp

    /// The columns that ``init(_:)`` reads.
    fileprivate enum Column: Int, RecordColumn {
        case digest, accountID, securityVersion, issuerClientID, clientID, purpose, keyThumbprint, expiresAt
    }

    fileprivate static let columns = Column.list()
}

extension LoginNonceRecord {
    fileprivate init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            digest: try row.blob(.digest), accountID: try row.id(.accountID),
            securityVersion: try row.integer(.securityVersion), issuerClientID: try row.text(.issuerClientID),
            clientID: try row.text(.clientID), purpose: try row.text(.purpose),
            keyThumbprint: try row.optionalBlob(.keyThumbprint), expiresAt: try row.time(.expiresAt))
    }
}

/// Reads and writes login nonces. It owns the `login_nonces` table.
package enum LoginNonces {
    package static func add(_ nonce: LoginNonceRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO login_nonces (\(LoginNonceRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .blob(nonce.digest), .id(nonce.accountID), .integer(nonce.securityVersion),
                .text(nonce.issuerClientID), .text(nonce.clientID), .text(nonce.purpose),
                .optional(nonce.keyThumbprint), .time(nonce.expiresAt),
            ])
    }

    /// The account that a nonce was issued for, whether or not it may be used.
    package static func account(of digest: [UInt8], on connection: any SQLConnection) throws -> UniqueID? {
        try connection.row("SELECT account_id FROM login_nonces WHERE digest = $1", [.blob(digest)])?.id("account_id")
    }

    /// Uses a nonce, if all that it is bound to matches.
    ///
    /// One guarded statement: of many requests with the same nonce one gets it, and a request that does not match
    /// leaves it for the right one.
    /// - Parameter thumbprint: of the DPoP key whose possession the client proved: 32 bytes.
    /// - Returns: the nonce's record; `nil` if it is unknown, spent, expired or bound to something else.
    package static func use(
        _ digest: [UInt8], by client: String, for purpose: String, thumbprint: [UInt8], now: Timestamp,
        on connection: any SQLConnection
    ) throws -> LoginNonceRecord? {
        try connection.row(
            """
            DELETE FROM login_nonces
            WHERE digest = $1 AND client_id = $2 AND purpose = $3 AND COALESCE(key_thumbprint, $4) = $4
                AND expires_at > $5
            RETURNING \(LoginNonceRecord.columns)
            """, [.blob(digest), .text(client), .text(purpose), .blob(thumbprint), .time(now)]
        ).map(LoginNonceRecord.init)
    }
}
