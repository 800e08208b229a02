internal import Crypto
internal import CryptoExtras
internal import WalletAuthWire

/// The cost of scrypt (RFC 7914).
struct ScryptCost: Sendable, Hashable, CustomStringConvertible {
    /// The base-two logarithm of N.
    let logarithm: Int
    let blockSize: Int
    let lanes: Int

    /// 128 MiB, without the blocks of the lanes.
    private static let mostMemory = 128 << 20
    /// N · r · p: about half a second.
    private static let mostWork = 2 << 20

    /// - Parameter n: N or its logarithm: no one uses an N below 64, and no N has a logarithm above 63.
    init(n: Int, blockSize: Int, lanes: Int) throws(MalformedValue) {
        guard n < 64 || n.nonzeroBitCount == 1 else {
            throw ImportedPasswordHash.fault("has a cost N of scrypt that is not a power of two")
        }
        logarithm = n < 64 ? n : n.trailingZeroBitCount
        (self.blockSize, self.lanes) = (blockSize, lanes)
        guard (1...62).contains(logarithm), (1...1024).contains(blockSize), (1...1024).contains(lanes) else {
            throw ImportedPasswordHash.fault("has a cost of scrypt that is out of range")
        }
    }

    /// In bytes: N blocks, one for each lane and one to work in.
    var memory: Int { logarithm > 24 ? .max : 128 * blockSize * ((1 << logarithm) + lanes + 1) }

    var excess: String? {
        let isWithin =
            logarithm <= 24 && 128 * blockSize << logarithm <= Self.mostMemory
            && blockSize * lanes << logarithm <= Self.mostWork
        if isWithin { return incomputable }
        return "has the cost N = 2^\(logarithm), r = \(blockSize), p = \(lanes) of scrypt, and at most 128 MiB and "
            + "N·r·p = 2^21 are accepted"
    }

    /// The end of a sentence about a cost that the library does not compute. It allows itself N·r·p blocks and a page of memory, where it
    /// needs (N + p + 1)·r; RFC 7914 §2 limits N.
    private var incomputable: String? {
        let page = 4096
        let allowed = (128 * blockSize * lanes << logarithm) + page
        guard logarithm < 16 * blockSize, memory <= allowed else {
            return
                "has the cost N = 2^\(logarithm), r = \(blockSize), p = \(lanes) of scrypt, which cannot be computed here: "
                + ImportedPasswordHash.remedy
        }
        return nil
    }

    var description: String { "ln=\(logarithm),r=\(blockSize),p=\(lanes)" }

    func key(_ password: [UInt8], salt: [UInt8], length: Int) throws -> [UInt8] {
        try KDF.Scrypt.deriveKey(
            from: password, salt: salt, outputByteCount: length, rounds: 1 << logarithm, blockSize: blockSize,
            parallelism: lanes
        ).withUnsafeBytes { Array($0) }
    }
}

/// A scrypt hash, `$scrypt$ln=15,r=8,p=1$salt$hash`.
package struct ScryptHash: Sendable, Hashable {
    let cost: ScryptCost
    let salt: [UInt8]
    let hash: [UInt8]

    init(_ parts: [String]) throws(MalformedValue) {
        guard parts.count == 5 else { throw ImportedPasswordHash.fault("is not a scrypt hash of four parts") }
        let numbers = try HashText.numbers(parts[2], ["ln", "r", "p"])
        cost = try ScryptCost(n: numbers["ln"] ?? 0, blockSize: numbers["r"] ?? 0, lanes: numbers["p"] ?? 0)
        salt = try HashText.bytes(parts[3])
        hash = try HashText.bytes(parts[4])
        try HashText.require(salt: salt, hash: hash)
    }

    var text: String { "$scrypt$\(cost)$\(HashText.text(salt))$\(HashText.text(hash))" }

    /// Compares in constant time.
    func verify(_ password: [UInt8]) throws -> Bool {
        ConstantTime.equal(try cost.key(password, salt: salt, length: hash.count), hash)
    }
}

/// A hash of Firebase's modified scrypt: the project's signer key, encrypted under a key of the password. In the text of Ory Kratos,
/// `$firescrypt$ln=14,r=8,p=1$salt$hash$separator$signer key`.
package struct FirebaseHash: Sendable, Hashable {
    let cost: ScryptCost
    let salt: [UInt8]
    let hash: [UInt8]
    private let separator: [UInt8]
    private let signerKey: [UInt8]

    init(_ parts: [String]) throws(MalformedValue) {
        guard parts.count == 7 else {
            throw ImportedPasswordHash.fault("is not a hash of Firebase's scrypt of six parts")
        }
        let numbers = try HashText.numbers(parts[2], ["ln", "r", "p"])
        cost = try ScryptCost(n: numbers["ln"] ?? 0, blockSize: numbers["r"] ?? 0, lanes: numbers["p"] ?? 0)
        salt = try HashText.bytes(parts[3])
        hash = try HashText.bytes(parts[4])
        separator = try HashText.bytes(parts[5])
        signerKey = try HashText.bytes(parts[6])
        // The separator is the project's: it is the same for all of its people.
        try HashText.require(salt: salt, hash: hash)
        try HashText.require(salt: salt + separator, hash: hash)
        guard signerKey.count == hash.count else {
            throw ImportedPasswordHash.fault(
                "is not as long as the signer key: check --firebase-hash-config")
        }
    }

    var text: String {
        "$firescrypt$\(cost)$"
            + [salt, hash, separator, signerKey].map(HashText.text).joined(separator: "$")
    }

    /// Compares in constant time.
    func verify(_ password: [UInt8]) throws -> Bool {
        let key = SymmetricKey(data: try cost.key(password, salt: salt + separator, length: 64).prefix(32))
        let nonce = try AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16))
        return ConstantTime.equal(Array(try AES._CTR.encrypt(signerKey, using: key, nonce: nonce)), hash)
    }
}
