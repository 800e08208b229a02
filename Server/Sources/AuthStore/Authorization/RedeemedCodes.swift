package import AuthCore

/// What became of an authorization code at the token endpoint.
package enum CodeRedemption: Sendable, Hashable {
    /// First redemption: the session stands.
    case opened
    /// The code was redeemed before, for this session. Whether it is ended for it is the caller's to decide: only a
    /// right client, verifier and key may do harm (RFC 9700 §4.5).
    case replayed(sessionID: UniqueID)
    /// The account changed after the code was made. The code is spent nevertheless.
    case accountChanged
}

/// The authorization codes that were redeemed; codes that never come back leave no row.
package enum RedeemedCodes {
    /// Redeems a code and opens its session, in one transaction.
    ///
    /// The insert under the code's unique id is the single-use gate (RFC 6749 §4.1.2): it comes first, so that of any
    /// number of callers exactly one goes on to open a session.
    ///
    /// - Parameters:
    ///   - code: the code's own id of 16 to 32 bytes (random, or a digest).
    ///   - expiresAt: until when the row is kept: not before the code itself would be refused as expired.
    ///   - session: the session to open.
    ///   - connection: the connection of a write.
    /// - Returns: what became of it.
    /// - Throws: ``StoreError``.
    package static func redeem(
        _ code: [UInt8], keepUntil expiresAt: Timestamp, opening session: NewSession, on connection: any SQLConnection
    ) throws -> CodeRedemption {
        let first = try connection.execute(
            "INSERT INTO redeemed_codes (id, session_id, expires_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [.blob(code), .id(session.id), .time(expiresAt)])
        guard first == 1 else {
            guard let earlier = try find(code, on: connection) else {
                throw StoreError(.unexpectedRow, "a redeemed code is neither new nor there")
            }
            return .replayed(sessionID: earlier)
        }
        return try Sessions.open(session, on: connection) ? .opened : .accountChanged
    }

    /// The session that a code was redeemed for, or `nil` when it was not.
    package static func find(_ code: [UInt8], on connection: any SQLConnection) throws -> UniqueID? {
        try connection.row("SELECT session_id FROM redeemed_codes WHERE id = $1", [.blob(code)])?.id(0)
    }
}
