internal import AuthCore
internal import AuthStore
internal import Foundation
package import WalletAuthWire

/// How a brand looks on the pages: what its record says, and nothing that a request can change.
package struct BrandAppearance: Sendable, Hashable {
    /// What people read.
    package var name: String
    /// In place of the accent color: six hexadecimal digits in lower case. Any color will do; the pages keep their text
    /// readable on it.
    package var color: String?
    /// An image in place of the monogram and the name, at an https address that the pages' policy names.
    package var logo: WebURL?
}

/// What a brand's record keeps of its look and its rules, in JSON; a member that is missing has its default.
struct BrandProfile: Codable, Sendable, Hashable {
    var color: String?
    var logoURL: String?
    /// The terms that people accept with a new account, at an https address.
    var termsURL: String?
    /// What is asked of a device that is not linked to its account.
    var newDevice: NewDevicePolicy?
    /// Whether secret questions count as a second factor. Off unless an operator turned it on: answers are found out.
    var secretQuestions: Bool?
    /// Whether people may sign in by a PIN of their account. Off unless an operator turned it on: it is shorter than a password.
    var accountPIN: Bool?
    /// How many days old a password may grow before it has to be changed; `nil` for no limit.
    var passwordDays: Int?
    /// How far it is that what PINs had opened was ended since they were turned off; `nil` while they are on, and where it was
    /// not kept yet.
    var endOfPINs: EndOfPINs?

    /// What PINs of accounts had opened, once they are turned off.
    enum EndOfPINs: Codable, Sendable, Hashable {
        /// A run of this name has begun to end it. It may have been cut off.
        case begun(String)
        /// Nothing of it is left, and as long as they are off nothing comes.
        case done
    }

    init() {}

    init(json: String) throws {
        self = try JSONDecoder().decode(BrandProfile.self, from: Data(json.utf8))
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// A color as the record keeps it.
    /// - Parameter text: six hexadecimal digits, with or without `#`.
    /// - Throws: ``MalformedValue``.
    static func color(_ text: String) throws -> String {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ $0 < 0x80 && Character(UnicodeScalar($0)).isHexDigit })
        else { throw MalformedValue(field: "color", reason: "is not six hexadecimal digits") }
        return digits.lowercased()
    }

    /// The age of passwords as the record keeps it.
    /// - Parameter days: 1 to 3,650; 0 for no limit.
    /// - Throws: ``MalformedValue``.
    static func passwordDays(_ days: Int) throws -> Int? {
        guard (0...3650).contains(days) else {
            throw MalformedValue(field: "password-days", reason: "is not a number from 0 to 3650")
        }
        return days == 0 ? nil : days
    }

    /// The terms' address as the record keeps it.
    /// - Throws: ``MalformedValue``.
    static func terms(_ text: String) throws -> String {
        let url = try WebURL(text, field: "terms-url")
        guard !url.isInsecure else { throw MalformedValue(field: "terms-url", reason: "is not https") }
        return url.rawValue
    }

    /// A logo's address as the record keeps it.
    ///
    /// An address and not the image itself: the pages, which nobody may cache, stay small, and the operator changes the
    /// image where all others lie. Whoever serves it learns that somebody opened a page, but no more: pages send no
    /// referrer. The host must be a name, since the policy could not tell one IPv6 literal from another.
    /// - Throws: ``MalformedValue``.
    static func logo(_ text: String) throws -> String {
        let url = try WebURL(text, field: "logo-url")
        guard text.hasPrefix("https://"), !text.contains("[") else {
            throw MalformedValue(field: "logo-url", reason: "is not https with a host name")
        }
        return url.rawValue
    }
}

extension BrandAppearance {
    /// The look of a brand; its id alone where it is gone.
    static func of(_ brand: BrandID, in context: ServerContext) async throws -> BrandAppearance {
        guard let record = try await context.database.read({ try Brands.find(brand.rawValue, on: $0) }) else {
            return BrandAppearance(name: brand.rawValue)
        }
        let look = try BrandProfile(json: record.settings)
        return BrandAppearance(name: record.name, color: look.color, logo: try look.logoURL.map { try WebURL($0) })
    }
}
