extension Migration {
    /// The issuer under which each wallet operation was requested. Devices and passkeys sign it by name, so the
    /// evidence has to name it even after the server's issuer has changed. It is null in existing rows: the database
    /// may have had several issuers, and only the signed bytes tell which.
    package static let operationIssuers = Migration(
        version: 19, name: "operation issuers",
        statements: ["ALTER TABLE wallet_operations ADD COLUMN issuer TEXT"])
}
