extension FederatedIdentities {
    /// Unlinks one of an account's.
    /// - Returns: whether it was the account's.
    /// - Throws: ``StoreError``.
    package static func unlink(
        _ digest: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM federated_identities WHERE digest = $1 AND account_id = $2", [.blob(digest), .id(account)])
            == 1
    }

    /// Whether an account can be signed in to by an identity beside one: its provider has to be there still.
    package static func hasAnother(
        than digest: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM federated_identities f JOIN identity_providers p
                ON p.brand_id = f.brand_id AND p.id = f.provider_id
            WHERE f.account_id = $1 AND f.digest <> $2 LIMIT 1
            """, [.id(account), .blob(digest)]) != nil
    }
}
