internal import Foundation

/// The answer to a secret question, so that what a person means by one answer is one text.
enum SecretAnswer {
    /// In compatibility form (NFKC), without regard to case, and with single spaces between words.
    static func normalized(_ typed: String) -> String {
        // Upper and then lower case comes close to full case folding: "ß" and "SS" both end as "ss".
        let folded = typed.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
        return folded.precomposedStringWithCompatibilityMapping
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
