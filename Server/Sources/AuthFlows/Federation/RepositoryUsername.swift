internal import Foundation
internal import WalletAuthWire

/// A user name of somebody else's repository, whose rules nobody here knows: what the repository is asked about, and what
/// tries are counted under.
///
/// A repository may take two spellings for one name. What is counted is coarser than anything a repository is likely to do,
/// and made of what it is asked, so that no spelling of a name brings new tries at it.
struct RepositoryUsername: Sendable, Hashable {
    /// What the repository is asked about: in compatibility form (NFKC), without what nobody sees, and with single spaces
    /// between words; capitals stay what they are.
    let asked: String
    /// What tries are counted under: without regard to case and accents besides.
    let counted: String

    /// - Parameter typed: as typed; `nil` where nothing is left of it, or its form never settles.
    init?(_ typed: String) {
        guard let asked = Self.settled(typed, Self.cleaned), !asked.isEmpty,
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

    /// Upper and then lower case comes close to full case folding; accents go, since many a database compares without them.
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

    /// One step may make work for the one before it, so they are repeated until nothing changes.
    private static func settled(_ text: String, _ step: (String) -> String) -> String? {
        var text = text
        for _ in 0..<8 {
            let next = step(text)
            // Not by canonical equivalence: bytes are what is counted.
            if next.utf8.elementsEqual(text.utf8) { return next }
            text = next
        }
        return nil
    }
}
