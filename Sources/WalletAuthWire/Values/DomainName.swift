import Foundation

/// Domain names as people write them, in the form that the DNS and mail servers know.
enum DomainName {
    private static let longestLabel = 63
    private static let longestName = 253

    /// The name in ASCII: an internationalized label becomes its A-label (RFC 5890 §2.3.2.1); a name in ASCII is unchanged.
    /// - Parameter typed: the name as typed.
    /// - Returns: nil if no host can have this name: empty, long or malformed labels, only one label, an address in digits.
    static func ascii(of typed: String) -> String? {
        let isASCII = typed.utf8.allSatisfy { $0 < 0x80 }
        let labels = (isASCII ? typed : mapped(typed)).unicodeScalars
            .split(separator: ".", omittingEmptySubsequences: false).map { asciiLabel(String($0)) }
        let known = labels.compactMap(\.self)
        guard known.count == labels.count, known.count > 1, let top = known.last,
            !top.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        let name = known.joined(separator: ".")
        return name.utf8.count <= longestName ? name : nil
    }

    /// The mapping of RFC 5895 §2: lower case, narrow forms, NFC, and the full stop of East Asian keyboards as a dot.
    private static func mapped(_ typed: String) -> String {
        let dotted = typed.unicodeScalars.map { $0.value == 0x3002 ? "." : $0 }
        return String(String.UnicodeScalarView(dotted)).precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCanonicalMapping
    }

    private static func asciiLabel(_ label: String) -> String? {
        var ascii = label
        if !label.utf8.allSatisfy({ $0 < 0x80 }) {
            // RFC 5891 §4.2.3: no combining mark at the beginning, and no "--" where the prefix of an A-label has it.
            guard label.unicodeScalars.allSatisfy(isPermitted), let first = label.unicodeScalars.first,
                !isMark(first), label.unicodeScalars.dropFirst(2).prefix(2).map(\.value) != [0x2D, 0x2D]
            else { return nil }
            ascii = "xn--" + Punycode.encode(label)
        }
        guard (1...longestLabel).contains(ascii.utf8.count), !ascii.hasPrefix("-"), !label.hasSuffix("-"),
            ascii.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == 0x2D })
        else { return nil }
        return ascii
    }

    /// Letters, marks and digits, like RFC 5892 §2, and the characters that it permits in a context (its appendix A),
    /// whose contexts are left to the registry.
    private static func isPermitted(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return true }
        if [0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB].contains(scalar.value) { return true }
        let properties = scalar.properties
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        // ß and the final sigma are letters of their own since IDNA2008.
        if properties.changesWhenNFKCCaseFolded, scalar != "ß", scalar != "ς" { return false }
        switch properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
