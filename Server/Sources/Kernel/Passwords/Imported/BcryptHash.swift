internal import CCrypt
internal import Foundation
internal import WalletAuthWire

/// A bcrypt hash, `$2b$10$` with 53 characters. libxcrypt computes it.
package struct BcryptHash: Sendable, Hashable {
    let text: String
    let cost: Int

    /// A hash of cost 14 takes about a second.
    private static let costs = 4...14
    /// The bytes of a password that count.
    static let longest = 72
    private static let alphabet = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    init(_ text: String) throws(MalformedValue) {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, bytes[6] == UInt8(ascii: "$"), bytes[7...].allSatisfy(Self.alphabet.contains) else {
            throw ImportedPasswordHash.fault("is not a bcrypt hash of 60 characters")
        }
        self.text = text
        cost = try HashText.number(text.dropFirst(4).prefix(2))
    }

    var excess: String? {
        let range = "\(Self.costs.lowerBound) to \(Self.costs.upperBound)"
        return Self.costs.contains(cost) ? nil : "has bcrypt's cost \(cost), and only \(range) are accepted"
    }

    /// Compares in constant time. Like every bcrypt it ignores what follows the 72nd byte.
    func verify(_ password: [UInt8]) -> Bool {
        // C would end the password here.
        guard !password.contains(0) else { return false }
        var (memory, size): (UnsafeMutableRawPointer?, Int32) = (nil, 0)
        defer { free(memory) }
        // The library refuses more than 511 bytes.
        let phrase = password.prefix(Self.longest).map(CChar.init(bitPattern:)) + [0]
        guard let made = crypt_ra(phrase, text, &memory, &size) else { return false }
        return ConstantTime.equal(String(cString: made), text)
    }
}
