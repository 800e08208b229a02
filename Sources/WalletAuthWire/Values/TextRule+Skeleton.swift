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
    /// Unicode spelling of letters, gaps, joiners, dots above and below, punctuation at either end, zero for O, one for l, "rn" for
    /// m, and letters of other scripts drawn like Latin ones. Names with one skeleton can be taken for each other.
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
            .filter { !isGapOrDot($0) }.map { twins[$0] ?? otherTwins[$0] ?? $0 }
        let body = letters.drop(while: isEdge).reversed().drop(while: isEdge).reversed()
        // A name of punctuation alone is its own skeleton.
        return joiningTwins(of: body.isEmpty ? letters : Array(body))
    }

    /// A gap within a word is as easily missed as a dot above or below a letter. Other accents tell words apart.
    private static func isGapOrDot(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{307}" || scalar == "\u{323}" || scalar.properties.generalCategory == .spaceSeparator
    }

    /// Two letters that are drawn like one: "rn" like m.
    private static func joiningTwins(of letters: [Unicode.Scalar]) -> String {
        var joined = String.UnicodeScalarView()
        for letter in letters {
            if letter == "n", joined.last == "r" {
                joined.removeLast()
                joined.append("m")
            } else {
                joined.append(letter)
            }
        }
        return String(joined)
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
        // Latin without its dot
        "\u{237}": "j",
    ]

    /// Those of scripts whose letters were modeled on Latin capitals, from the same list. Cherokee is named by its capitals.
    private static let otherTwins: [Unicode.Scalar: Unicode.Scalar] = {
        let cherokee: [(Unicode.Scalar, Unicode.Scalar)] = [
            ("\u{13AA}", "a"), ("\u{13CF}", "b"), ("\u{13F4}", "b"), ("\u{13DF}", "c"), ("\u{13A0}", "d"),
            ("\u{13E7}", "d"),
            ("\u{13AC}", "e"), ("\u{13C0}", "g"), ("\u{13F3}", "g"), ("\u{13BB}", "h"), ("\u{13C2}", "h"),
            ("\u{13AB}", "j"),
            ("\u{13E6}", "k"), ("\u{13A5}", "l"), ("\u{13DE}", "l"), ("\u{13B7}", "m"), ("\u{13E2}", "p"),
            ("\u{13A1}", "r"),
            ("\u{13B1}", "r"), ("\u{13D2}", "r"), ("\u{13D5}", "s"), ("\u{13DA}", "s"), ("\u{13A2}", "t"),
            ("\u{13D9}", "v"),
            ("\u{13B3}", "w"), ("\u{13D4}", "w"), ("\u{13A9}", "y"), ("\u{13BD}", "y"), ("\u{13C3}", "z"),
        ]
        var twins: [Unicode.Scalar: Unicode.Scalar] = [
            // Lisu
            "\u{A4EE}": "a", "\u{A4D0}": "b", "\u{A4DA}": "c", "\u{A4D2}": "d", "\u{A4D3}": "d", "\u{A4F0}": "e",
            "\u{A4DD}": "f", "\u{A4D6}": "g", "\u{A4E7}": "h", "\u{A4D9}": "j", "\u{A4D7}": "k", "\u{A4E1}": "l",
            "\u{A4F2}": "l", "\u{A4DF}": "m", "\u{A4E0}": "n", "\u{A4F3}": "o", "\u{A4D1}": "p", "\u{A4E3}": "r",
            "\u{A4E2}": "s", "\u{A4D4}": "t", "\u{A4F4}": "u", "\u{A4E6}": "v", "\u{A4EA}": "w", "\u{A4EB}": "x",
            "\u{A4EC}": "y", "\u{A4DC}": "z",
        ]
        for (capital, latin) in cherokee {
            twins[capital] = latin
            // The small letter, to which case folding leads.
            for small in capital.properties.lowercaseMapping.unicodeScalars { twins[small] = latin }
        }
        return twins
    }()
}
