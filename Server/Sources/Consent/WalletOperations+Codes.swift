package import Store
package import WalletAuthWire

extension WalletOperations {
    /// Voids the codes sent over a channel for an account's consents, because they went to an address that is no longer the
    /// account's. The operations stay open, and their tries and codes stay counted.
    package static func voidCodes(
        of account: UniqueID, sentBy channel: SCAChannel, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE wallet_operations SET state = 'open', method = NULL, channel = NULL, challenge_id = NULL,
                code_mac = NULL, mac_key_id = NULL, code_expires_at = NULL, revision = revision + 1
            WHERE account_id = $1 AND state = 'challenged' AND channel = $2
            """, [.id(account), .name(channel)])
    }
}
