internal import AuthCore
package import AuthFoundation
package import AuthStore
internal import WalletAuthWire

/// Seals the personal and financial data in the rows of wallet operations.
package struct OperationVault: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The sealed content of an operation's row.
    struct Content: Sendable {
        /// The bytes that the person consents to.
        var payload: [UInt8]
        /// The decoded payload.
        var operation: OperationPayload
        /// The request as it arrived, to recognize a repetition.
        var request: [UInt8]
    }

    func seal(_ payload: [UInt8], request: [UInt8], of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("payload", Base64URL.encode(payload))
        object.set("request", Base64URL.encode(request))
        return try context.seal(object.bytes, for: .personal, context: Self.context(id))
    }

    /// - Throws: ``SourceFailure`` if the row does not open: its key is lost, or it was moved.
    func open(_ record: WalletOperationRecord) throws -> Content {
        guard let bytes = context.open(record.sealed, for: .personal, context: Self.context(record.id)),
            let object = try? JSONValue.object(parsing: bytes),
            let payload = object["payload"]?.string.flatMap({ Base64URL.decode($0) }),
            let request = object["request"]?.string.flatMap({ Base64URL.decode($0) }),
            let operation = try? OperationPayload(parsing: payload)
        else { throw SourceFailure() }
        return Content(payload: payload, operation: operation, request: request)
    }

    func seal(answer: AuthenticationCode, of id: UniqueID) throws -> [UInt8] {
        try context.seal(Array(answer.rawValue.utf8), for: .personal, context: Self.answerContext(id))
    }

    func open(answer: [UInt8], of id: UniqueID) throws -> AuthenticationCode {
        guard let bytes = context.open(answer, for: .personal, context: Self.answerContext(id)) else {
            throw SourceFailure()
        }
        return try AuthenticationCode(String(decoding: bytes, as: UTF8.self))
    }

    /// Seals the evidence of an attempt. A device's assertion must be sealed, because with a stolen device the signature by the PIN key
    /// verifies guesses.
    func seal(evidence: JSONObject, of id: UniqueID) throws -> [UInt8] {
        try context.seal(evidence.bytes, for: .pin, context: Self.evidenceContext(id))
    }

    func open(evidence: [UInt8], of id: UniqueID) -> JSONObject? {
        context.open(evidence, for: .pin, context: Self.evidenceContext(id))
            .flatMap { try? JSONValue.object(parsing: $0) }
    }

    func seal(payee: Payee, id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("name", payee.name)
        object.set("account", payee.account)
        return try context.seal(object.bytes, for: .personal, context: Self.payeeContext(id))
    }

    /// The account of a trusted payee; `nil` if it does not open.
    func account(ofPayee record: TrustedPayees.Record) -> String? { payee(of: record)?.account }

    /// A trusted payee; `nil` if it does not open.
    package func payee(of record: TrustedPayees.Record) -> (name: String?, account: String?)? {
        context.open(record.sealed, for: .personal, context: Self.payeeContext(record.id))
            .flatMap { try? JSONValue.object(parsing: $0) }
            .map { ($0["name"]?.string, $0["account"]?.string) }
    }

    private static func context(_ id: UniqueID) -> String { "wallet_operations|sealed|\(id.uuid)" }
    private static func answerContext(_ id: UniqueID) -> String { "wallet_operations|answer|\(id.uuid)" }
    private static func evidenceContext(_ id: UniqueID) -> String { "sca_attempts|evidence|\(id.uuid)" }
    private static func payeeContext(_ id: UniqueID) -> String { "trusted_payees|sealed|\(id.uuid)" }
}
