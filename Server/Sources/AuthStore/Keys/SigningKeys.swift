package import AuthCore

/// Where a signing key stands in its life. It is published before it signs, and after it signed.
package enum SigningKeyState: String, Sendable, Codable, CaseIterable {
    /// Published, not signing yet.
    case next
    /// Published and signing.
    case active
    /// Published until what it signed has expired; signs no more.
    case retired
}

/// A signing key as it stands in its row.
package struct SigningKeyRecord: Sendable, Hashable {
    /// The key's id in JWS headers and the key set.
    package var kid: String
    /// `ES256`, `RS256` or `EdDSA`.
    package var algorithm: String
    /// Where it stands.
    package var state: SigningKeyState
    /// The sealed private key; `nil` once a retired key's private half was destroyed.
    package var sealedPrivate: [UInt8]?
    /// The public key, a JWK as JSON.
    package var publicJWK: String
    /// Since when it is in the key set.
    package var publishedAt: Timestamp
    /// When it began to sign.
    package var activatedAt: Timestamp?
    /// When it signed last.
    package var retiredAt: Timestamp?

    /// Each parameter is the property of its name.
    package init(
        kid: String, algorithm: String, state: SigningKeyState, sealedPrivate: [UInt8]?, publicJWK: String,
        publishedAt: Timestamp, activatedAt: Timestamp? = nil, retiredAt: Timestamp? = nil
    ) {
        self.kid = kid
        self.algorithm = algorithm
        self.state = state
        self.sealedPrivate = sealedPrivate
        self.publicJWK = publicJWK
        self.publishedAt = publishedAt
        self.activatedAt = activatedAt
        self.retiredAt = retiredAt
    }
}

/// The facts of signing keys. The schema holds at most one active and one next key of an algorithm.
package enum SigningKeys {
    /// Every key that is still published, the oldest first.
    package static func published(on connection: any SQLConnection) throws -> [SigningKeyRecord] {
        try connection.query(
            """
            SELECT kid, algorithm, state, sealed_private, public_jwk, published_at, activated_at, retired_at
            FROM signing_keys WHERE removed_at IS NULL ORDER BY published_at, kid
            """, []
        ).map { row in
            SigningKeyRecord(
                kid: try row.text(0), algorithm: try row.text(1), state: try row.name(2),
                sealedPrivate: try row.optionalBlob(3), publicJWK: try row.text(4), publishedAt: try row.time(5),
                activatedAt: try row.optionalTime(6), retiredAt: try row.optionalTime(7))
        }
    }

    /// Adds a key as it stands in the record.
    ///
    /// - Returns: `false` when the algorithm has a key in that state already (another process was first).
    /// - Throws: ``StoreError``.
    package static func add(_ key: SigningKeyRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO signing_keys (kid, algorithm, state, sealed_private, public_jwk, published_at, activated_at,
                retired_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """,
            [
                .text(key.kid), .text(key.algorithm), .name(key.state), .optional(key.sealedPrivate),
                .text(key.publicJWK), .time(key.publishedAt), .time(key.activatedAt), .time(key.retiredAt),
            ]) == 1
    }

    /// Makes the next key of an algorithm the active one and retires the one before, in one transaction.
    ///
    /// - Parameters:
    ///   - kid: the key that is to sign; it must stand at `next`.
    ///   - now: the time of the change.
    ///   - connection: the connection of a write.
    /// - Returns: whether it stood at `next`; nothing was changed otherwise.
    /// - Throws: ``StoreError``.
    package static func activate(_ kid: String, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        let next = try connection.row(
            "SELECT algorithm FROM signing_keys WHERE kid = $1 AND state = 'next'", [.text(kid)])
        guard let algorithm = try next?.text(0) else { return false }
        try connection.execute(
            "UPDATE signing_keys SET state = 'retired', retired_at = $2 WHERE algorithm = $1 AND state = 'active'",
            [.text(algorithm), .time(now)])
        return try connection.execute(
            "UPDATE signing_keys SET state = 'active', activated_at = $2 WHERE kid = $1 AND state = 'next'",
            [.text(kid), .time(now)]) == 1
    }

    /// Takes the retired keys out of the key set that have not signed since a time, and destroys their private halves.
    ///
    /// - Returns: how many.
    /// - Throws: ``StoreError``.
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
