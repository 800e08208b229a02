package import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// Seals the personal and financial data in the rows of wallet operations.
package typealias OperationVault = Vault<OperationField>

package enum OperationField: String, SealedField {
    case content = "wallet_operations|sealed"
    case answer = "wallet_operations|answer"
    /// A device's assertion: with a stolen device, the signature by the PIN key verifies guesses.
    case evidence = "sca_attempts|evidence"
    case circumstances = "sca|circumstances"
    case payee = "trusted_payees|sealed"

    package var purpose: KeyPurpose { self == .evidence ? .pin : .personal }
}

/// The sealed content of an operation's row.
struct OperationContent: Sendable {
    /// The bytes that the person consents to.
    var payload: [UInt8]
    /// The decoded payload.
    var operation: OperationPayload
    /// The request as it arrived, to recognize a repetition.
    var request: [UInt8]
}

extension OperationVault {
    func seal(_ payload: [UInt8], request: [UInt8], of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("payload", Base64URL.encode(payload))
        object.set("request", Base64URL.encode(request))
        return try seal(object.bytes, .content, of: id)
    }

    /// - Throws: ``DamagedRow`` if the row does not open: its key is lost, or it was moved.
    func open(_ record: WalletOperationRecord) throws -> OperationContent {
        let object = try object(record.sealed, .content, of: record.id)
        guard let payload = object["payload"]?.string.flatMap({ Base64URL.decode($0) }),
            let request = object["request"]?.string.flatMap({ Base64URL.decode($0) }),
            let operation = try? OperationPayload(parsing: payload)
        else { throw DamagedRow() }
        return OperationContent(payload: payload, operation: operation, request: request)
    }

    func open(answer: [UInt8], of id: UniqueID) throws -> AuthenticationCode {
        try AuthenticationCode(String(decoding: bytes(answer, .answer, of: id), as: UTF8.self))
    }

    func seal(payee: Payee, id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("name", payee.name)
        object.set("account", payee.account)
        return try seal(object.bytes, .payee, of: id)
    }

    /// The account of a trusted payee; `nil` if it does not open.
    func account(ofPayee record: TrustedPayees.Record) -> String? { payee(of: record)?.account }

    /// A trusted payee; `nil` if it does not open.
    package func payee(of record: TrustedPayees.Record) -> (name: String?, account: String?)? {
        (try? object(record.sealed, .payee, of: record.id)).map { ($0["name"]?.string, $0["account"]?.string) }
    }
}
