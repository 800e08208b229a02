package import Core
package import Kernel
package import Store

/// The result of redeeming an authorization code.
package enum RedemptionOutcome: Sendable, Hashable {
    /// First redemption: the session is open.
    case opened
    /// The code was redeemed before, for this session. The caller decides whether to end it: only a request with the
    /// correct client, verifier and key may have consequences (RFC 9700 §4.5).
    case replayed(sessionID: UniqueID)
    /// Another code of the same sign-in was redeemed before. A client whose answer was lost requested both, so this is
    /// no sign of a theft.
    case otherCodeRedeemed
    /// The account changed after the code was issued. The code is spent nevertheless.
    case accountChanged
}

/// Remembers redeemed authorization codes. It owns the `redeemed_codes` table.
package enum RedeemedCodes {
    /// Redeems a code and opens its session, in one transaction.
    ///
    /// The insert under the code's unique id is the single-use gate (RFC 6749 §4.1.2). It comes first, so that of all
    /// callers exactly one opens a session.
    /// - Parameters:
    ///   - code: the id of the code's sign-in, 16 to 32 bytes (random, or a digest).
    ///   - digest: the digest of the code itself; a repeated sign-in gets another code.
    ///   - expiresAt: how long to keep the row: at least until the code itself has expired.
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
                throw StoreError(.unexpectedRow, "a redeemed code was neither inserted nor found")
            }
            return repetition
        }
        return try Sessions.open(session, on: connection) ? .opened : .accountChanged
    }

    /// Has no code of a sign-in open a session, if none has yet.
    package static func void(_ code: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection) throws {
        // No code has this digest, so that one that comes is neither the first nor a replay.
        let digest = Digests.of("void-code", code)
        try connection.execute(
            """
            INSERT INTO redeemed_codes (id, session_id, expires_at, code_digest) VALUES ($1, $1, $2, $3)
            ON CONFLICT (id) DO NOTHING
            """, [.blob(code), .time(expiresAt), .blob(digest)])
    }

    /// The result that redeeming a code would have; `nil` if no code of its sign-in was redeemed.
    package static func find(
        _ code: [UInt8], digest: [UInt8], on connection: any SQLConnection
    ) throws -> RedemptionOutcome? {
        let row = try connection.row(
            "SELECT session_id, code_digest FROM redeemed_codes WHERE id = $1", [.blob(code)])
        guard let row else { return nil }
        // Rows older than the digests name no code, and count as this one's.
        if let other = try row.optionalBlob("code_digest"), other != digest { return .otherCodeRedeemed }
        return .replayed(sessionID: try row.id("session_id"))
    }
}

/// The contents of authorization codes that would be too long themselves. It owns the `stored_codes` table.
package enum StoredCodes {
    /// - Parameters:
    ///   - code: the code's own id, 16 to 32 bytes.
    ///   - sealed: the content, sealed by the caller; at most 64 KiB.
    package static func keep(
        _ code: [UInt8], sealed: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "INSERT INTO stored_codes (id, sealed, expires_at) VALUES ($1, $2, $3)",
            [.blob(code), .blob(sealed), .time(expiresAt)])
    }

    /// The sealed content of a code that has not expired. ``RedeemedCodes`` ensures single use.
    package static func find(_ code: [UInt8], now: Timestamp, on connection: any SQLConnection) throws -> [UInt8]? {
        try connection.row(
            "SELECT sealed FROM stored_codes WHERE id = $1 AND expires_at > $2",
            [.blob(code), .time(now)])?.blob("sealed")
    }
}
