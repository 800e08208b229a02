internal import Store
internal import WalletAuthWire

/// The ways to an account besides its password, by which a recovery decides what its mailbox gets.
struct RecoveryWays: Sendable, Hashable {
    /// Whether a person at a provider that still exists is linked to the account.
    let hasProvider: Bool
    let hasPasskey: Bool
    /// Whether the account lost its last way to sign in (``UnreachableAccounts``).
    let isUnreachable: Bool

    /// One query, the same for every account and for an id that no account has.
    static func find(
        of account: UniqueID, at party: PasskeyRelyingParty?, on connection: any SQLConnection
    ) throws -> RecoveryWays {
        let row = try connection.row(
            """
            SELECT
                CASE WHEN EXISTS (SELECT 1 FROM federated_identities f JOIN identity_providers p
                    ON p.brand_id = f.brand_id AND p.id = f.provider_id
                    WHERE f.account_id = $1) THEN 1 ELSE 0 END AS has_provider,
                CASE WHEN EXISTS (SELECT 1 FROM passkeys k WHERE k.account_id = $1 AND k.relying_party = $2)
                    THEN 1 ELSE 0 END AS has_passkey,
                CASE WHEN EXISTS (\(UnreachableAccounts.ofOne)) THEN 1 ELSE 0 END AS is_unreachable
            """, [.id(account), .text(party?.id ?? "")])
        return RecoveryWays(
            hasProvider: try row?.integer("has_provider") == 1,
            hasPasskey: try row?.integer("has_passkey") == 1,
            isUnreachable: try row?.integer("is_unreachable") == 1)
    }
}

/// What an account has besides its mailbox, for a person whose recovery needs it.
package struct WaysBesideMailbox: Sendable, Hashable, Codable {
    /// A passkey, which signs in by itself.
    package var hasPasskey: Bool
    /// A linked device, whose app recovers the account.
    package var hasDevice: Bool

    package init(hasPasskey: Bool, hasDevice: Bool) {
        self.hasPasskey = hasPasskey
        self.hasDevice = hasDevice
    }
}
