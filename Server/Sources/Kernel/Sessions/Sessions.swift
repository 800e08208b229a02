package import Core
package import Store

/// Reads and writes sessions: opened, rotated, ended. It owns the `sessions` table and does not know the format of
/// tokens.
///
/// The guard of each writing statement includes the account's state and security version. A decision made a moment
/// before a password change or deactivation therefore opens and rotates nothing.
package enum Sessions {
    /// Opens a session, if the account is active and still at the security version of the sign-in, the device, if any,
    /// is active, and no client of the session was deleted.
    /// - Returns: whether it was opened; `false` if account, device or client changed or were removed meanwhile.
    package static func open(_ session: NewSession, on connection: any SQLConnection) throws -> Bool {
        let opened = try connection.execute(
            """
            INSERT INTO sessions (id, account_id, client_id, dpop_jkt, secret, mac_key_id, scope, acr, amr, auth_time,
                security_version, merchant_id, created_at, expires_at, absolute_expires_at, generation, rotated_at,
                granted_to, audience, device_id, counts_until, requires_proof, network,
                authorization_details)
            SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, security_version, $12, $13, $14, $15, 0, $13,
                $16, $17, $18, $19, $20, $21, $22
            FROM accounts WHERE id = $2 AND state = 'active' AND security_version = $11
                AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.id = $18 AND d.state <> 'active')
                AND NOT EXISTS (SELECT 1 FROM clients c WHERE c.id IN ($3, $16) AND c.state <> 'active')
            """,
            [
                .id(session.id), .id(session.accountID), .text(session.clientID), .optional(session.dpopThumbprint),
                .blob(session.secret), .integer(session.macKeyID), .text(session.scope), .optional(session.acr),
                .text(session.amr), .time(session.authTime), .integer(session.securityVersion),
                .optional(session.merchantID), .time(session.createdAt), .time(session.expiresAt),
                .time(session.absoluteExpiresAt), .optional(session.grantedTo), .text(session.audience),
                .id(session.deviceID), .time(session.countsUntil), .integer(session.requiresProof ? 1 : 0),
                .optional(session.network), .optional(session.authorizationDetails),
            ])
        return opened == 1
    }

    /// Finds a session in any state, with one point read.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> SessionRecord? {
        try connection.row("SELECT \(SessionRecord.columns) FROM sessions WHERE id = $1", [.id(id)])
            .map(SessionRecord.init)
    }

    /// Finds a session that has neither ended nor expired, whose account is active and unchanged, and whose clients
    /// were not deleted.
    ///
    /// Operations that move money check this before they trust an access token's `sid`.
    package static func living(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> SessionRecord? {
        try connection.row(livingByID, [.id(id), .time(now)]).map(SessionRecord.init)
    }

    /// Whether the same app has signed the same account in again since, with the same key: it then has an open session that is newer.
    package static func hasSuccessor(
        of session: NewSession, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard let thumbprint = session.dpopThumbprint else { return false }
        return try connection.row(
            """
            SELECT 1 FROM sessions WHERE account_id = $1 AND revoked_reason IS NULL AND client_id = $2 AND dpop_jkt = $3
                AND created_at >= $4 AND id <> $5 AND expires_at > $6 LIMIT 1
            """,
            [
                .id(session.accountID), .text(session.clientID), .blob(thumbprint), .time(session.createdAt),
                .id(session.id), .time(now),
            ]) != nil
    }

    /// The sessions of an account that have neither ended nor expired, newest first.
    package static func living(
        of account: UniqueID, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [SessionRecord] {
        try connection.query(
            """
            SELECT \(SessionRecord.columns) FROM sessions
            WHERE account_id = $1 AND revoked_reason IS NULL AND expires_at > $2 AND \(ofOpenAccountAndClients)
            ORDER BY id DESC LIMIT $3
            """, [.id(account), .time(now), .integer(Int64(limit))]
        ).map(SessionRecord.init)
    }

    /// The clients that an account is signed in to, by its sessions that have neither ended nor expired.
    package static func clients(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> [String] {
        try connection.query(
            """
            SELECT DISTINCT COALESCE(granted_to, client_id) AS client FROM sessions
            WHERE account_id = $1 AND revoked_reason IS NULL AND expires_at > $2 AND \(ofOpenAccountAndClients)
            ORDER BY client
            """, [.id(account), .time(now)]
        ).map { try $0.text("client") }
    }

    private static let livingByID = """
        SELECT \(SessionRecord.columns) FROM sessions
        WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2 AND \(ofOpenAccountAndClients)
        """

    /// SQL: the session's account is active and unchanged since its sign-in, and no client of the session was deleted.
    private static let ofOpenAccountAndClients = """
        security_version =
            (SELECT a.security_version FROM accounts a WHERE a.id = sessions.account_id AND a.state = 'active')
            AND NOT EXISTS (SELECT 1 FROM clients c
                WHERE c.id IN (sessions.client_id, sessions.granted_to) AND c.state <> 'active')
        """

    /// Moves a session from one generation to the next.
    ///
    /// This is the single-use gate of a refresh token, and therefore one guarded statement. Of all callers that present
    /// the same generation, at once or after a restart, exactly one gets `true`.
    /// - Parameters:
    ///   - generation: the generation presented, which must be the row's.
    ///   - attemptHash: SHA-256 of the client's `attempt`; `nil` if it sent none.
    ///   - now: the time of the rotation; the session must not have expired by then.
    ///   - expiresAt: the new sliding end, limited to the absolute end.
    ///   - counting: the new end of the time in which the sign-in's factors count. If that time is over already, it
    ///     stays over.
    ///   - network: from where, sealed; `nil` keeps the one that is stored.
    /// - Returns: whether this caller won. If not, the session was rotated, ended or has expired, or its account
    ///   changed; read the row to learn which. If the row has another security version than before, the statement may
    ///   have compared it with the account's old one (``WriteIsolation/guardedStatement``): try again.
    package static func rotate(
        _ id: UniqueID, from generation: Int64, attemptHash: [UInt8]?, now: Timestamp, expiresAt: Timestamp,
        countingUntil counting: Timestamp, network: [UInt8]? = nil, on connection: any SQLConnection
    ) throws -> Bool {
        let values: [SQLValue] = [
            .id(id), .integer(generation), .optional(attemptHash), .time(now), .time(expiresAt), .time(counting),
        ]
        return try connection.row(
            """
            UPDATE sessions SET generation = generation + 1, rotated_at = $4, attempt_hash = $3,
                \(network == nil ? "" : "network = $7,")
                expires_at = CASE WHEN $5 < absolute_expires_at THEN $5 ELSE absolute_expires_at END,
                counts_until = CASE WHEN counts_until >= $4 THEN $6 ELSE counts_until END
            WHERE id = $1 AND generation = $2 AND revoked_at IS NULL AND expires_at > $4
                AND \(ofOpenAccountAndClients)
            RETURNING generation
            """,
            values + (network.map { [SQLValue.blob($0)] } ?? [])) != nil
    }

    /// Moves the sliding end of a living session without a new generation, for clients whose profile forbids rotation
    /// (FAPI 2.0 Security Profile §5.3.2.1).
    ///
    /// The parameters are those of ``rotate(_:from:attemptHash:now:expiresAt:countingUntil:network:on:)``.
    /// - Returns: whether the session was living and at that generation.
    package static func extend(
        _ id: UniqueID, at generation: Int64, now: Timestamp, expiresAt: Timestamp, countingUntil counting: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            UPDATE sessions
            SET expires_at = CASE WHEN $4 < absolute_expires_at THEN $4 ELSE absolute_expires_at END,
                counts_until = CASE WHEN counts_until >= $3 THEN $5 ELSE counts_until END
            WHERE id = $1 AND generation = $2 AND revoked_at IS NULL AND expires_at > $3
                AND \(ofOpenAccountAndClients)
            RETURNING generation
            """, [.id(id), .integer(generation), .time(now), .time(expiresAt), .time(counting)]) != nil
    }

    /// Extends the time in which a sign-in's factors count after activity of the holder. If that time is over, it stays
    /// over.
    package static func keepCounting(
        _ id: UniqueID, until counting: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE sessions SET counts_until = $3 WHERE id = $1 AND revoked_at IS NULL AND counts_until >= $2",
            [.id(id), .time(now), .time(counting)])
    }

    /// Ends a session; the first reason stays.
    /// - Parameter scope: the keys that lose trust, if the reason is a revocation.
    /// - Returns: whether this call ended it, so that the holder is notified once.
    package static func end(
        _ id: UniqueID, because why: SessionEnd, distrusting scope: SessionEnd.RevocationScope = .account,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard let account = try end(where: "id = $3", [.id(id)], because: why, now: now, on: connection).first else {
            return false
        }
        if scope == .account { try Accounts.distrustDevices(of: account, because: why, now: now, on: connection) }
        return true
    }

    /// Ends every session of an account.
    /// - Parameter spared: a session that continues, such as the one that changed the password. It also needs the
    ///   account's new security version, from ``adopt(_:version:on:)``.
    /// - Returns: the number ended.
    @discardableResult
    package static func endAll(
        of account: UniqueID, sparing spared: UniqueID? = nil, because why: SessionEnd, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Int {
        try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        return try end(
            where: "account_id = $3 AND id <> $4",
            // An id that no session has represents "none": a comparison with null would match no row at all.
            [.id(account), spared.map { .id($0) } ?? .blob([])], because: why, now: now, on: connection
        ).count
    }

    /// The sessions of a client that have not ended, in the order of ids, those that were granted to it included.
    ///
    /// It has no index and reads the whole table page by page: for a client that is deleted.
    package static func page(
        ofClient client: String, after: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT id FROM sessions WHERE id > $2 AND revoked_at IS NULL AND (client_id = $1 OR granted_to = $1)
            ORDER BY id LIMIT $3
            """, [.text(client), after.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map { try $0.id("id") }
    }

    /// Gives a living session the account's new security version. Call this in the write that raised it.
    package static func follow(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE sessions SET security_version = (SELECT security_version FROM accounts WHERE id = sessions.account_id)
            WHERE id = $1 AND revoked_at IS NULL
            """, [.id(id)])
    }

    /// The sessions of an account, oldest first.
    /// - Parameter after: the last id of the previous page; `nil` for the first page.
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
    /// Whether a client's key belongs to a known device of the account: it has or had a session opened under the
    /// present password, by that password or by two factors. This is remembered as long as the session's row. A session that was
    /// approved from another device does not count: nothing was typed where the key is, and a stranger may hold it.
    ///
    /// A key becomes untrusted
    /// - when the password changes, until the next sign-in with the key;
    /// - when one of its own sessions is revoked (an end other than ``SessionEnd/sparingKnownKeys``);
    /// - when anything of the account is revoked and the key's session had ended before
    ///   (``AccountRecord/devicesDistrustedAt``), unless the present password opened that session and is still usable.
    ///
    /// A key of another client is untrusted: anyone whose app the person once signed in to has one. Closing the account
    /// ends every session, the holder's and the attacker's, and therefore says nothing about a key.
    /// - Parameter thumbprint: 32 bytes, of the DPoP key whose possession was proved.
    package static func knows(
        _ thumbprint: [UInt8], by client: String, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            knowing,
            [.id(account), .blob(thumbprint), .text(client), .text(AuthenticationStrength.twoFactors)]) != nil
    }

    /// The subquery for revoked sessions of the key runs once. If it ran for each session, an account with thousands of
    /// them would take seconds.
    package static let knowing = """
        SELECT 1 FROM sessions WHERE account_id = $1 AND dpop_jkt = $2 AND client_id = $3
            AND (acr = $4 OR ' ' || amr || ' ' LIKE '% pwd %')
            AND ' ' || amr || ' ' NOT LIKE '% \(AuthenticationStrength.crossDevice) %'
            AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = sessions.account_id
                AND sessions.created_at >= a.password_changed_at
                AND (sessions.revoked_at IS NULL OR sessions.created_at > COALESCE(a.devices_distrusted_at, 0)
                    OR (a.password_state = 'current' AND ' ' || sessions.amr || ' ' LIKE '% pwd %')))
            AND created_at > COALESCE((SELECT MAX(o.revoked_at) FROM sessions o WHERE o.account_id = $1 AND o.dpop_jkt = $2
                AND o.revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKnownKeys)))), -1)
        LIMIT 1
        """
}

extension Sessions {
    /// Binds a living session to the device enrolled in it.
    /// - Returns: whether the session was still living.
    package static func bind(_ id: UniqueID, to device: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE sessions SET device_id = $2 WHERE id = $1 AND revoked_at IS NULL", [.id(id), .id(device)]) == 1
    }

    /// Ends every session on a device: those that name it, and the account's sessions without a device that are bound
    /// to its app's DPoP key, for example after a sign-in in the browser.
    package static func endAll(
        onDevice device: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let row = try connection.row("SELECT account_id FROM devices WHERE id = $1", [.id(device)])
        if let account = try row?.id("account_id") {
            try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        }
        _ = try end(
            where: """
                (device_id = $3 OR
                    (device_id IS NULL AND account_id = (SELECT d.account_id FROM devices d WHERE d.id = $3)
                        AND dpop_jkt = (SELECT d.dpop_jkt FROM devices d WHERE d.id = $3)))
                """, [.id(device)], because: why, now: now, on: connection)
    }
}

extension Sessions {
    /// Whether the account is signed in on a device: a session has neither ended nor expired that
    /// ``endAll(onDevice:because:now:on:)`` would end. One that a scan opened does not count, because another device let it in.
    package static func isSignedIn(
        on device: UniqueID, of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM sessions
            WHERE account_id = $2 AND revoked_reason IS NULL AND expires_at > $3 AND \(ofOpenAccountAndClients)
                AND ' ' || amr || ' ' NOT LIKE '% \(AuthenticationStrength.crossDevice) %'
                AND (device_id = $1 OR
                    (device_id IS NULL AND dpop_jkt = (SELECT d.dpop_jkt FROM devices d WHERE d.id = $1)))
            LIMIT 1
            """, [.id(device), .id(account), .time(now)]) != nil
    }
}

extension Sessions {
    /// Whether a client's key is linked to an account: it has a session of that client opened under the present
    /// password, with two factors if `acr` asks for them, and not revoked. Sessions of other clients do not count,
    /// because another party's app must not link its key as a device of the operator's own app. Nor does one that a
    /// scan opened: the person who approved it may be at another device.
    ///
    /// A revoked session (an end other than ``SessionEnd/sparingKeys``) links nothing, and neither do earlier sessions
    /// of the same key: its holder has to prove a second factor again. The same goes for a key that had signed out when
    /// anything of the account was revoked (``AccountRecord/devicesDistrustedAt``), as for every browser.
    /// - Parameters:
    ///   - thumbprint: 32 bytes, of the DPoP key whose possession was proved.
    ///   - acr: the class that the session must have reached; `nil` for any.
    package static func links(
        _ thumbprint: [UInt8], by client: String, to account: UniqueID, at acr: String? = nil,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(linking, [.id(account), .blob(thumbprint), .optional(acr), .text(client)]) != nil
    }

    /// The subquery for revoked sessions of the key runs once, as in ``knowing``.
    package static let linking = """
        SELECT 1 FROM sessions WHERE account_id = $1 AND dpop_jkt = $2 AND (acr = $3 OR $3 IS NULL) AND client_id = $4
            AND ' ' || amr || ' ' NOT LIKE '% \(AuthenticationStrength.crossDevice) %'
            AND (revoked_at IS NULL OR (revoked_reason IN (\(SessionEnd.list(SessionEnd.linkingKeys))) AND created_at > COALESCE(
                (SELECT a.devices_distrusted_at FROM accounts a WHERE a.id = sessions.account_id), 0)))
            AND created_at >= COALESCE(
                (SELECT a.password_changed_at FROM accounts a WHERE a.id = sessions.account_id), 0)
            AND created_at > COALESCE((SELECT MAX(o.revoked_at) FROM sessions o WHERE o.account_id = $1 AND o.dpop_jkt = $2
                AND o.revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKeys)))), -1)
        LIMIT 1
        """
}

extension Accounts {
    /// Records a revocation. From then on a device is untrusted unless it has a session at this moment or the present
    /// password was entered on it.
    ///
    /// This is a fact of the account, not of the sessions that end, because an attacker who had signed out has no
    /// session to end.
    /// - Parameters:
    ///   - why: why sessions end. Nothing is written if that revokes nothing.
    ///   - now: the time of the write. A device that signed in and out while the write waited is to be untrusted as well.
    package static func distrustDevices(
        of id: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws {
        guard why.takesAway else { return }
        // An earlier request may be written after a later one, and a server whose clock is ahead may have opened a session.
        try connection.execute(
            """
            UPDATE accounts SET devices_distrusted_at = (SELECT CASE
                WHEN devices_distrusted_at > $2 AND devices_distrusted_at > COALESCE(MAX(s.created_at), 0)
                    THEN devices_distrusted_at
                WHEN MAX(s.created_at) > $2 THEN MAX(s.created_at)
                ELSE $2 END
                FROM sessions s WHERE s.account_id = $1)
            WHERE id = $1
            """, [.id(id), .time(now)])
    }
}
