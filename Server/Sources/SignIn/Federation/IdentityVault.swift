package import Core
package import Kernel
internal import WalletAuthWire

/// Seals and opens a person's identifier at a provider, bound to the digest under which the identity is linked.
package typealias IdentityVault = Vault<IdentityField>

package enum IdentityField: String, SealedField {
    case subject = "federated_identities|subject"

    package typealias Row = [UInt8]

    package var purpose: KeyPurpose { .personal }

    package static func id(of digest: Row) -> String { Base64URL.encode(digest) }
}
