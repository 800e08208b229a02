/// A validated text: every value satisfies the type's rules.
///
/// Values compare, hash, encode and print as their text. Secrets do not conform: see ``Secret``.
public protocol WireValue: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The form of the text.
    static var form: TextForm { get }

    /// The text exactly as on the wire.
    var rawValue: String { get }

    /// Validates a text.
    /// - Parameter text: the received text.
    /// - Throws: ``MalformedValue`` with its fault.
    init(_ text: String) throws(MalformedValue)
}

extension WireValue {
    /// The text.
    public var description: String { rawValue }

    /// Decodes a string and checks it.
    /// - Parameter decoder: the decoder to read one string from.
    /// - Throws: `DecodingError`, or ``MalformedValue`` for a value that breaks the type's rules.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text as one string.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Rules shared by several values. Each returns the reason for a refusal, or nil.
public enum TextRule {
    /// RFC 6749 appendix A: visible characters, without the space unless requested.
    public static func visible(_ text: String, _ length: ClosedRange<Int>, from lowest: UInt8 = 0x21) -> String? {
        let bytes = text.utf8
        if bytes.isEmpty, length.lowerBound > 0 { return "is empty" }
        guard length.contains(bytes.count) else {
            return "is not \(length.lowerBound) to \(length.upperBound) bytes long"
        }
        guard bytes.allSatisfy({ $0 >= lowest && $0 <= 0x7E }) else {
            return "has a character outside ASCII '\(Unicode.Scalar(lowest))' to '~'"
        }
        return nil
    }

    /// Letters, digits, and the four marks that are safe in paths, forms and headers.
    public static func identifier(_ text: String, _ length: ClosedRange<Int>) -> String? {
        if text.utf8.isEmpty { return "is empty" }
        guard length.contains(text.utf8.count) else {
            return "is not \(length.lowerBound) to \(length.upperBound) bytes long"
        }
        guard text.utf8.allSatisfy(ASCII.isUnreserved) else {
            return "has a character other than letters, digits, '-', '.', '_' and '~'"
        }
        // "." and ".." would change the path that the identifier is part of.
        guard text != ".", text != ".." else { return "is a path segment with a special meaning" }
        return nil
    }

    /// Text that people see or type: valid Unicode without control characters.
    public static func printable(_ text: String, _ length: ClosedRange<Int>) -> String? {
        guard length.contains(text.utf8.count) else {
            return text.isEmpty ? "is empty" : "is not \(length.lowerBound) to \(length.upperBound) bytes long"
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return "has a control character"
        }
        return nil
    }

    /// Text for a decision must say what it appears to say: nothing that changes the direction of its neighbors, no
    /// line breaks, and nothing invisible. It also applies to earlier content, so it may not become stricter; requests
    /// also use `blank`.
    public static func shown(_ text: String, _ length: ClosedRange<Int>) -> String? {
        if let reason = printable(text, length) { return reason }
        guard !text.unicodeScalars.contains(where: isDeceptive) else {
            return "has a character that is invisible or changes the direction of text"
        }
        return nil
    }

    private static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The joiners stay: words of several scripts, and emoji, use them.
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        case .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
        }
    }
}
