internal import WalletAuthWire

/// What makes two spellings of a former system's refresh token one token: each may be exchanged once.
///
/// Most decoders of base64url ignore the unused low bits of the last character and the padding, so one token has several spellings that
/// the former system takes.
struct ForeignTokenSpelling: Sendable, Hashable {
    /// The same for all spellings of a token.
    let canonical: [UInt8]

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let characters = Set(alphabet)
    private static let dot = UInt8(ascii: ".")
    private static let padding = UInt8(ascii: "=")

    /// - Returns: `nil` for a JWT (RFC 7519) in characters that are not its own.
    init?(_ token: RefreshToken) {
        let parts = Array(token.reveal().utf8).split(separator: Self.dot, omittingEmptySubsequences: false)
        // Signed or encrypted: three or five parts (RFC 7515 §3.1, RFC 7516 §3.1).
        if parts.count == 3 || parts.count == 5 {
            guard parts.joined().allSatisfy(Self.characters.contains) else { return nil }
        }
        // A signature covers the first two as they are written, but is not the only one: ECDSA's has a twin.
        let counted = parts.count == 3 ? Array(parts.prefix(2)) : parts
        canonical = Array(counted.map(Self.canonical).joined(separator: [Self.dot]))
    }

    /// A part without padding, and without the low bits of its last character. Whether these are unused cannot be known behind a prefix,
    /// and random tokens never differ in them alone.
    private static func canonical(_ part: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(part)
        while bytes.last == padding { bytes.removeLast() }
        if let last = bytes.last, let value = alphabet.firstIndex(of: last) {
            bytes[bytes.count - 1] = alphabet[value & 0b11_0000]
        }
        return bytes
    }
}
