package import Core
package import Store
package import WalletAuthWire

/// Loads and saves the PINs of devices. It owns the tables `pins` and `pin_charges`.
///
/// It decides nothing: ``DevicePIN`` does. A PIN is loaded, changed and saved in one serializable write.
package enum PINs {
    /// - Returns: a PIN that was never set, if the device has no row.
    package static func find(_ device: UniqueID, on connection: any SQLConnection) throws -> DevicePIN {
        guard let row = try connection.row(byDevice, [.id(device)]) else { return DevicePIN() }
        let charges = try connection.query(chargesOfDevice, [.id(device)]).map { row in
            DevicePIN.Charge(
                challenge: try ChallengeID(row.id("challenge_id").uuid), expiresAt: try row.time("expires_at"))
        }
        return try DevicePIN(row, charges: charges)
    }

    private static let byDevice = """
        SELECT \(DevicePIN.Column.list()), (
            SELECT c.ends_at FROM pin_challenges c
            WHERE c.device_id = $1 AND c.state = 'open' AND c.epoch IS NOT NULL
        ) AS open_try
        FROM pins WHERE device_id = $1
        """

    private static let chargesOfDevice =
        "SELECT challenge_id, expires_at FROM pin_charges WHERE device_id = $1 ORDER BY expires_at, challenge_id"

    /// Stores a PIN and its charges. Its open challenge is stored by ``PINChallenges``.
    /// - Parameter found: the PIN as it was loaded in this write.
    package static func save(
        _ pin: DevicePIN, over found: DevicePIN, of device: UniqueID, on connection: any SQLConnection
    ) throws {
        var known = found
        known.openTry = pin.openTry
        guard pin != known, let lastEpoch = pin.lastEpoch else { return }
        for charge in pin.charges where !found.charges.contains(charge) {
            try connection.execute(
                "INSERT INTO pin_charges (challenge_id, device_id, expires_at) VALUES ($1, $2, $3)",
                [.id(try charge.rowID), .id(device), .time(charge.expiresAt)])
        }
        for charge in found.charges where !pin.charges.contains(charge) {
            try connection.execute("DELETE FROM pin_charges WHERE challenge_id = $1", [.id(try charge.rowID)])
        }
        let (state, epoch, failed) = pin.state.stored
        try connection.execute(
            upsert,
            [
                .text(state), .optional(epoch.map { Int64($0.number) }), .integer(Int64(failed)),
                .optional(pin.state.pending.map { Int64($0.number) }), .integer(Int64(lastEpoch.number)),
                .optional(pin.evaluationKey), .optional(pin.publicKey), .optional(pin.pendingEvaluationKey),
                pin.exhaustedAt.map { .time($0) } ?? .null, .time(pin.changedAt), .id(device),
            ])
    }

    private static let upsert = """
        INSERT INTO pins (\(DevicePIN.Column.list()), device_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (device_id) DO UPDATE
        SET state = $1, epoch = $2, failed = $3, pending_epoch = $4, last_epoch = $5, evaluation_key = $6,
            public_key = $7, pending_evaluation_key = $8, exhausted_at = $9, changed_at = $10
        """

    /// Removes a PIN in any state, and voids its open challenge.
    /// - Returns: whether there was one.
    package static func forget(
        _ device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let found = try find(device, on: connection)
        try PINChallenges.abandon(of: device, on: connection)
        guard let next = found.forgetting(now: now) else { return false }
        try save(next, over: found, of: device, on: connection)
        return true
    }

    /// Deletes all rows of a removed device, above all its keys.
    package static func removeAll(of device: UniqueID, on connection: any SQLConnection) throws {
        for table in ["pin_challenges", "pin_charges", "pins"] {
            try connection.execute("DELETE FROM \(table) WHERE device_id = $1", [.id(device)])
        }
    }
}

extension DevicePIN {
    /// The columns of a PIN, in the order in which they are read and written.
    fileprivate enum Column: Int, RecordColumn {
        case state, epoch, failed, pendingEpoch, lastEpoch, evaluationKey, publicKey, pendingEvaluationKey
        case exhaustedAt, changedAt
    }

    fileprivate init(_ sqlRow: SQLRow, charges: [Charge]) throws {
        let row = RecordRow<Column>(sqlRow)
        guard let last = try row.epoch(.lastEpoch) else { throw StoreError(.unexpectedRow, "a PIN without an epoch") }
        self.init(
            state: try PINState(
                stored: try row.text(.state), epoch: try row.epoch(.epoch), failed: Int(try row.integer(.failed)),
                pending: try row.epoch(.pendingEpoch)),
            lastEpoch: last, evaluationKey: try row.optionalBlob(.evaluationKey),
            publicKey: try row.optionalBlob(.publicKey),
            pendingEvaluationKey: try row.optionalBlob(.pendingEvaluationKey), charges: charges,
            exhaustedAt: try row.optionalTime(.exhaustedAt), openTry: try sqlRow.optionalTime("open_try"),
            changedAt: try row.time(.changedAt))
    }
}

extension DevicePIN.Charge {
    fileprivate var rowID: UniqueID {
        get throws {
            guard let id = UniqueID(uuid: challenge.rawValue) else {
                throw StoreError(.unexpectedRow, "a charge for a challenge without a row")
            }
            return id
        }
    }
}

extension PINState {
    /// Guesses lock a PIN only when no attempt is left; with attempts left, a restore did.
    fileprivate init(stored state: String, epoch: PINEpoch?, failed: Int, pending: PINEpoch?) throws {
        let reason: PINLockReason = failed < PINLimits.tries ? .restore : .tooManyTries
        switch (state, epoch, pending) {
        case ("none", nil, nil): self = .none
        case ("none", nil, let pending?): self = .pending(pending)
        case ("active", let epoch?, nil): self = .active(epoch, failed: failed)
        case ("active", let epoch?, let pending?): self = .changing(epoch, failed: failed, to: pending)
        case ("locked", let epoch?, nil): self = .locked(epoch, reason)
        case ("locked", let epoch?, let pending?): self = .replacing(epoch, with: pending, reason)
        default: throw StoreError(.unexpectedRow, "a PIN in an unknown state")
        }
    }

    fileprivate var stored: (state: String, epoch: PINEpoch?, failed: Int) {
        switch self {
        case .none, .pending: ("none", nil, 0)
        case .active(let epoch, let failed), .changing(let epoch, let failed, _): ("active", epoch, failed)
        case .locked(let epoch, let reason), .replacing(let epoch, _, let reason):
            ("locked", epoch, reason == .restore ? 0 : PINLimits.tries)
        }
    }
}

extension RecordRow {
    fileprivate func epoch(_ column: Column) throws -> PINEpoch? {
        try optionalInteger(column).map { number in
            guard let epoch = PINEpoch(exactly: number) else {
                throw StoreError(.unexpectedRow, "an invalid epoch")
            }
            return epoch
        }
    }
}

/// A row of an issued evaluation.
package struct PINChallengeRecord: Sendable, Hashable {
    /// Devices get it as text.
    package var id: UniqueID
    package var deviceID: UniqueID
    package var idempotencyKey: String
    /// Tells this request from others with the same key.
    package var requestDigest: [UInt8]
    /// The request, sealed, in base64url.
    package var request: String
    /// The assertion repeats it.
    package var nonce: String
    /// The epoch that was charged.
    package var epoch: PINEpoch?
    /// The pending epoch.
    package var newEpoch: PINEpoch?
    /// The attempts left after the charge.
    package var attemptsLeft: Int64?
    package var state: PINChallenge.State
    /// `nil` if it was not used.
    package var use: Use?
    package var endsAt: Timestamp
    /// The end of the time in which a repetition is recognized.
    package var expiresAt: Timestamp

    /// The use of a challenge. A repetition of the assertion proves the same again, and no more.
    package struct Use: Sendable, Hashable {
        /// Keyed digest of the assertion's payload.
        package var payloadDigest: [UInt8]
        /// The account's security version at that time.
        package var securityVersion: Int64
        package var at: Timestamp
    }

    /// A new challenge.
    package init(
        id: UniqueID, deviceID: UniqueID, idempotencyKey: String, requestDigest: [UInt8], request: String,
        nonce: String,
        epoch: PINEpoch?, newEpoch: PINEpoch?, attemptsLeft: Int64?, endsAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.deviceID = deviceID
        self.idempotencyKey = idempotencyKey
        self.requestDigest = requestDigest
        self.request = request
        self.nonce = nonce
        self.epoch = epoch
        self.newEpoch = newEpoch
        self.attemptsLeft = attemptsLeft
        state = .open
        self.endsAt = endsAt
        self.expiresAt = expiresAt
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, deviceID, idempotencyKey, requestDigest, request, nonce, epoch, newEpoch, attemptsLeft, endsAt
        case expiresAt, state, payloadDigest, securityVersion, usedAt, triesLeft
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), deviceID: try row.id(.deviceID), idempotencyKey: try row.text(.idempotencyKey),
            requestDigest: try row.blob(.requestDigest), request: try row.text(.request),
            nonce: try row.text(.nonce), epoch: try row.epoch(.epoch), newEpoch: try row.epoch(.newEpoch),
            attemptsLeft: try row.optionalInteger(.attemptsLeft), endsAt: try row.time(.endsAt),
            expiresAt: try row.time(.expiresAt))
        state =
            switch (try row.text(.state), try row.optionalBlob(.payloadDigest)) {
            case ("open", _): .open
            case ("used", let digest?): .used(digest)
            case ("failed", let digest?):
                .failed(
                    PINChallenge.Failure(
                        payloadDigest: digest, triesLeft: try row.optionalInteger(.triesLeft).map { Int($0) }))
            default: .abandoned
            }
        if case .used(let digest) = state, let version = try row.optionalInteger(.securityVersion),
            let at = try row.optionalTime(.usedAt)
        {
            use = Use(payloadDigest: digest, securityVersion: version, at: at)
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

    /// The devices whose last attempt expired without an assertion, the oldest first. Each of them used up a PIN that is not
    /// locked yet.
    package static func unansweredLastTries(
        now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT device_id FROM pin_challenges WHERE state = 'open' AND attempts_left = 0 AND ends_at <= $1
            ORDER BY ends_at LIMIT $2
            """, [.time(now), .integer(Int64(limit))]
        ).map { try $0.id("device_id") }
    }

    /// Opens a challenge. It replaces an open one, whose charge stays.
    package static func open(_ challenge: PINChallengeRecord, on connection: any SQLConnection) throws {
        try abandon(of: challenge.deviceID, on: connection)
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

    /// Stores the end of a challenge. It leaves its open state once, so this is its single-use gate.
    /// - Parameter challenge: with its new state.
    /// - Returns: whether it was open.
    package static func end(_ challenge: PINChallengeRecord, on connection: any SQLConnection) throws -> Bool {
        let (state, digest, triesLeft): (String, [UInt8]?, Int64?) =
            switch challenge.state {
            case .open, .abandoned: ("abandoned", nil, nil)
            case .used(let digest): ("used", digest, nil)
            case .failed(let failure): ("failed", failure.payloadDigest, failure.triesLeft.map { Int64($0) })
            }
        return try connection.execute(
            """
            UPDATE pin_challenges SET state = $2, payload_digest = $3, tries_left = $4, security_version = $5, used_at = $6
            WHERE id = $1 AND state = 'open'
            """,
            [
                .id(challenge.id), .text(state), .optional(digest), .optional(triesLeft),
                .optional(challenge.use?.securityVersion), challenge.use.map { .time($0.at) } ?? .null,
            ]) == 1
    }

    /// Abandons the open challenge of a device, if there is one. Its charge stays.
    package static func abandon(of device: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE pin_challenges SET state = 'abandoned' WHERE device_id = $1 AND state = 'open'", [.id(device)])
    }
}
