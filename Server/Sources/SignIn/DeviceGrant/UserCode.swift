package import Core
internal import Kernel
internal import WalletAuthWire

/// The code that a device shows and a person types: eight letters (RFC 8628 §6.1).
package struct UserCode: Sendable, Hashable {
    /// Without vowels, so that no code is a word, and without letters that look like another one or like a digit. 20⁸ codes are 34 bits:
    /// enough with few guesses in ten minutes.
    package static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// The eight letters.
    package let letters: String

    private init(letters: String) { self.letters = letters }

    package init(_ random: any RandomBytes) {
        var letters = ""
        while letters.count < Self.length {
            // Bytes beyond the last whole multiple are drawn again, so that every letter is as likely.
            for byte in random.bytes(Self.length) where Int(byte) < 256 / Self.alphabet.count * Self.alphabet.count {
                letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
                if letters.count == Self.length { break }
            }
        }
        self.letters = letters
    }

    /// What a person typed, with or without the hyphen, in capitals or not; `nil` if no code is like it.
    package init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = TypedCode.normalized(typed).uppercased()
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.init(letters: letters)
    }

    /// As it is shown: `BCDF-GHJK`.
    package var text: String { "\(letters.prefix(Self.length / 2))-\(letters.suffix(Self.length / 2))" }

    /// The digest that it is looked up by. Keyed: all codes can be tried in seconds.
    package func digest(key: DataKey) -> [UInt8] { Digests.keyed("device-user-code", [letters], key: key) }
}
