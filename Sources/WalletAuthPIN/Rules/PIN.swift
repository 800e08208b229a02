/// A PIN as it was typed: 4 to 12 digits, and whether they are the right ones nobody here can say.
///
/// Printing, dumping and mirroring it yield `<redacted>`. Its memory is overwritten when the last copy is let go; the text
/// that it was made of belongs to the keyboard and the app, and is out of reach.
public struct PIN: Sendable {
    /// How long a PIN may be.
    public static let lengths = 4...12

    let digits: SecretBytes

    /// Validates a PIN's form.
    /// - Parameter text: ASCII digits.
    /// - Throws: ``PINFault/malformed``, ``PINFault/tooShort(minimum:)``, ``PINFault/tooLong(maximum:)``.
    public init(_ text: some StringProtocol) throws(PINFault) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .malformed }
        let count = text.utf8.count
        guard count >= Self.lengths.lowerBound else { throw .tooShort(minimum: Self.lengths.lowerBound) }
        guard count <= Self.lengths.upperBound else { throw .tooLong(maximum: Self.lengths.upperBound) }
        digits = SecretBytes(text.utf8)
    }
}

extension PIN: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a PIN is not taken.
public enum PINFault: Error, Hashable, Sendable {
    /// It has something else than the digits 0 to 9 in it.
    case malformed
    /// It is shorter than it may be.
    case tooShort(minimum: Int)
    /// It is longer than it may be.
    case tooLong(maximum: Int)
    /// It is one of those that are tried first.
    case tooCommon
}
