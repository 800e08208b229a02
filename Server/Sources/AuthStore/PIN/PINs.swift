package import AuthCore
package import WalletAuthWire

/// Reads and writes PINs: set, charged, proved, locked. It owns the tables `pins` and `pin_charges`.
package enum PINs {
    /// - Returns: `nil` if the device never had a PIN, nor one being set.
    package static func find(_ device: UniqueID, on connection: any SQLConnection) throws -> PINRecord? {
        try connection.row(byDevice, [.id(device)]).map(PINRecord.init)
    }

    private static let byDevice = "SELECT \(PINRecord.columns) FROM pins WHERE device_id = $1"

    /// Begins a new epoch. A pending one is dropped with its key.
    /// - Parameters:
    ///   - epoch: the one after the last that there ever was.
    ///   - key: the epoch's VOPRF key, sealed.
    /// - Returns: whether `epoch` was still the next. Of two concurrent callers one gets `false`.
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

    /// Charges one attempt before any evaluation, so that concurrent requests get no more than are left.
    /// - Parameters:
    ///   - challenge: the challenge that is charged; its success removes the charge.
    ///   - epoch: the epoch that the device believes to be in use.
    /// - Returns: the attempts left; `nil` if none may be charged.
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
            ])?.integer("failed")
        guard failed != nil else { return nil }
        try connection.execute(
            "INSERT INTO pin_charges (challenge_id, device_id, expires_at) VALUES ($1, $2, $3)",
            [.id(challenge), .id(device), .time(now + PINLimits.window)])
        return try triesLeft(device, epoch: epoch, now: now, on: connection)
    }

    /// Removes the charge of a request that never began.
    package static func uncharge(
        _ challenge: UniqueID, of device: UniqueID, epoch: PINEpoch, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE pins SET failed = failed - 1 WHERE device_id = $1 AND epoch = $2 AND failed > 0",
            [.id(device), .integer(Int64(epoch.number))])
        try connection.execute("DELETE FROM pin_charges WHERE challenge_id = $1", [.id(challenge)])
    }

    /// Records a success: it restores all attempts and removes the challenge's charge.
    /// - Returns: whether the epoch was still in use.
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

    /// Locks a PIN without attempts, unless the last attempt still waits for its assertion.
    /// - Returns: whether it was in use and is locked now.
    package static func lockWhenUsedUp(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pins SET state = 'locked', changed_at = $3
            WHERE device_id = $1 AND state = 'active' AND failed >= $2 AND NOT EXISTS (\(openTry("$3")))
            """, [.id(device), .integer(Int64(PINLimits.tries)), .time(now)]) == 1
    }

    /// Records that the charges of the window are used up, unless the last of them still waits for its assertion. The
    /// next charge clears the record.
    /// - Returns: whether they are, and were not recorded before.
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

    /// An attempt of the device `$1` whose assertion may still arrive.
    private static func openTry(_ now: String) -> String {
        """
        SELECT 1 FROM pin_challenges c
        WHERE c.device_id = $1 AND c.state = 'open' AND c.epoch IS NOT NULL AND c.ends_at > \(now)
        """
    }

    /// The end of the period in which a device has no charges left; `nil` if it may charge.
    package static func exhaustedUntil(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(expires_at) AS first_end FROM pin_charges
            WHERE device_id = $1 AND expires_at > $2
            """, [.id(device), .time(now)])
        guard let row, try row.integer("number") >= Int64(PINLimits.chargesPerWindow) else { return nil }
        return try row.time("first_end")
    }

    /// The attempts left before the PIN locks or the window of all charges is used up.
    package static func triesLeft(
        _ device: UniqueID, epoch: PINEpoch, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        let row = try connection.row(
            """
            SELECT failed,
                (SELECT COUNT(*) FROM pin_charges c WHERE c.device_id = $1 AND c.expires_at > $3) AS unsuccessful
            FROM pins WHERE device_id = $1 AND state = 'active' AND epoch = $2
            """, [.id(device), .integer(Int64(epoch.number)), .time(now)])
        guard let row else { return 0 }
        return PINState.triesLeft(
            failed: Int(try row.integer("failed")), unsuccessful: Int(try row.integer("unsuccessful")))
    }

    /// Puts the pending epoch into use, and deletes the key of the epoch before.
    /// - Parameter publicKey: the public half of the new PIN key, sealed.
    /// - Returns: whether that epoch was pending.
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

    /// Removes a PIN in any state: deletes its keys and voids its open challenge. The charges of the last thirty days
    /// stay; otherwise removal would be a way to continue guessing.
    /// - Returns: whether there was one.
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

    /// Deletes all rows of a removed device, above all its keys.
    package static func removeAll(of device: UniqueID, on connection: any SQLConnection) throws {
        for table in ["pin_challenges", "pin_charges", "pins"] {
            try connection.execute("DELETE FROM \(table) WHERE device_id = $1", [.id(device)])
        }
    }
}

/// Reads and writes challenges, each opened and answered once. It owns the `pin_challenges` table.
package enum PINChallenges {
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> PINChallengeRecord? {
        try connection.row("SELECT \(PINChallengeRecord.columns) FROM pin_challenges WHERE id = $1", [.id(id)])
            .map(PINChallengeRecord.init)
    }

    /// Finds the challenge that a device's `Idempotency-Key` opened.
    package static func find(
        key: String, of device: UniqueID, on connection: any SQLConnection
    ) throws -> PINChallengeRecord? {
        try connection.row(
            """
            SELECT \(PINChallengeRecord.columns) FROM pin_challenges WHERE device_id = $1 AND idempotency_key = $2
            """, [.id(device), .text(key)]
        ).map(PINChallengeRecord.init)
    }

    /// When a device may again send requests that charge no attempt; `nil` if it may now.
    package static func settingPausedUntil(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        // Each challenge ends a fixed time after its request.
        let pause = Duration.minutes(1)
        let afterwards = PINLimits.challengeLifetime - pause
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(ends_at) AS first_end FROM pin_challenges
            WHERE device_id = $1 AND epoch IS NULL AND ends_at > $2
            """, [.id(device), .time(now + afterwards)])
        guard let row, try row.integer("number") >= Int64(PINLimits.settingsPerMinute) else { return nil }
        return try row.time("first_end") - afterwards
    }

    /// Last attempts that expired without an assertion, oldest first. Each of them used up a PIN that is not locked
    /// yet.
    package static func unansweredLastTries(
        now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [(challenge: UniqueID, device: UniqueID)] {
        try connection.query(
            """
            SELECT id, device_id FROM pin_challenges WHERE state = 'open' AND attempts_left = 0 AND ends_at <= $1
            ORDER BY ends_at LIMIT $2
            """, [.time(now), .integer(Int64(limit))]
        ).map { (try $0.id("id"), try $0.id("device_id")) }
    }

    /// Opens a challenge. It replaces an open one, whose charge stays.
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

    /// Ends an open challenge with a correct assertion. This is its single-use gate, and therefore one guarded write.
    /// - Parameter use: the facts to remember. The challenge must not have expired by its time.
    /// - Returns: whether it was open.
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

    /// Ends an open challenge with a wrong assertion. It must not have expired by `now`.
    /// - Parameter payload: the keyed digest of the assertion's payload, which identifies a repetition.
    /// - Returns: whether it was open.
    package static func fail(
        _ id: UniqueID, by payload: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE pin_challenges SET state = 'failed', payload_digest = $2
            WHERE id = $1 AND state = 'open' AND ends_at > $3
            """, [.id(id), .blob(payload), .time(now)]) == 1
    }

    /// Stores the attempts left after a wrong assertion, for its repetition. Without them the repetition reports a
    /// lock.
    package static func keep(triesLeft: Int, of id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE pin_challenges SET tries_left = $2 WHERE id = $1", [.id(id), .integer(Int64(triesLeft))])
    }

    /// Ends an expired challenge.
    /// - Returns: whether it was open.
    package static func expire(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE pin_challenges SET state = 'abandoned' WHERE id = $1 AND state = 'open' AND ends_at <= $2",
            [.id(id), .time(now)]) == 1
    }
}
