internal import Foundation

/// Normalizes answers to secret questions, so that spellings of the same answer are equal.
package enum SecretAnswer {
    /// In compatibility form (NFKC), regardless of case, and with single spaces between words.
    package static func normalized(_ typed: String) -> String {
        // Upper case, then lower case comes close to full case folding: "ß" and "SS" both end as "ss".
        let folded = typed.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
        return folded.precomposedStringWithCompatibilityMapping
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
