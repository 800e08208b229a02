internal import Foundation
internal import WalletAuthWire

/// A user name in an external repository whose rules are unknown here: the form the repository is asked about, and the form that
/// failures are counted under.
///
/// A repository may treat two spellings as one name. The counted form is coarser than the rules of any likely repository, and is
/// derived from the asked form, so that another spelling does not bring further attempts.
package struct RepositoryUsername: Sendable, Hashable {
    /// The form the repository is asked about: NFKC, without invisible characters, with single spaces between words. Case is kept.
    package let asked: String
    /// The form that failures are counted under: also without case and accents.
    package let counted: String

    /// - Parameter typed: as typed. The result is `nil` if it is too long, if nothing is left of it, or if its form never settles.
    package init?(_ typed: String) {
        // Before anything is removed: that may join marks of any number.
        guard typed.utf8.count <= FederatedLogin.longestUsername,
            let asked = Self.settled(typed, Self.cleaned), !asked.isEmpty,
            asked.utf8.count <= FederatedLogin.longestUsername,
            let counted = Self.settled(asked, Self.folded), !counted.isEmpty
        else { return nil }
        self.asked = asked
        self.counted = counted
    }

    private static func cleaned(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.precomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar.properties.isWhitespace {
                visible.append(" ")
            } else if !isInvisible(scalar) {
                visible.append(scalar)
            }
        }
        return String(visible).split(separator: " ").joined(separator: " ").precomposedStringWithCompatibilityMapping
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Upper and then lower case is close to full case folding. Accents are removed because many databases ignore them.
    private static func folded(_ text: String) -> String {
        var letters = String.UnicodeScalarView()
        for scalar in text.uppercased().lowercased().decomposedStringWithCompatibilityMapping.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: break
            default: letters.append(scalar)
            }
        }
        return cleaned(String(letters))
    }

    /// One step may create work for an earlier one, so they are repeated until nothing changes.
    private static func settled(_ text: String, _ step: (String) -> String) -> String? {
        var text = text
        for _ in 0..<8 {
            let next = step(text)
            // Not by canonical equivalence: the counter compares bytes.
            if next.utf8.elementsEqual(text.utf8) { return next }
            text = next
        }
        return nil
    }
}
