internal import AuthCore
package import AuthFoundation
package import AuthStore
internal import Logging
internal import WalletAuthWire

/// Seals and opens the columns of factors. Each value is bound to its column and account.
package struct FactorVault: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func sealSecret(_ secret: [UInt8], of account: UniqueID) throws -> [UInt8] {
        try context.seal(secret, for: .totp, context: "totp_secrets|sealed|\(account.uuid)")
    }

    /// The shared secret of an authenticator app; `nil` if it does not open, which is logged.
    package func openSecret(_ sealed: [UInt8], of account: UniqueID) -> [UInt8]? {
        open(sealed, for: .totp, context: "totp_secrets|sealed|\(account.uuid)")
    }

    package func sealAnswer(_ hash: String, to question: String, of account: UniqueID) throws -> [UInt8] {
        try context.seal(Array(hash.utf8), for: .pepper, context: "secret_questions|answer|\(account.uuid)|\(question)")
    }

    /// The hash of the answer to a question; `nil` if it does not open, which is logged.
    package func openAnswer(_ record: SecretQuestions.Record, of account: UniqueID) -> String? {
        open(record.answer, for: .pepper, context: "secret_questions|answer|\(account.uuid)|\(record.question)")
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func open(_ sealed: [UInt8], for purpose: KeyPurpose, context label: String) -> [UInt8]? {
        let bytes = context.open(sealed, for: purpose, context: label)
        if bytes == nil {
            let column = label.split(separator: "|").prefix(2).joined(separator: ".")
            context.logger.error("a sealed column does not open", metadata: ["column": "\(column)"])
        }
        return bytes
    }
}
