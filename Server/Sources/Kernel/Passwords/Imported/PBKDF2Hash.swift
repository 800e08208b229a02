internal import Crypto
internal import CryptoExtras
internal import WalletAuthWire

/// A PBKDF2 hash (RFC 8018), `$pbkdf2-sha256$i=600000$salt$hash`.
package struct PBKDF2Hash: Sendable, Hashable {
    enum Digest: String, Sendable {
        case sha1, sha256, sha512

        var length: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    let digest: Digest
    let iterations: Int
    let salt: [UInt8]
    let hash: [UInt8]

    /// Iterations times blocks: about a second.
    private static let mostWork = 3_000_000

    /// - Parameter parts: of `$pbkdf2-sha256$i=1000,l=32$salt$hash`, or with the bare number of passlib.
    init(_ parts: [String]) throws(MalformedValue) {
        guard parts.count == 5 else { throw ImportedPasswordHash.fault("is not a PBKDF2 hash of four parts") }
        digest = Digest(rawValue: String(parts[1].dropFirst("pbkdf2-".count))) ?? .sha1
        iterations =
            parts[2].contains("=")
            ? try HashText.numbers(parts[2], ["i"], optional: ["l"])["i"] ?? 0 : try HashText.number(parts[2])
        salt = try HashText.bytes(parts[3])
        hash = try HashText.bytes(parts[4])
        try HashText.require(salt: salt, hash: hash)
    }

    /// - Parameter parts: of `pbkdf2_sha256$1000$salt$hash`, whose salt is text.
    init(django parts: [String]) throws(MalformedValue) {
        guard parts.count == 4, parts[0] == "pbkdf2_sha256" || parts[0] == "pbkdf2_sha1" else {
            throw ImportedPasswordHash.fault(
                "is no hash that can be imported: \(ImportedPasswordHash.remedy)")
        }
        digest = parts[0] == "pbkdf2_sha1" ? .sha1 : .sha256
        iterations = try HashText.number(parts[1])
        salt = Array(parts[2].utf8)
        hash = try HashText.bytes(parts[3])
        try HashText.require(salt: salt, hash: hash)
    }

    private var blocks: Int { (hash.count + digest.length - 1) / digest.length }

    var excess: String? {
        guard iterations > 0, iterations * blocks <= Self.mostWork else {
            return "has \(iterations) iterations of PBKDF2 for \(blocks) blocks, and at most \(Self.mostWork / blocks) "
                + "are accepted"
        }
        return nil
    }

    var text: String { "$pbkdf2-\(digest.rawValue)$i=\(iterations)$\(HashText.text(salt))$\(HashText.text(hash))" }

    /// Compares in constant time.
    func verify(_ password: [UInt8]) throws -> Bool {
        let function: KDF.Insecure.PBKDF2.HashFunction =
            switch digest {
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: salt, using: function, outputByteCount: hash.count, unsafeUncheckedRounds: iterations)
        return ConstantTime.equal(key.withUnsafeBytes { Array($0) }, hash)
    }
}
