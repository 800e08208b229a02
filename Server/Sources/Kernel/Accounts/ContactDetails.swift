internal import Foundation
internal import WalletAuthWire

/// Contact details other than an `EmailAddress`. Only a returned code proves one.
package enum ContactDetails {
    /// A phone number in E.164's international form: `+` and 7 to 15 digits. It is read as codes are (``TypedCode``), and the marks
    /// with which numbers are written are dropped: `+49 (30) 123-456`.
    package static func phone(_ text: String) throws -> String {
        let number = TypedCode.normalized(text).filter { !"()./".contains($0) }
        let international = "+" + String(number.drop { $0 == "0" })
        if number.hasPrefix("00"), isInternational(international) {
            throw MalformedValue(
                field: "phone",
                reason: "begins with 00, which is dialed only in some countries: write it as "
                    + (withoutTrunkZero(international) ?? international))
        }
        guard isInternational(number) else {
            throw MalformedValue(field: "phone", reason: "is not an international number such as +35921234567")
        }
        if let right = withoutTrunkZero(number) {
            throw MalformedValue(
                field: "phone", reason: "has the 0 that is dialed only within its country: write it as \(right)")
        }
        if let code = ["+1", "+7"].first(where: { number.hasPrefix($0 + "0") }) {
            throw MalformedValue(
                field: "phone", reason: "has a 0 after \(code), where no area code begins with it: check the number")
        }
        return number
    }

    private static func isInternational(_ number: String) -> Bool {
        number.first == "+" && (7...15).contains(number.utf8.count - 1)
            && number.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The number without a trunk prefix after the country's code, as in `+49 030 …`; `nil` if it has none. Many carriers do not
    /// deliver to such a number.
    private static func withoutTrunkZero(_ number: String) -> String? {
        let digits = number.dropFirst()
        for length in 2...3 where trunkZero.contains(String(digits.prefix(length))) {
            let national = digits.dropFirst(length)
            guard national.first == "0" else { return nil }
            return "+" + String(digits.prefix(length)) + String(national.drop { $0 == "0" })
        }
        return nil
    }

    /// The codes of countries whose numbers are dialed with a 0 from inside and never begin with one, by their numbering plans at the
    /// ITU. Others keep it, such as Italy's +39 06 and Ivory Coast's +225 07.
    private static let trunkZero: Set<String> = [
        "20", "27", "31", "32", "33", "40", "41", "43", "44", "46", "49", "51", "58", "60", "61", "62", "63", "64",
        "66", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98", "212", "213", "233", "234", "251",
        "254", "255", "256", "260", "353", "355", "358", "359", "373", "374", "380", "381", "382", "383", "385", "386",
        "387", "389", "421", "593", "880", "886", "961", "962", "963", "964", "966", "967", "970", "971", "972", "977",
        "994", "995", "996",
    ]
}

extension ContactDetails {
    /// Whether two addresses may lead to one mailbox. When in doubt, yes: two mailboxes taken for one mean a code that does not
    /// count, one taken for two means a second factor that is none.
    package static func mayBeOneMailbox(_ one: String, _ other: String) -> Bool {
        let (one, other) = (CanonicalAddress(one), CanonicalAddress(other))
        // Only Apple knows where its relay forwards to.
        return one == other || one.isRelay || other.isRelay
    }

    /// The mailbox that an address may lead to, as text that is equal for all of its addresses.
    package static func mailbox(of address: String) -> String {
        let canonical = CanonicalAddress(address)
        return "\(canonical.local)@\(canonical.domain)"
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
