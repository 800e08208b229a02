package import Core
package import Store

/// The lifecycle of a signing key, which is published before it signs and afterwards.
package enum SigningKeyState: String, Sendable, Codable, CaseIterable {
    /// Published, not signing yet.
    case next
    case active
    /// No longer signing; published until its signatures have expired.
    case retired
}

/// A row of a signing key.
package struct SigningKeyRecord: Sendable, Hashable {
    /// The key's id in JWS headers and the key set.
    package var kid: String
    /// `ES256`, `RS256` or `EdDSA`.
    package var algorithm: String
    package var state: SigningKeyState
    /// `nil` once a retired key's private half was destroyed.
    package var sealedPrivate: [UInt8]?
    /// A JWK as JSON.
    package var publicJWK: String
    package var publishedAt: Timestamp
    package var activatedAt: Timestamp?
    /// When it stopped signing.
    package var retiredAt: Timestamp?

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case kid, algorithm, state, sealedPrivate, publicJWK, publishedAt, activatedAt, retiredAt
    }

    static let columns = Column.list()
}

extension SigningKeyRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            kid: try row.text(.kid), algorithm: try row.text(.algorithm), state: try row.name(.state),
            sealedPrivate: try row.optionalBlob(.sealedPrivate), publicJWK: try row.text(.publicJWK),
            publishedAt: try row.time(.publishedAt), activatedAt: try row.optionalTime(.activatedAt),
            retiredAt: try row.optionalTime(.retiredAt))
    }
}

/// Reads and writes signing keys. The schema allows at most one active and one next key of an algorithm.
package enum SigningKeys {
    /// The published keys, oldest first.
    package static func published(on connection: any SQLConnection) throws -> [SigningKeyRecord] {
        try connection.query(
            """
            SELECT \(SigningKeyRecord.columns) FROM signing_keys WHERE removed_at IS NULL ORDER BY published_at, kid
            """, []
        ).map(SigningKeyRecord.init)
    }

    /// - Returns: `false` if the algorithm has a key in that state already, because another process was first.
    package static func add(_ key: SigningKeyRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO signing_keys (\(SigningKeyRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """,
            [
                .text(key.kid), .text(key.algorithm), .name(key.state), .optional(key.sealedPrivate),
                .text(key.publicJWK), .time(key.publishedAt), .time(key.activatedAt), .time(key.retiredAt),
            ]) == 1
    }

    /// Activates the next key of an algorithm and retires the active one, in one transaction.
    /// - Returns: whether the key was in state `next`; if not, nothing was changed.
    package static func activate(_ kid: String, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        let next = try connection.row(
            "SELECT algorithm FROM signing_keys WHERE kid = $1 AND state = 'next'", [.text(kid)])
        guard let algorithm = try next?.text("algorithm") else { return false }
        try connection.execute(
            "UPDATE signing_keys SET state = 'retired', retired_at = $2 WHERE algorithm = $1 AND state = 'active'",
            [.text(algorithm), .time(now)])
        return try connection.execute(
            "UPDATE signing_keys SET state = 'active', activated_at = $2 WHERE kid = $1 AND state = 'next'",
            [.text(kid), .time(now)]) == 1
    }

    /// Removes a published key from the key set at once, whatever its state, and destroys its private half. An active one leaves its
    /// algorithm without a signer, so call this in the transaction that activates another.
    /// - Returns: whether the key was published; if not, nothing was changed.
    package static func revoke(_ kid: String, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE signing_keys SET state = 'retired', activated_at = COALESCE(activated_at, $2),
                retired_at = COALESCE(retired_at, $2), removed_at = $2, sealed_private = NULL
            WHERE kid = $1 AND removed_at IS NULL
            """, [.text(kid), .time(now)]) == 1
    }

    /// Removes retired keys without signatures since a given time from the key set, and destroys their private halves.
    /// - Returns: the number removed.
    @discardableResult
    package static func remove(
        retiredBefore time: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        try connection.execute(
            """
            UPDATE signing_keys SET removed_at = $2, sealed_private = NULL
            WHERE state = 'retired' AND removed_at IS NULL AND retired_at < $1
            """, [.time(time), .time(now)])
    }
}
