import Foundation

extension TextRule {
    /// Whether no two of the names on one screen can be taken for each other. Greek letters are compared in both of their forms:
    /// "Ν" is drawn like N, "ν" like v.
    static func areDistinct(_ names: [String]) -> Bool {
        [false, true].allSatisfy { isSmall in
            Set(names.map { skeleton(of: $0, withSmallGreek: isSmall) }).count == names.count
        }
    }

    /// What remains of a short name when everything is removed that a hurried reader does not notice: the width, case and
    /// Unicode spelling of letters, gaps, joiners, punctuation at either end, zero for O, one for l, and letters of other
    /// scripts drawn like Latin ones. Names with one skeleton can be taken for each other.
    ///
    /// It is for comparing names on one screen, never for displaying or storing them.
    /// - Parameter isSmall: whether small Greek letters count as the Latin ones that they are drawn like, instead of those that their
    ///   capitals are drawn like.
    static func skeleton(of text: String, withSmallGreek isSmall: Bool = false) -> String {
        let plain = appearance(of: text).decomposedStringWithCompatibilityMapping.unicodeScalars
            .map { isSmall ? smallGreek[$0] ?? $0 : $0 }
        // Upper case first: it expands ß, and has only one sigma.
        let folded = String(String.UnicodeScalarView(plain)).uppercased().lowercased()
        // Without its accent, a letter has a twin.
        let letters = appearance(of: folded).decomposedStringWithCanonicalMapping.unicodeScalars
            .map { twins[$0] ?? $0 }
        let body = letters.drop(while: isEdge).reversed().drop(while: isEdge).reversed()
        // A name of punctuation alone is its own skeleton.
        return String(String.UnicodeScalarView(body.isEmpty ? letters : Array(body)))
    }

    /// Sentence punctuation and gaps. "%", "#" and "*" distinguish names: "VAT" and "VAT %" are two lines of a bill.
    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .connectorPunctuation, .spaceSeparator: true
        default: ".,:;!?·~".unicodeScalars.contains(scalar)
        }
    }

    private static let smallGreek: [Unicode.Scalar: Unicode.Scalar] = [
        "γ": "y", "η": "n", "μ": "u", "ν": "v", "σ": "o", "υ": "u", "ω": "w",
    ]

    /// Folded characters drawn like another in upper or lower case, from Unicode's confusables (UTS 39), for the scripts
    /// that share Latin's forms. Within one script no two letters meet, except i and l, which "Il" confuses, and the two Cyrillic ones
    /// drawn like H and h.
    private static let twins: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "o", "1": "l", "i": "l", "|": "l",
        // Cyrillic
        "а": "a", "в": "b", "е": "e", "ѕ": "s", "і": "l", "ј": "j", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p",
        "с": "c", "т": "t", "у": "y", "х": "x",
        // The same, of languages other than the Slavic ones
        "\u{4BB}": "h", "\u{4CF}": "l", "\u{501}": "d", "\u{50D}": "g", "\u{51B}": "q", "\u{51D}": "w", "\u{475}": "v",
        // Greek
        "α": "a", "β": "b", "ε": "e", "ζ": "z", "η": "h", "ι": "l", "κ": "k", "μ": "m", "ν": "n", "ο": "o", "ρ": "p",
        "τ": "t", "υ": "y", "χ": "x",
    ]
}
