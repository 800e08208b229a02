internal import Foundation
internal import WalletAuthWire

extension ContactDetails {
    /// Whether two addresses may lead to one mailbox. When in doubt, yes: two mailboxes taken for one mean a code that does not
    /// count, one taken for two means a second factor that is none.
    package static func mayBeOneMailbox(_ one: String, _ other: String) -> Bool {
        let (one, other) = (CanonicalAddress(one), CanonicalAddress(other))
        // Only Apple knows where its relay forwards to.
        return one == other || one.isRelay || other.isRelay
    }

    /// Whether an address belongs to Apple's relay, which forwards only while the person's Apple account exists.
    package static func isRelay(_ address: String) -> Bool { CanonicalAddress(address).isRelay }

    /// An address reduced to the parts that decide about delivery: without case, Unicode form, quotation marks, the part after a `+`,
    /// and characters that its provider ignores.
    private struct CanonicalAddress: Hashable {
        let local: String
        let domain: String

        init(_ address: String) {
            let text = address.precomposedStringWithCompatibilityMapping.lowercased()
            let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            var domain = parts.count == 2 ? String(parts[1]) : ""
            while domain.hasSuffix(".") { domain.removeLast() }
            // An internationalized domain is the same one in letters and as A-labels.
            domain = (try? EmailAddress(address))?.asciiDomain.lowercased() ?? domain
            self.domain = Self.aliases[domain] ?? domain
            let local = parts[0].filter { $0 != "\"" && $0 != "\\" }.prefix { $0 != "+" }
            let ignored = Self.ignored[self.domain] ?? []
            self.local = String(local.filter { !ignored.contains($0) })
        }

        var isRelay: Bool { domain == "privaterelay.appleid.com" }

        /// Providers that give one mailbox addresses in several domains.
        private static let aliases = [
            "googlemail.com": "gmail.com", "me.com": "icloud.com", "mac.com": "icloud.com",
            "protonmail.com": "proton.me", "pm.me": "proton.me",
        ]

        /// The characters of an address that a provider ignores.
        private static let ignored: [String: Set<Character>] = ["gmail.com": ["."], "proton.me": [".", "-", "_"]]
    }
}
