internal import WalletAuthWire

/// Contact details other than an `EmailAddress`. Only a returned code proves one.
package enum ContactDetails {
    /// A phone number in E.164's international form: `+` and 7 to 15 digits. Spaces and hyphens are dropped.
    package static func phone(_ text: String) throws -> String {
        let number = text.filter { $0 != " " && $0 != "-" }
        guard number.first == "+", (7...15).contains(number.utf8.count - 1),
            number.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw MalformedValue(field: "phone", reason: "is not an international number such as +35921234567") }
        return number
    }
}
