package import AuthCore
package import WalletAuthWire

/// The facts of PINs: set, charged, proved, locked. It owns `pins`, `pin_charges` and `pin_challenges`.
package enum PINs {
    /// Where a device stands; `nil` where it never had, nor was getting, a PIN.
    package static func find(_ device: UniqueID, on connection: any SQLConnection) throws -> PINRecord? {
        try connection.row("SELECT \(PINRecord.columns) FROM pins WHERE device_id = $1", [.id(device)])
            .map(PINRecord.init)
    }

    /// Begins a new epoch; one that was being set before is dropped with its key.
    ///
    /// - Parameters:
    ///   - epoch: the epoch after the last that there ever was.
    ///   - device: the device.
    ///   - key: its VOPRF key, sealed.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: whether `epoch` still was the next; of two that begin at once one gets `false`.
    /// - Throws: ``StoreError``.
    package static func begin(
        _ epoch: PINEpoch, of device: UniqueID, key: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO pins (device_id, state, failed, pending_epoch, pending_evaluation_key, last_epoch, changed_at)
            VALUES ($1, 'none', 0, $2, $3, $2, $4)
            ON CONFLICT (device_id) DO UPDATE
            SET pending_epoch = $2, pending_evaluation_key = $3, last_epoch = $2, changed_at = $4
            WHERE pins.last_epoch = $2 - 1
            """, [.id(device), .integer(Int64(epoch.number)), .blob(key), .time(now)]) == 1
    }

    /// Charges one try, before anything is evaluated: of any number at once no more than are left get one.
    ///
    /// - Parameters:
    ///   - challenge: the challenge that it is charged for; its success takes the charge back.
    ///   - device: the device.
    ///   - epoch: the epoch that the device believes to be in use.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: how many tries are left after it; `nil` where nothing may be charged.
    /// - Throws: ``StoreError``.
    package static func charge(
        _ challenge: UniqueID, of device: UniqueID, epoch: PINEpoch, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int? {
        let failed = try connection.row(
            """
            UPDATE pins SET failed = failed + 1, exhausted_at = NULL
            WHERE device_id = $1 AND state = 'active' AND epoch = $2 AND failed < $3 AND $4 >
                (SELECT COUNT(*) FROM pin_charges c WHERE c.device_id = $1 AND c.expires_at > $5)
            RETURNING failed
            """,
            [
                .id(device), .integer(Int64(epoch.number)), .integer(Int64(PINLimits.tries)),
                .integer(Int64(PINLimits.chargesPerWindow)), .time(now),
            ])?.integer(0)
        guard failed != nil else { return nil }
        try connection.execute(
            "INSERT INTO pin_charges (challenge_id, device_id, expires_at) VALUES ($1, $2, $3)",
            [.id(challenge), .id(device), .time(now + PINLimits.window)])
        return try triesLeft(device, epoch: epoch, now: now, on: connection)
    }

    /// Takes a charge back whose request never began.
    package static func uncharge(
        _ challenge: UniqueID, of device: UniqueID, epoch: PINEpoch, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE pins SET failed = failed - 1 WHERE device_id = $1 AND epoch = $2 AND failed > 0",
            [.id(device), .integer(Int64(epoch.number))])
        try connection.execute("DELETE FROM pin_charges WHERE challenge_id = $1", [.id(challenge)])
    }

    /// Takes a success into account: all tries are back, and the charge of this challenge with them.
    ///
    /// - Returns: whether that epoch was still in use.
    /// - Throws: ``StoreError``.
    package static func succeed(
        _ challenge: UniqueID, of device: UniqueID, epoch: PINEpoch, on connection: any SQLConnection
    ) throws -> Bool {
        let isInUse =
            try connection.execute(
                "UPDATE pins SET failed = 0 WHERE device_id = $1 AND state = 'active' AND epoch = $2",
                [.id(device), .integer(Int64(epoch.number))]) == 1
        guard isInUse else { return false }
        try connection.execute("DELETE FROM pin_charges WHERE challenge_id = $1", [.id(challenge)])
        return true
    }

    /// Locks a PIN whose tries are used up, unless the last of them still waits for its assertion.
    ///
    /// - Returns: whether it was in use and is locked now.
    /// - Throws: ``StoreError``.
    package static func lockWhenUsedUp(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pins SET state = 'locked', changed_at = $3
            WHERE device_id = $1 AND state = 'active' AND failed >= $2 AND NOT EXISTS (\(openTry("$3")))
            """, [.id(device), .integer(Int64(PINLimits.tries)), .time(now)]) == 1
    }

    /// Notes that the charges of the window are used up, unless the last of them still waits for its assertion. The next charge
    /// takes the note away.
    ///
    /// - Returns: whether they are, and it was not noted before.
    /// - Throws: ``StoreError``.
    package static func noteExhaustion(
        of device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pins SET exhausted_at = $3
            WHERE device_id = $1 AND state <> 'none' AND exhausted_at IS NULL AND NOT EXISTS (\(openTry("$3"))) AND $2 <=
                (SELECT COUNT(*) FROM pin_charges c WHERE c.device_id = $1 AND c.expires_at > $3)
            """, [.id(device), .integer(Int64(PINLimits.chargesPerWindow)), .time(now)]) == 1
    }

    /// A try of the device `$1` whose assertion may still come.
    private static func openTry(_ now: String) -> String {
        """
        SELECT 1 FROM pin_challenges c
        WHERE c.device_id = $1 AND c.state = 'open' AND c.epoch IS NOT NULL AND c.ends_at > \(now)
        """
    }

    /// When a device's charges of the window are used up, until when they are; `nil` where it may charge.
    /// - Throws: ``StoreError``.
    package static func exhaustedUntil(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        let row = try connection.row(
            "SELECT COUNT(*), MIN(expires_at) FROM pin_charges WHERE device_id = $1 AND expires_at > $2",
            [.id(device), .time(now)])
        guard let row, try row.integer(0) >= Int64(PINLimits.chargesPerWindow) else { return nil }
        return try row.time(1)
    }

    /// How many tries are left: until the PIN locks, and within the window of all charges.
    package static func triesLeft(
        _ device: UniqueID, epoch: PINEpoch, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        let row = try connection.row(
            """
            SELECT failed, (SELECT COUNT(*) FROM pin_charges c WHERE c.device_id = $1 AND c.expires_at > $3) FROM pins
            WHERE device_id = $1 AND state = 'active' AND epoch = $2
            """, [.id(device), .integer(Int64(epoch.number)), .time(now)])
        guard let row else { return 0 }
        return PINState.triesLeft(failed: Int(try row.integer(0)), unsuccessful: Int(try row.integer(1)))
    }

    /// Puts the epoch that was being set into use; the key of the one before it is gone.
    ///
    /// - Parameters:
    ///   - epoch: the epoch that the assertion was for.
    ///   - device: the device.
    ///   - publicKey: the public half of the new PIN key, sealed.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: whether that epoch was being set.
    /// - Throws: ``StoreError``.
    package static func promote(
        _ epoch: PINEpoch, of device: UniqueID, publicKey: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pins SET state = 'active', epoch = pending_epoch, failed = 0,
                evaluation_key = pending_evaluation_key, public_key = $3, pending_epoch = NULL,
                pending_evaluation_key = NULL, changed_at = $4
            WHERE device_id = $1 AND pending_epoch = $2
            """, [.id(device), .integer(Int64(epoch.number)), .blob(publicKey), .time(now)]) == 1
    }

    /// Takes a PIN away, in use, locked or being set: its keys are gone, and what was begun by it is void. The charges of the
    /// last thirty days stay, or forgetting would be a way to guess on.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``StoreError``.
    package static func forget(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE pin_challenges SET state = 'abandoned' WHERE device_id = $1 AND state = 'open'", [.id(device)])
        return try connection.execute(
            """
            UPDATE pins SET state = 'none', epoch = NULL, failed = 0, evaluation_key = NULL, public_key = NULL,
                pending_epoch = NULL, pending_evaluation_key = NULL, changed_at = $2
            WHERE device_id = $1 AND (state <> 'none' OR pending_epoch IS NOT NULL)
            """, [.id(device), .time(now)]) == 1
    }

    /// Removes everything of a device that is removed, its keys above all.
    package static func removeAll(of device: UniqueID, on connection: any SQLConnection) throws {
        for table in ["pin_challenges", "pin_charges", "pins"] {
            try connection.execute("DELETE FROM \(table) WHERE device_id = $1", [.id(device)])
        }
    }
}

/// The facts of challenges: opened once, answered once.
package enum PINChallenges {
    /// The challenge of an id.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> PINChallengeRecord? {
        try connection.row("SELECT \(PINChallengeRecord.columns) FROM pin_challenges WHERE id = $1", [.id(id)])
            .map(PINChallengeRecord.init)
    }

    /// The challenge that a device's `Idempotency-Key` opened.
    package static func find(
        key: String, of device: UniqueID, on connection: any SQLConnection
    ) throws -> PINChallengeRecord? {
        try connection.row(
            """
            SELECT \(PINChallengeRecord.columns) FROM pin_challenges WHERE device_id = $1 AND idempotency_key = $2
            """, [.id(device), .text(key)]
        ).map(PINChallengeRecord.init)
    }

    /// When a device may ask again for what charges no try; `nil` where it may now.
    /// - Parameters:
    ///   - device: the device.
    ///   - now: the present.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func settingPausedUntil(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        // Each ends a fixed time after it was asked for.
        let pause = Duration.minutes(1)
        let afterwards = PINLimits.challengeLifetime - pause
        let row = try connection.row(
            """
            SELECT COUNT(*), MIN(ends_at) FROM pin_challenges WHERE device_id = $1 AND epoch IS NULL AND ends_at > $2
            """, [.id(device), .time(now + afterwards)])
        guard let row, try row.integer(0) >= Int64(PINLimits.settingsPerMinute) else { return nil }
        return try row.time(1) - afterwards
    }

    /// Tries that were the last and whose time is over without an assertion, the oldest first: with each of them a PIN ran out
    /// that is not locked yet.
    /// - Throws: ``StoreError``.
    package static func unansweredLastTries(
        now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [(challenge: UniqueID, device: UniqueID)] {
        try connection.query(
            """
            SELECT id, device_id FROM pin_challenges WHERE state = 'open' AND attempts_left = 0 AND ends_at <= $1
            ORDER BY ends_at LIMIT $2
            """, [.time(now), .integer(Int64(limit))]
        ).map { (try $0.id(0), try $0.id(1)) }
    }

    /// Opens a challenge; one that is open gives way, its charge kept.
    package static func open(_ challenge: PINChallengeRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE pin_challenges SET state = 'abandoned' WHERE device_id = $1 AND state = 'open'",
            [.id(challenge.deviceID)])
        try connection.execute(
            """
            INSERT INTO pin_challenges (\(PINChallengeRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'open', NULL, NULL, NULL, NULL)
            """,
            [
                .id(challenge.id), .id(challenge.deviceID), .text(challenge.idempotencyKey),
                .blob(challenge.requestDigest), .text(challenge.request), .text(challenge.nonce),
                .optional(challenge.epoch.map { Int64($0.number) }),
                .optional(challenge.newEpoch.map { Int64($0.number) }), .optional(challenge.attemptsLeft),
                .time(challenge.endsAt), .time(challenge.expiresAt),
            ])
    }

    /// Ends an open challenge by an assertion that is right: this is its single-use gate, and so one guarded write.
    ///
    /// - Parameters:
    ///   - id: the challenge.
    ///   - use: what is remembered of it; the challenge must not be over by its time.
    ///   - connection: the connection of a write.
    /// - Returns: whether it was open.
    /// - Throws: ``StoreError``.
    package static func end(
        _ id: UniqueID, by use: PINChallengeRecord.Use, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pin_challenges SET state = 'used', payload_digest = $2, security_version = $3, used_at = $4
            WHERE id = $1 AND state = 'open' AND ends_at > $4
            """,
            [.id(id), .blob(use.payloadDigest), .integer(use.securityVersion), .time(use.at)]) == 1
    }

    /// Ends an open challenge by an assertion that is wrong.
    /// - Parameters:
    ///   - id: the challenge.
    ///   - payload: the keyed digest of the assertion's payload, by which a repetition is known.
    ///   - now: when; the challenge must not be over by its time.
    ///   - connection: the connection of a write.
    /// - Returns: whether it was open.
    /// - Throws: ``StoreError``.
    package static func fail(
        _ id: UniqueID, by payload: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pin_challenges SET state = 'failed', payload_digest = $2
            WHERE id = $1 AND state = 'open' AND ends_at > $3
            """, [.id(id), .blob(payload), .time(now)]) == 1
    }

    /// Keeps how many tries a wrong assertion left, for its repetition; without it the repetition is told of a lock.
    package static func keep(triesLeft: Int, of id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE pin_challenges SET tries_left = $2 WHERE id = $1", [.id(id), .integer(Int64(triesLeft))])
    }

    /// Ends an open challenge whose time is over.
    /// - Returns: whether it was open.
    /// - Throws: ``StoreError``.
    package static func expire(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE pin_challenges SET state = 'abandoned' WHERE id = $1 AND state = 'open' AND ends_at <= $2",
            [.id(id), .time(now)]) == 1
    }
}
