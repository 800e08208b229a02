internal import WalletAuthWire

/// Checks the form of contact addresses. Only a returned code proves one.
package enum ContactDetails {
    /// An e-mail address: one `@` with text on both sides, no space and no control character (a line break would end up in a
    /// message's header), at most 254 bytes (RFC 5321 §4.5.3.1.3).
    package static func email(_ text: String) throws -> String {
        let parts = text.utf8.count > 254 ? [] : text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].contains("."),
            !parts[1].hasPrefix("."), !parts[1].hasSuffix("."), text.unicodeScalars.allSatisfy(isVisible)
        else { throw MalformedValue(field: "email", reason: "is not an address such as name@example.com") }
        return text
    }

    /// A phone number in E.164's international form: `+` and 7 to 15 digits. Spaces and hyphens are dropped.
    package static func phone(_ text: String) throws -> String {
        let number = text.filter { $0 != " " && $0 != "-" }
        guard number.first == "+", (7...15).contains(number.utf8.count - 1),
            number.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw MalformedValue(field: "phone", reason: "is not an international number such as +35921234567") }
        return number
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
