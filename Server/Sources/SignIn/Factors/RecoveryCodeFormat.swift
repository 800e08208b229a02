internal import Kernel
package import Store
internal import WalletAuthWire

/// Recovery codes in the form people keep: 80 bits in four groups of four letters and digits.
package enum RecoveryCodeFormat {
    /// Codes in a set.
    package static let count = 10
    /// Random bytes in a code.
    package static let length = 10

    /// A code as displayed, `ABCD-EFGH-IJKL-MNOP`.
    package static func text(of bytes: [UInt8]) -> String {
        let letters = Array(Base32.encode(bytes))
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: "-")
    }

    /// The digest that a typed code is looked up by; `nil` if it cannot be one. 80 bits cannot be guessed, so a plain digest is
    /// enough.
    package static func digest(of typed: String, account: UniqueID) -> [UInt8]? {
        bytes(of: typed).map { digest(of: $0, account: account) }
    }

    /// The bytes of a typed code; `nil` if it cannot be one.
    static func bytes(of typed: String) -> [UInt8]? {
        let letters = String(TypedCode.normalized(typed).map { twins[$0] ?? $0 })
        guard let bytes = Base32.decode(letters), bytes.count == length else { return nil }
        return bytes
    }

    /// Digits that no code contains, and the letters that they are mistaken for.
    private static let twins: [Character: Character] = ["0": "O", "1": "I", "8": "B"]

    package static func digest(of bytes: [UInt8], account: UniqueID) -> [UInt8] {
        Digests.of("recovery-code", account.bytes + bytes)
    }
}
