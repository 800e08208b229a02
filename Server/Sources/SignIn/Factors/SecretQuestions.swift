package import Core
internal import Foundation
package import Kernel

extension Language {
    /// The person's language: from the account, otherwise from the app's request.
    package static func of(_ account: AccountRecord, acceptLanguage: String?) -> Self {
        // Limits the work on an oversized header.
        let asked = acceptLanguage?.split(separator: ",").prefix(16).map(String.init) ?? []
        return .choose([account.locale].compactMap { $0 } + asked)
    }
}

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
