/// The scripts of a name. The ranges cover the scripts that Unicode recommends for identifiers (UAX 31 table 5);
/// letters of other scripts, which hardly anyone types, count as mixed with everything.
enum UsernameScripts {
    enum Mixture { case acceptable, refused }

    private enum Script: Hashable {
        case latin, greek, cyrillic, armenian, hebrew, arabic, thaana, devanagari, bengali, gurmukhi, gujarati, oriya
        case tamil, telugu, kannada, malayalam, sinhala, thai, lao, tibetan, myanmar, georgian, hangul, ethiopic, khmer
        case hiragana, katakana, bopomofo, han, other
    }

    private static let ranges: [(ClosedRange<UInt32>, Script)] = [
        (0x41...0x5A, .latin), (0x61...0x7A, .latin), (0xAA...0x24F, .latin), (0x250...0x2AF, .latin),
        (0x370...0x3FF, .greek), (0x400...0x52F, .cyrillic), (0x531...0x58F, .armenian), (0x591...0x5F4, .hebrew),
        (0x600...0x6FF, .arabic), (0x750...0x77F, .arabic), (0x780...0x7BF, .thaana), (0x8A0...0x8FF, .arabic),
        (0x900...0x97F, .devanagari), (0x980...0x9FF, .bengali), (0xA00...0xA7F, .gurmukhi), (0xA80...0xAFF, .gujarati),
        (0xB00...0xB7F, .oriya), (0xB80...0xBFF, .tamil), (0xC00...0xC7F, .telugu), (0xC80...0xCFF, .kannada),
        (0xD00...0xD7F, .malayalam), (0xD80...0xDFF, .sinhala), (0xE00...0xE7F, .thai), (0xE80...0xEFF, .lao),
        (0xF00...0xFFF, .tibetan), (0x1000...0x109F, .myanmar), (0x10A0...0x10FF, .georgian),
        (0x1200...0x139F, .ethiopic), (0x1780...0x17FF, .khmer), (0x1C80...0x1C8F, .cyrillic),
        (0x1C90...0x1CBF, .georgian), (0x1E00...0x1EFF, .latin), (0x1F00...0x1FFF, .greek), (0x2C60...0x2C7F, .latin),
        (0x2D00...0x2D2F, .georgian), (0x2D80...0x2DDF, .ethiopic), (0x3005...0x3007, .han),
        (0x3041...0x309F, .hiragana),
        (0x30A1...0x30FF, .katakana), (0x3105...0x312F, .bopomofo), (0x31A0...0x31BF, .bopomofo),
        (0x31F0...0x31FF, .katakana), (0x3400...0x4DBF, .han), (0x4E00...0x9FFF, .han), (0xA640...0xA69F, .cyrillic),
        (0xA720...0xA7FF, .latin), (0xAC00...0xD7A3, .hangul), (0x20000...0x3FFFF, .han),
    ]

    /// The mixtures that occur in one language (UTS 39 §5.2, "highly restrictive").
    private static let customary: [Set<Script>] = [
        [.latin, .han, .hiragana, .katakana], [.latin, .han, .bopomofo], [.latin, .han, .hangul],
    ]

    private static let rightToLeft: Set<Script> = [.hebrew, .arabic, .thaana]

    private static func script(of scalar: Unicode.Scalar) -> Script {
        ranges.first { $0.0.contains(scalar.value) }?.1 ?? .other
    }

    static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool { rightToLeft.contains(script(of: scalar)) }

    static func mixture(in text: String) -> Mixture {
        var scripts: Set<Script> = []
        var zeros: Set<UInt32> = []
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .decimalNumber:
                // Digits of one kind are consecutive; the start of the range identifies the kind.
                zeros.insert(scalar.value - UInt32(scalar.properties.numericValue ?? 0))
            case .nonspacingMark, .spacingMark:
                // Marks shared by several scripts do not identify the script.
                if !(0x300...0x36F).contains(scalar.value) { scripts.insert(script(of: scalar)) }
            case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter:
                scripts.insert(script(of: scalar))
            default: continue
            }
        }
        guard zeros.count <= 1, !scripts.contains(.other) else { return .refused }
        if scripts.count <= 1 || customary.contains(where: scripts.isSubset) { return .acceptable }
        return .refused
    }
}
