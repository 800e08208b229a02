internal import AuthCore
internal import AuthStore

/// Recovery codes as people keep them: 80 bits in four groups of four letters and digits.
enum RecoveryCodeFormat {
    /// How many there are in a set.
    static let count = 10
    /// How many random bytes one has.
    static let length = 10

    /// A code as it is shown, `ABCD-EFGH-IJKL-MNOP`.
    static func text(of bytes: [UInt8]) -> String {
        let letters = Array(Base32.encode(bytes))
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: "-")
    }

    /// Under what a typed code would be found; `nil` where it can be none. Nobody guesses 80 bits, so a plain digest does.
    static func digest(of typed: String, account: UniqueID) -> [UInt8]? {
        guard let bytes = Base32.decode(typed), bytes.count == length else { return nil }
        return digest(of: bytes, account: account)
    }

    static func digest(of bytes: [UInt8], account: UniqueID) -> [UInt8] {
        Digests.of("recovery-code", account.bytes + bytes)
    }
}
