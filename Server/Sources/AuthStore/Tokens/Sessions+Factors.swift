extension Sessions {
    /// Whether a client's key is linked to an account: it has a session of that client that was opened under the present
    /// password, with two factors where that is asked for, and that nobody took away. Another client's session links nothing: an
    /// app that is not the operator's own must not make its key the device of one that is.
    ///
    /// A session that was taken away (``SessionEnd/sparingKeys`` are the ends that take none) links nothing, and neither does any
    /// other of the same key that was opened before: whoever holds such a key is asked again. So is whoever had signed out when
    /// something was taken away from the account (``AccountRecord/devicesDistrustedAt``), as every browser is.
    ///
    /// - Parameters:
    ///   - thumbprint: the 32 bytes of the DPoP key's thumbprint, whose possession was proved.
    ///   - client: the client that proved it.
    ///   - account: the account.
    ///   - acr: the class that the session has to have reached; `nil` for any.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func links(
        _ thumbprint: [UInt8], by client: String, to account: UniqueID, at acr: String? = nil,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(linking, [.id(account), .blob(thumbprint), .optional(acr), .text(client)]) != nil
    }

    /// What was taken away of the key's sessions is found once, as in ``knowing``.
    package static let linking = """
        SELECT 1 FROM sessions WHERE account_id = $1 AND dpop_jkt = $2 AND ($3 IS NULL OR acr = $3) AND client_id = $4
            AND (revoked_at IS NULL OR (revoked_reason = 'signed_out' AND created_at > COALESCE(
                (SELECT a.strangers_since FROM accounts a WHERE a.id = sessions.account_id), 0)))
            AND created_at >= COALESCE(
                (SELECT a.password_changed_at FROM accounts a WHERE a.id = sessions.account_id), 0)
            AND created_at > COALESCE((SELECT MAX(o.revoked_at) FROM sessions o WHERE o.account_id = $1 AND o.dpop_jkt = $2
                AND o.revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKeys)))), -1)
        LIMIT 1
        """
}
