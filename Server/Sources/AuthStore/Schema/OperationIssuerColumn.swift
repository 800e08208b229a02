extension Migration {
    /// The issuer that each wallet operation was asked for under: devices and passkeys sign for it by name, so that its proof has to
    /// name it as well when the server has another one. Those of before have the database's present issuer; without one it was
    /// never served, and has no operation.
    package static let operationIssuers = Migration(
        version: 19, name: "operation issuers",
        statements: ["ALTER TABLE wallet_operations ADD COLUMN issuer TEXT"],
        filling: ["UPDATE wallet_operations SET issuer = (SELECT m.value FROM meta m WHERE m.name = 'issuer')"])
}
