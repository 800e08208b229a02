package import AuthCore

/// What became of an authorization code at the token endpoint.
package enum RedemptionOutcome: Sendable, Hashable {
    /// First redemption: the session stands.
    case opened
    /// The code was redeemed before, for this session. Whether it is ended for it is the caller's to decide: only a
    /// right client, verifier and key may do harm (RFC 9700 §4.5).
    case replayed(sessionID: UniqueID)
    /// Another code of the same sign-in was redeemed before: a client whose answer was lost asked for both. It proves no thief.
    case otherCodeRedeemed
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
    ///   - code: the id of 16 to 32 bytes (random, or a digest) of the sign-in that the code is of.
    ///   - digest: the digest of the code itself: a sign-in that is repeated gets another code.
    ///   - expiresAt: until when the row is kept: not before the code itself would be refused as expired.
    ///   - session: the session to open.
    ///   - connection: the connection of a write.
    /// - Returns: what became of it.
    /// - Throws: ``StoreError``.
    package static func redeem(
        _ code: [UInt8], digest: [UInt8], keepUntil expiresAt: Timestamp, opening session: NewSession,
        on connection: any SQLConnection
    ) throws -> RedemptionOutcome {
        let first = try connection.execute(
            """
            INSERT INTO redeemed_codes (id, session_id, expires_at, code_digest) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO NOTHING
            """, [.blob(code), .id(session.id), .time(expiresAt), .blob(digest)])
        guard first == 1 else {
            guard let repetition = try find(code, digest: digest, on: connection) else {
                throw StoreError(.unexpectedRow, "a redeemed code is neither new nor there")
            }
            return repetition
        }
        return try Sessions.open(session, on: connection) ? .opened : .accountChanged
    }

    /// What a code's redemption would meet, without redeeming it; `nil` where none of its sign-in was redeemed.
    package static func find(
        _ code: [UInt8], digest: [UInt8], on connection: any SQLConnection
    ) throws -> RedemptionOutcome? {
        let row = try connection.row(
            "SELECT session_id, code_digest FROM redeemed_codes WHERE id = $1", [.blob(code)])
        guard let row else { return nil }
        // A row from before digests were kept names no code, and counts as this one's.
        if let other = try row.optionalBlob(1), other != digest { return .otherCodeRedeemed }
        return .replayed(sessionID: try row.id(0))
    }
}
