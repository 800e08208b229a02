import Foundation

/// A person's user name in the form that is stored and compared: the profile UsernameCaseMapped of PRECIS (RFC 8265
/// §3.3), without mixed scripts (Unicode UTS 39, "highly restrictive").
///
/// Two spellings of a name that looks the same map to one text, or one of them is refused. Names entirely in another
/// script that look Latin ("аррӏе") are accepted: where people choose their own, ``skeletons`` are compared.
public struct Username: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(1...maximumBytes, example: "maria") }

    /// The mapped name: full-width forms narrowed, lower case, Unicode NFC. Names compare by it.
    public let rawValue: String

    /// The name as its owner wrote it, in NFC: for people, never for comparison.
    public let typed: String

    /// The maximum length before and after mapping, in bytes.
    public static let maximumBytes = 254

    /// Maps and validates a name.
    /// - Parameter typed: the name as typed. White space around it is dropped.
    public init(_ typed: String) throws(MalformedValue) {
        func fault(_ reason: String) -> MalformedValue { MalformedValue(field: "username", reason: reason) }
        let text = TypedText.trimmed(typed)
        guard !text.isEmpty else { throw fault("is empty") }
        guard text.utf8.count <= Self.maximumBytes else { throw fault("is longer than \(Self.maximumBytes) bytes") }

        // The order of RFC 8265 §3.3.2: width, case, normalization; the result is then validated.
        let narrowed = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.narrowed)))
        let mapped = narrowed.lowercased().precomposedStringWithCanonicalMapping
        guard mapped.utf8.count <= Self.maximumBytes else { throw fault("is longer than \(Self.maximumBytes) bytes") }
        for scalar in mapped.unicodeScalars {
            if let reason = Self.fault(in: scalar) { throw fault(reason) }
        }
        guard mapped.unicodeScalars.first?.properties.canonicalCombiningClass == .notReordered else {
            throw fault("begins with a combining mark")
        }
        guard UsernameScripts.mixture(in: mapped) == .acceptable else {
            throw fault("mixes scripts or kinds of digits")
        }
        guard Self.hasSingleDirection(mapped) else { throw fault("mixes directions of writing") }
        rawValue = mapped
        let composed = text.precomposedStringWithCanonicalMapping
        self.typed = composed.utf8.count <= Self.maximumBytes ? composed : mapped
    }

    /// What a hurried reader sees of the name, once with capitals and once with small letters. Two names that share either can be taken
    /// for each other. For comparing, never for people.
    public var skeletons: (capital: String, small: String) {
        (TextRule.skeleton(of: rawValue), TextRule.skeleton(of: rawValue, withSmallForms: true))
    }

    /// Compares the mapped names.
    public static func == (a: Username, b: Username) -> Bool { a.rawValue == b.rawValue }

    /// Hashes the mapped name.
    /// - Parameter hasher: the hasher to use.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Encodes the name as typed, which decodes to the same name.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(typed)
    }

    /// RFC 8265 §3.3.2 step 1, for the forms of ASCII; the others are refused as compatibility characters.
    private static func narrowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Swift's lower-casing does not handle final sigma: without this, a name in capitals would be another name.
        if scalar == "ς" { return "σ" }
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    }

    /// PRECIS IdentifierClass (RFC 8264 §4.2) without the characters that depend on context.
    private static func fault(in scalar: Unicode.Scalar) -> String? {
        if scalar.isASCII {
            return scalar.value > 0x20 && scalar.value < 0x7F ? nil : "has a space or a control character"
        }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return "has an invisible character" }
        // Anything that NFKC or case folding would still change is a compatibility form; only ß is a separate letter.
        if properties.changesWhenNFKCCaseFolded, scalar != "ß" { return "has a compatibility character" }
        switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            return nil
        default: return "has a character that is neither letter nor digit"
        }
    }

    /// A stricter form of the bidirectional rule (RFC 5893 §2): letters of one direction only.
    private static func hasSingleDirection(_ text: String) -> Bool {
        let isRightToLeft = text.unicodeScalars.contains(where: UsernameScripts.isRightToLeft)
        guard isRightToLeft, let first = text.unicodeScalars.first else { return true }
        // "alice.אב" would be displayed in another order than it is stored.
        return UsernameScripts.isRightToLeft(first)
            && !text.unicodeScalars.contains {
                $0.properties.isAlphabetic && !UsernameScripts.isRightToLeft($0)
                    && $0.properties.generalCategory != .nonspacingMark
            }
    }
}
