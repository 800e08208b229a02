extension FederatedIdentities {
    /// - Returns: whether the identity was the account's.
    package static func unlink(
        _ digest: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM federated_identities WHERE digest = $1 AND account_id = $2", [.blob(digest), .id(account)])
            == 1
    }

    /// Whether an account has another identity to sign in with. Its provider must still exist.
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
