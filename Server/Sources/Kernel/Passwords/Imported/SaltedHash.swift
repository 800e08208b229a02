internal import Crypto
internal import WalletAuthWire

/// A hash with a salt behind it, as directories have (RFC 2307's `{SSHA}`): computed in a microsecond, so the first right password is the
/// end of it.
package struct SaltedHash: Sendable, Hashable {
    enum Digest: String, Sendable {
        case ssha = "SSHA"
        case ssha256 = "SSHA256"
        case ssha512 = "SSHA512"

        var length: Int {
            switch self {
            case .ssha: 20
            case .ssha256: 32
            case .ssha512: 64
            }
        }
    }

    let digest: Digest
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Parameter text: `{SSHA}` and the Base64 of hash and salt.
    init(_ text: String) throws(MalformedValue) {
        guard let end = text.firstIndex(of: "}"),
            let digest = Digest(rawValue: text[text.index(after: text.startIndex)..<end].uppercased())
        else {
            throw ImportedPasswordHash.fault(
                "has a scheme other than {SSHA}, {SSHA256} and {SSHA512}: leave it out, and the person chooses a new "
                    + "password")
        }
        let bytes = try HashText.bytes(text[text.index(after: end)...])
        guard bytes.count > digest.length else { throw ImportedPasswordHash.fault("has no salt behind its hash") }
        self.digest = digest
        hash = Array(bytes.prefix(digest.length))
        salt = Array(bytes.dropFirst(digest.length))
        try HashText.require(salt: salt, hash: hash)
    }

    var text: String { "{\(digest.rawValue)}\(HashText.text(hash + salt))" }

    /// Compares in constant time.
    func verify(_ password: [UInt8]) -> Bool {
        let message = password + salt
        let made: [UInt8] =
            switch digest {
            case .ssha: Array(Insecure.SHA1.hash(data: message))
            case .ssha256: Array(SHA256.hash(data: message))
            case .ssha512: Array(SHA512.hash(data: message))
            }
        return ConstantTime.equal(made, hash)
    }
}
