package import Core
package import Kernel
package import WalletAuthWire

/// Seals the personal data in a passkey's row: the name that its holder gave it.
package typealias PasskeyVault = Vault<PasskeyField>

package enum PasskeyField: String, SealedField {
    case name = "passkeys|name"

    package var purpose: KeyPurpose { .personal }
}

extension PasskeyVault {
    /// The name; `nil` if it does not open.
    package func name(of passkey: PasskeyRecord) -> DeviceName? {
        open(passkey.name, .name, of: passkey.id).flatMap { try? DeviceName($0) }
    }
}
