package import AuthCore

/// The facts of authenticator apps: one in use for each account, and one that waits to be confirmed. It owns
/// `totp_secrets`, and `totp_coolings`: until when none counts for a payment.
package enum TOTPSecrets {
    /// A secret as it stands in its row.
    package struct Record: Sendable, Hashable {
        /// The secret, sealed.
        package var sealed: [UInt8]
        /// The last step whose code was taken; no code of it or of an earlier one is taken again.
        package var lastStep: Int64
    }

    /// Puts a secret down that waits to be confirmed; one that waited before is forgotten.
    package static func begin(
        _ sealed: [UInt8], of account: UniqueID, by session: UniqueID, until end: Timestamp, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO totp_secrets (account_id, state, sealed, session_id, last_step, created_at, expires_at)
            VALUES ($1, 'pending', $2, $3, 0, $4, $5)
            ON CONFLICT (account_id, state) DO UPDATE SET sealed = $2, session_id = $3, last_step = 0,
                created_at = $4, expires_at = $5
            """, [.id(account), .blob(sealed), .id(session), .time(now), .time(end)])
    }

    /// The secret that a session asked for and that waits to be confirmed.
    package static func pending(
        of account: UniqueID, by session: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Record? {
        try connection.row(
            """
            SELECT sealed, last_step FROM totp_secrets
            WHERE account_id = $1 AND state = 'pending' AND session_id = $2 AND expires_at > $3
            """, [.id(account), .id(session), .time(now)]
        ).map { Record(sealed: try $0.blob(0), lastStep: try $0.integer(1)) }
    }

    /// The secret in use.
    package static func active(of account: UniqueID, on connection: any SQLConnection) throws -> Record? {
        try connection.row(
            "SELECT sealed, last_step FROM totp_secrets WHERE account_id = $1 AND state = 'active'", [.id(account)]
        ).map { Record(sealed: try $0.blob(0), lastStep: try $0.integer(1)) }
    }

    /// When the secret in use was taken into use; `nil` where there is none.
    package static func addedAt(of account: UniqueID, on connection: any SQLConnection) throws -> Timestamp? {
        try connection.row(
            "SELECT created_at FROM totp_secrets WHERE account_id = $1 AND state = 'active'", [.id(account)])?.time(0)
    }

    /// Takes a pending secret into use, in the place of the one before.
    ///
    /// - Parameters:
    ///   - sealed: the secret that was confirmed; another one in the row refuses it.
    ///   - account: whose it is.
    ///   - session: the session that asked for it.
    ///   - step: the step of the code that confirmed it: that code is spent.
    ///   - cooling: until when it agrees to no payment.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Returns: whether this call took it into use.
    /// - Throws: ``StoreError``.
    package static func activate(
        _ sealed: [UInt8], of account: UniqueID, by session: UniqueID, step: Int64, coolingUntil cooling: Timestamp,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let confirmed = try connection.execute(
            """
            DELETE FROM totp_secrets
            WHERE account_id = $1 AND state = 'pending' AND session_id = $2 AND sealed = $3 AND expires_at > $4
            """, [.id(account), .id(session), .blob(sealed), .time(now)])
        guard confirmed == 1 else { return false }
        try connection.execute(
            """
            INSERT INTO totp_secrets (account_id, state, sealed, last_step, created_at)
            VALUES ($1, 'active', $2, $3, $4)
            ON CONFLICT (account_id, state) DO UPDATE SET sealed = $2, last_step = $3, created_at = $4
            """, [.id(account), .blob(sealed), .integer(step), .time(now)])
        try connection.execute(
            """
            INSERT INTO totp_coolings (account_id, cooling_until) VALUES ($1, $2)
            ON CONFLICT (account_id) DO UPDATE SET cooling_until = $2
            """, [.id(account), .time(cooling)])
        return true
    }

    /// Whether an app was set up so lately that its codes agree to no payment. It stays so when the app is taken away: a
    /// sign-in by its code would count again otherwise.
    package static func isCooling(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM totp_coolings WHERE account_id = $1 AND cooling_until > $2", [.id(account), .time(now)])
            != nil
    }

    /// Spends the code of a step.
    ///
    /// This is the single-use gate of an authenticator's codes: of any number of callers with the same code one gets `true`.
    ///
    /// - Returns: whether no code of this step or a later one was taken before.
    /// - Throws: ``StoreError``.
    package static func spend(
        step: Int64, of account: UniqueID, sealed: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE totp_secrets SET last_step = $2
            WHERE account_id = $1 AND state = 'active' AND sealed = $3 AND last_step < $2
            """, [.id(account), .integer(step), .blob(sealed)]) == 1
    }

    /// Spends every code up to a step, for up to a number of accounts: after a restore, which brings back steps that were
    /// spent since.
    /// - Returns: for how many; zero when none is left.
    /// - Throws: ``StoreError``.
    package static func advanceBatch(_ limit: Int, to step: Int64, on connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            UPDATE totp_secrets SET last_step = $2 WHERE state = 'active' AND account_id IN (
                SELECT t.account_id FROM totp_secrets t WHERE t.state = 'active' AND t.last_step < $2 LIMIT $1)
            """, [.integer(Int64(limit)), .integer(step)])
    }

    /// Takes an authenticator app away, one that waits included.
    /// - Returns: whether one was in use.
    /// - Throws: ``StoreError``.
    package static func remove(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM totp_secrets WHERE account_id = $1 AND state = 'pending'", [.id(account)])
        return try connection.execute(
            "DELETE FROM totp_secrets WHERE account_id = $1 AND state = 'active'", [.id(account)]) == 1
    }
}
