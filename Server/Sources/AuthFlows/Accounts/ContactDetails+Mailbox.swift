internal import Foundation

extension ContactDetails {
    /// Whether two addresses may lead to one mailbox. It errs towards yes: two that are taken for one give a code that counts for
    /// nothing, one that is taken for two gives a second factor that is none.
    static func mayBeOneMailbox(_ one: String, _ other: String) -> Bool {
        let (one, other) = (CanonicalAddress(one), CanonicalAddress(other))
        // Where Apple's relay sends is known to Apple alone.
        return one == other || one.isRelay || other.isRelay
    }

    /// Whether an address is of Apple's relay, which forwards while the person's account at Apple exists.
    static func isRelay(_ address: String) -> Bool { CanonicalAddress(address).isRelay }

    /// An address without what changes nothing about where a message goes: case, the form of its letters, quotation marks, what
    /// follows a `+`, and whatever else its provider passes over.
    private struct CanonicalAddress: Hashable {
        let local: String
        let domain: String

        init(_ address: String) {
            let text = address.precomposedStringWithCompatibilityMapping.lowercased()
            let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            var domain = parts.count == 2 ? parts[1] : ""
            while domain.hasSuffix(".") { domain.removeLast() }
            self.domain = Self.aliases[String(domain)] ?? String(domain)
            let local = parts[0].filter { $0 != "\"" && $0 != "\\" }.prefix { $0 != "+" }
            self.local = String(Self.isDotless(self.domain) ? local.filter { $0 != "." } : String(local))
        }

        var isRelay: Bool { domain == "privaterelay.appleid.com" }

        /// The providers that give one mailbox an address in several domains.
        private static let aliases = [
            "googlemail.com": "gmail.com", "me.com": "icloud.com", "mac.com": "icloud.com",
            "protonmail.com": "proton.me", "pm.me": "proton.me",
        ]

        /// Gmail and Proton pass over dots.
        private static func isDotless(_ domain: String) -> Bool { domain == "gmail.com" || domain == "proton.me" }
    }
}
