extension Migration {
    /// The issuer that each wallet operation was asked for under: devices and passkeys sign for it by name, so that its proof has to
    /// name it as well when the server has another one. Those of before have none here: the database may have had several, and
    /// which one it was stands in what was signed.
    package static let operationIssuers = Migration(
        version: 19, name: "operation issuers",
        statements: ["ALTER TABLE wallet_operations ADD COLUMN issuer TEXT"])
}
