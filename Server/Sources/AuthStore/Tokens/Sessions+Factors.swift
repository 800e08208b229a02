extension Sessions {
    /// Whether a client's key is linked to an account: it has a session of that client opened under the present
    /// password, with two factors if `acr` asks for them, and not revoked. Sessions of other clients do not count,
    /// because another party's app must not link its key as a device of the operator's own app.
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
        SELECT 1 FROM sessions WHERE account_id = $1 AND dpop_jkt = $2 AND ($3 IS NULL OR acr = $3) AND client_id = $4
            AND (revoked_at IS NULL OR (revoked_reason = 'signed_out' AND created_at > COALESCE(
                (SELECT a.devices_distrusted_at FROM accounts a WHERE a.id = sessions.account_id), 0)))
            AND created_at >= COALESCE(
                (SELECT a.password_changed_at FROM accounts a WHERE a.id = sessions.account_id), 0)
            AND created_at > COALESCE((SELECT MAX(o.revoked_at) FROM sessions o WHERE o.account_id = $1 AND o.dpop_jkt = $2
                AND o.revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKeys)))), -1)
        LIMIT 1
        """
}
