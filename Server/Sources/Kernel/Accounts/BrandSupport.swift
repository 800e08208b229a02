package import WalletAuthWire

/// Where people of a brand get help.
extension BrandProfile {
    /// Normalizes the way to a brand's support for the record: an address that a page can link to.
    /// - Parameter text: an https address, an e-mail address, or a phone number with its country code.
    package static func support(_ text: String) throws(MalformedValue) -> String {
        func refuse(_ reason: String) -> MalformedValue { MalformedValue(field: "support", reason: reason) }
        if text.hasPrefix("https://") { return try WebURL(text, field: "support").rawValue }
        let bare = text.trimmingPrefix("mailto:").trimmingPrefix("tel:")
        if bare.contains("@") {
            guard let email = try? EmailAddress(String(bare)), email.rawValue.utf8.allSatisfy(isPlainInMailto) else {
                throw refuse("is not an e-mail address that every mail program takes from a link")
            }
            return "mailto:" + email.rawValue
        }
        let number = bare.filter { !" ()-/.".contains($0) }
        guard number.first == "+", (6...16).contains(number.utf8.count),
            number.utf8.dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { throw refuse("is neither https, nor an e-mail address, nor a number with + and its country code") }
        return "tel:" + number
    }

    /// Others have a meaning in such a link, or have to be encoded.
    private static func isPlainInMailto(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "@._-".utf8.contains(byte)
        }
    }

    /// Whom to contact, in the middle of a sentence: with the way to them, if there is one.
    /// - Parameters:
    ///   - name: the brand's.
    ///   - support: from the record.
    package static func contact(_ name: String, at support: String?) -> String {
        guard let support else { return name }
        return "\(name) (\(support.trimmingPrefix("mailto:").trimmingPrefix("tel:")))"
    }
}
