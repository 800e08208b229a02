internal import Crypto
package import Store
package import WalletAuthWire

/// What says which account of a former system an account is: in the line that imports it, and in the former system's own answers.
package enum ImportedAccountKey: Sendable, Hashable {
    /// The id at the former system.
    case id(String)
    /// The user name, where the account's line has no id.
    case name(Username)

    /// The account's id, by which a line that is imported again is known: the former id if that is a UUID, so that what backends stored
    /// under the former `sub` stays right, otherwise a digest of it, or of the user name (RFC 9562 §5.8).
    package func accountID(in brand: BrandID) throws -> UniqueID {
        let parts: [String]
        switch self {
        case .id(let id):
            if let id = UniqueID(uuid: id.lowercased()) { return id }
            parts = ["id", id]
        case .name(let name): parts = ["name", name.rawValue]
        }
        let message = (["imported-account", brand.rawValue] + parts).joined(separator: "\0")
        var bytes = Array(SHA256.hash(data: Array(message.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        guard let id = UniqueID(bytes: bytes) else { throw InvariantViolation() }
        return id
    }
}
