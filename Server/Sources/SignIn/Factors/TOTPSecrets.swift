package import Core
package import Store

/// Reads and writes the secrets of authenticator apps: for each account one in use, and one pending. It owns the tables
/// `totp_secrets` and `totp_cooling_periods`, which has the end of the cooling period for payments.
package enum TOTPSecrets {
    package struct Record: Sendable, Hashable {
        package var sealed: [UInt8]
        /// The last step whose code was accepted. No code of it or of an earlier step is accepted again.
        package var lastStep: Int64
    }

    /// Stores a pending secret, in place of an earlier one.
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

    /// The pending secret that a session requested.
    package static func pending(
        of account: UniqueID, by session: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Record? {
        try connection.row(
            """
            SELECT sealed, last_step FROM totp_secrets
            WHERE account_id = $1 AND state = 'pending' AND session_id = $2 AND expires_at > $3
            """, [.id(account), .id(session), .time(now)]
        ).map { Record(sealed: try $0.blob("sealed"), lastStep: try $0.integer("last_step")) }
    }

    package static func active(of account: UniqueID, on connection: any SQLConnection) throws -> Record? {
        try connection.row(
            "SELECT sealed, last_step FROM totp_secrets WHERE account_id = $1 AND state = 'active'", [.id(account)]
        ).map { Record(sealed: try $0.blob("sealed"), lastStep: try $0.integer("last_step")) }
    }

    /// When the secret in use was confirmed; `nil` if there is none.
    package static func addedAt(of account: UniqueID, on connection: any SQLConnection) throws -> Timestamp? {
        try connection.row(
            "SELECT created_at FROM totp_secrets WHERE account_id = $1 AND state = 'active'",
            [.id(account)])?.time("created_at")
    }

    /// Puts a pending secret into use, in place of the one before.
    /// - Parameters:
    ///   - sealed: the confirmed secret; another one in the row refuses it.
    ///   - session: the session that requested it.
    ///   - step: the step of the code that confirmed it, which is thereby spent.
    ///   - cooling: the end of the period in which it agrees to no payment.
    /// - Returns: whether this call put it into use.
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
            INSERT INTO totp_cooling_periods (account_id, cooling_until) VALUES ($1, $2)
            ON CONFLICT (account_id) DO UPDATE SET cooling_until = $2
            """, [.id(account), .time(cooling)])
        return true
    }

    /// Takes the secret of an account that is imported: its holder has used it before, so no cooling period begins.
    /// - Parameter step: the last step of which no code is accepted.
    package static func take(
        _ sealed: [UInt8], of account: UniqueID, spent step: Int64, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO totp_secrets (account_id, state, sealed, last_step, created_at)
            VALUES ($1, 'active', $2, $3, $4)
            """, [.id(account), .blob(sealed), .integer(step), .time(now)])
    }

    /// Whether the account set up an app so recently that its codes agree to no payment. Removing the app does not end
    /// this; otherwise a sign-in with its code would count again.
    package static func isCooling(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM totp_cooling_periods WHERE account_id = $1 AND cooling_until > $2",
            [.id(account), .time(now)]) != nil
    }

    /// Spends the code of a step. This is the single-use gate of an authenticator's codes: of all callers with the same
    /// code one gets `true`.
    /// - Returns: whether no code of this step or a later one was accepted before.
    package static func spend(
        step: Int64, of account: UniqueID, sealed: [UInt8], on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE totp_secrets SET last_step = $2
            WHERE account_id = $1 AND state = 'active' AND sealed = $3 AND last_step < $2
            """, [.id(account), .integer(step), .blob(sealed)]) == 1
    }

    /// Spends every code up to a step, for a batch of accounts. A restore needs this, because it brings back spent
    /// steps.
    /// - Returns: the number of accounts; zero when none is left.
    package static func advanceBatch(_ limit: Int, to step: Int64, on connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            UPDATE totp_secrets SET last_step = $2 WHERE state = 'active' AND account_id IN (
                SELECT t.account_id FROM totp_secrets t WHERE t.state = 'active' AND t.last_step < $2 LIMIT $1)
            """, [.integer(Int64(limit)), .integer(step)])
    }

    /// Removes an authenticator app, and a pending one.
    /// - Returns: whether one was in use.
    package static func remove(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM totp_secrets WHERE account_id = $1 AND state = 'pending'", [.id(account)])
        return try connection.execute(
            "DELETE FROM totp_secrets WHERE account_id = $1 AND state = 'active'", [.id(account)]) == 1
    }
}
