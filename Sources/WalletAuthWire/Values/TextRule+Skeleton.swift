import Foundation

extension TextRule {
    /// Whether no two of the names on one screen can be taken for each other. Letters are compared in both of their forms: "Ν" is
    /// drawn like N, "ν" like v.
    static func areDistinct(_ names: [String]) -> Bool {
        [false, true].allSatisfy { isSmall in
            Set(names.map { skeleton(of: $0, withSmallForms: isSmall) }).count == names.count
        }
    }

    /// What remains of a short name when everything is removed that a hurried reader does not notice: the width, case and
    /// Unicode spelling of letters, gaps, joiners, dots above and below, punctuation at either end, zero for O, one for l, "rn" for
    /// m, and letters of other scripts drawn like ASCII characters. Names with one skeleton can be taken for each other.
    ///
    /// It is for comparing names on one screen, never for displaying or storing them.
    /// - Parameter isSmall: whether small letters count as the ones that they are drawn like, instead of those that their capitals
    ///   are drawn like.
    static func skeleton(of text: String, withSmallForms isSmall: Bool = false) -> String {
        let shown = appearance(of: text).unicodeScalars.flatMap { hidden[$0] ?? [$0] }
        let plain = String(String.UnicodeScalarView(shown)).decomposedStringWithCompatibilityMapping.unicodeScalars
            .flatMap { isSmall ? smallTwins[$0] ?? [$0] : [$0] }
        // Upper case first: it expands ß, and has only one sigma.
        let folded = String(String.UnicodeScalarView(plain)).uppercased().lowercased()
        // Without its accent, a letter has a twin.
        let letters = appearance(of: folded).decomposedStringWithCanonicalMapping.unicodeScalars
            .filter { !isGapOrDot($0) }.flatMap { twins[$0] ?? [$0] }
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

    /// Folded characters drawn like ASCII characters. Letters of one script meet only where they are drawn alike themselves, such as i
    /// and l in "Il", or the Cyrillic "Ь" and "в".
    private static let twins = byLetter(
        LookAlikes.letters,
        [
            "l": "1i|", "o": "0",
            // Not in Unicode's list: Latin without its dot, and Cyrillic capitals that are drawn like their small letters.
            "j": "\u{237}", "d": "\u{501}", "h": "\u{4BB}", "q": "\u{51B}",
        ])

    /// Small letters whose capitals are drawn otherwise.
    private static let smallTwins = byLetter(
        LookAlikes.smallLetters,
        [
            // In Unicode's list not without their tails, or not at all.
            "n": "\u{3B7}", "u": "\u{3BC}", "w": "\u{3C9}",
        ])

    private static let hidden = byLetter(LookAlikes.hidden, [:])

    private static func byLetter(_ tables: [String: String]...) -> [Unicode.Scalar: [Unicode.Scalar]] {
        var twins: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for (drawn, letters) in tables.joined() {
            for letter in letters.unicodeScalars { twins[letter] = Array(drawn.unicodeScalars) }
        }
        return twins
    }
}
