package import Core
package import Kernel
package import Store

/// Seals and opens the shared secrets of authenticator apps.
package typealias AuthenticatorVault = Vault<AuthenticatorField>

package enum AuthenticatorField: String, SealedField {
    case secret = "totp_secrets|sealed"

    package var purpose: KeyPurpose { .totp }
}

/// Seals and opens the hashed answers to secret questions, each bound to its question.
package typealias SecretQuestionVault = Vault<SecretQuestionField>

package enum SecretQuestionField: String, SealedField {
    case answer = "secret_questions|answer"

    package typealias Row = (account: UniqueID, question: String)

    package var purpose: KeyPurpose { .pepper }

    package static func id(of row: Row) -> String { "\(row.account.uuid)|\(row.question)" }
}
