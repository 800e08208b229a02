package import AuthCore

/// The facts of sessions: opened, rotated, ended. It owns the `sessions` table; what a token looks like it does not know.
///
/// Each writing statement names the account's state and security version in its guard, so that a decision taken a moment
/// before a password change or a deactivation opens nothing and rotates nothing.
package enum Sessions {
    /// Opens a session, if the account is still active and at the security version that the sign-in was judged by, and
    /// the device, where it is opened on one, is active.
    ///
    /// - Returns: whether it was opened; `false` means that account or device changed meanwhile (or are gone).
    /// - Throws: ``StoreError``.
    package static func open(_ session: NewSession, on connection: any SQLConnection) throws -> Bool {
        let opened = try connection.execute(
            """
            INSERT INTO sessions (id, account_id, client_id, dpop_jkt, secret, mac_key_id, scope, acr, amr, auth_time,
                security_version, merchant_id, created_at, expires_at, absolute_expires_at, generation, rotated_at,
                granted_to, audience, device_id, counts_until, requires_proof)
            SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, security_version, $12, $13, $14, $15, 0, $13,
                $16, $17, $18, $19, $20
            FROM accounts WHERE id = $2 AND state = 'active' AND security_version = $11
                AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.id = $18 AND d.state <> 'active')
            """,
            [
                .id(session.id), .id(session.accountID), .text(session.clientID), .optional(session.dpopThumbprint),
                .blob(session.secret), .integer(session.macKeyID), .text(session.scope), .optional(session.acr),
                .text(session.amr), .time(session.authTime), .integer(session.securityVersion),
                .optional(session.merchantID), .time(session.createdAt), .time(session.expiresAt),
                .time(session.absoluteExpiresAt), .optional(session.grantedTo), .text(session.audience),
                .id(session.deviceID), .time(session.countsUntil), .integer(session.requiresProof ? 1 : 0),
            ])
        return opened == 1
    }

    /// The session of an id as it stands, ended or expired ones included; one point read.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> SessionRecord? {
        try connection.row("SELECT \(SessionRecord.columns) FROM sessions WHERE id = $1", [.id(id)])
            .map(SessionRecord.init)
    }

    /// The session of an id, only while it lives: neither ended nor expired, its account active and unchanged.
    ///
    /// What anything that moves money asks before it trusts an access token's `sid`.
    package static func living(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> SessionRecord? {
        try connection.row(
            """
            SELECT \(SessionRecord.columns) FROM sessions
            WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2 AND security_version =
                (SELECT a.security_version FROM accounts a WHERE a.id = sessions.account_id AND a.state = 'active')
            """, [.id(id), .time(now)]
        ).map(SessionRecord.init)
    }

    /// Moves a session from one generation to the next.
    ///
    /// This is the single-use gate of a refresh token, and so one guarded statement: of any number of callers that
    /// present the same generation, at once or after a restart, exactly one gets `true`.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - generation: the generation presented; the row must stand at it.
    ///   - attemptHash: SHA-256 of the client's `attempt`, or `nil` when it sent none.
    ///   - now: becomes the time of the rotation; the session must not be expired by it.
    ///   - expiresAt: the new sliding end; cut to the absolute one.
    ///   - counting: until when what the sign-in proved goes on to count, where it does not count no more already: what
    ///     was idle for too long stays so.
    ///   - connection: the connection of a write.
    /// - Returns: whether this caller won. `false`: rotated, ended, expired, or its account changed; read to learn which.
    /// - Throws: ``StoreError``.
    package static func rotate(
        _ id: UniqueID, from generation: Int64, attemptHash: [UInt8]?, now: Timestamp, expiresAt: Timestamp,
        countingUntil counting: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            UPDATE sessions SET generation = generation + 1, rotated_at = $4, attempt_hash = $3,
                expires_at = CASE WHEN $5 < absolute_expires_at THEN $5 ELSE absolute_expires_at END,
                counts_until = CASE WHEN counts_until >= $4 THEN $6 ELSE counts_until END
            WHERE id = $1 AND generation = $2 AND revoked_at IS NULL AND expires_at > $4 AND security_version =
                (SELECT a.security_version FROM accounts a WHERE a.id = sessions.account_id AND a.state = 'active')
            RETURNING generation
            """,
            [
                .id(id), .integer(generation), .optional(attemptHash), .time(now), .time(expiresAt), .time(counting),
            ]) != nil
    }

    /// Moves the sliding end of a living session without a new generation, for clients whose profile forbids rotation
    /// (FAPI 2.0 Security Profile §5.3.2.1).
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - generation: the generation presented; the row must stand at it.
    ///   - now: the session must not be expired by it.
    ///   - expiresAt: the new sliding end; cut to the absolute one.
    ///   - counting: as for ``rotate(_:from:attemptHash:now:expiresAt:countingUntil:on:)``.
    ///   - connection: the connection of a write.
    /// - Returns: whether the session was alive and at that generation.
    /// - Throws: ``StoreError``.
    package static func extend(
        _ id: UniqueID, at generation: Int64, now: Timestamp, expiresAt: Timestamp, countingUntil counting: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            UPDATE sessions
            SET expires_at = CASE WHEN $4 < absolute_expires_at THEN $4 ELSE absolute_expires_at END,
                counts_until = CASE WHEN counts_until >= $3 THEN $5 ELSE counts_until END
            WHERE id = $1 AND generation = $2 AND revoked_at IS NULL AND expires_at > $3 AND security_version =
                (SELECT a.security_version FROM accounts a WHERE a.id = sessions.account_id AND a.state = 'active')
            RETURNING generation
            """, [.id(id), .integer(generation), .time(now), .time(expiresAt), .time(counting)]) != nil
    }

    /// Lets what a session's sign-in proved count for longer, since its holder did something; nothing where it counts no more.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - counting: until when it counts from now on.
    ///   - now: when they did it.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func keepCounting(
        _ id: UniqueID, until counting: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE sessions SET counts_until = $3 WHERE id = $1 AND revoked_at IS NULL AND counts_until >= $2",
            [.id(id), .time(now), .time(counting)])
    }

    /// Ends a session; the first reason stays.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - why: the reason.
    ///   - scope: what else it takes trust from, where something was taken away by it.
    ///   - now: the time of the end.
    ///   - connection: the connection of a write.
    /// - Returns: whether this call ended it, so that the holder is told once.
    /// - Throws: ``StoreError``.
    package static func end(
        _ id: UniqueID, because why: SessionEnd, distrusting scope: SessionEnd.RevocationScope = .account,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let ended = try connection.row(
            """
            UPDATE sessions SET revoked_at = $2, revoked_reason = $3 WHERE id = $1 AND revoked_at IS NULL
            RETURNING account_id
            """, [.id(id), .time(now), .name(why)])
        guard let ended else { return false }
        if scope == .account {
            try Accounts.distrustDevices(of: try ended.id(0), because: why, now: now, on: connection)
        }
        return true
    }

    /// Ends every session of an account.
    ///
    /// - Parameters:
    ///   - account: whose sessions.
    ///   - spared: a session that goes on, such as the one that changed the password; it must then also get the
    ///     account's new security version by ``adopt(_:version:on:)``.
    ///   - why: the reason.
    ///   - now: the time of the end.
    ///   - connection: the connection of a write.
    /// - Returns: how many were ended.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func endAll(
        of account: UniqueID, sparing spared: UniqueID? = nil, because why: SessionEnd, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Int {
        try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        return try connection.execute(
            """
            UPDATE sessions SET revoked_at = $3, revoked_reason = $4
            WHERE account_id = $1 AND id <> $2 AND revoked_at IS NULL
            """,
            // An id that nobody has stands for "none": comparing with null would be true for no row at all.
            [.id(account), spared.map { .id($0) } ?? .blob([]), .time(now), .name(why)])
    }

    /// Lets a living session go on under a new security version of its account, inside the write that raised it.
    package static func adopt(_ id: UniqueID, version: Int64, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE sessions SET security_version = $2 WHERE id = $1 AND revoked_at IS NULL",
            [.id(id), .integer(version)])
    }

    /// The sessions of an account, the oldest first.
    ///
    /// - Parameters:
    ///   - account: whose sessions.
    ///   - after: the last id of the page before, or `nil` for the first page.
    ///   - limit: the page's size.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func list(
        of account: UniqueID, after: UniqueID? = nil, limit: Int, on connection: any SQLConnection
    ) throws -> [SessionRecord] {
        try connection.query(
            """
            SELECT \(SessionRecord.columns) FROM sessions WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3
            """, [.id(account), after.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map(SessionRecord.init)
    }
}

extension Sessions {
    /// Whether a client's key has had a session of an account, living or ended, that was opened under its present password, by
    /// that password or by two factors: then it belongs to a device that the account knows. Remembered as long as the
    /// session's row.
    ///
    /// A device that somebody else signed in with before the password was changed is untrusted again, and so is a key from before one
    /// of its sessions was taken away (``SessionEnd/sparingKeys``). Where anything was taken away from the account, a session
    /// that had ended before says nothing more (``AccountRecord/devicesDistrustedAt``), but for one that the present password
    /// opened, as long as that opens anything. Another client's key is untrusted: anyone who runs an app that a person once
    /// signed in to has one. What closed the account took away every session, the holder's with
    /// the thief's: it says nothing of a key.
    ///
    /// - Parameters:
    ///   - thumbprint: the 32 bytes of the DPoP key's thumbprint, whose possession was proved.
    ///   - client: the client that proved it.
    ///   - account: the account.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func knows(
        _ thumbprint: [UInt8], by client: String, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            knowing,
            [.id(account), .blob(thumbprint), .text(client), .text(AuthenticationStrength.twoFactors)]) != nil
    }

    /// What was taken away of the key's sessions is found once. Asked for each session again, an account with thousands of them
    /// would take seconds.
    package static let knowing = """
        SELECT 1 FROM sessions WHERE account_id = $1 AND dpop_jkt = $2 AND client_id = $3
            AND (acr = $4 OR ' ' || amr || ' ' LIKE '% pwd %')
            AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = sessions.account_id
                AND sessions.created_at >= a.password_changed_at
                AND (sessions.revoked_at IS NULL OR sessions.created_at > COALESCE(a.strangers_since, 0)
                    OR (a.password_state = 'current' AND ' ' || sessions.amr || ' ' LIKE '% pwd %')))
            AND created_at > COALESCE((SELECT MAX(o.revoked_at) FROM sessions o WHERE o.account_id = $1 AND o.dpop_jkt = $2
                AND o.revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKnownKeys)))), -1)
        LIMIT 1
        """
}
