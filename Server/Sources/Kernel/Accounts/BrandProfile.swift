package import Core
internal import Foundation
internal import Synchronization
internal import WalletAuthWire

/// A brand's look and rules, stored as JSON. A missing member has its default.
package struct BrandProfile: Codable, Sendable, Hashable {
    package var color: String?
    package var logoURL: String?
    /// The https address of the terms that people accept with a new account.
    package var termsURL: String?
    /// Where people get help: an https address, or one that begins with `mailto:` or `tel:`.
    package var support: String?
    /// The rule for a device that is not linked to its account.
    package var newDevice: NewDevicePolicy?
    /// Whether secret questions count as a second factor. Off by default: answers can be found out.
    package var secretQuestions: Bool?
    /// Whether people may sign in with an account PIN. Off by default: it is shorter than a password.
    package var accountPIN: Bool?
    /// Whether people may sign in by scanning the sign-in page with their phone. Off by default: someone else may have sent them the
    /// code.
    package var scanSignIn: Bool?
    /// Whether newcomers may make an account by themselves. Off by default: operators have their own ways to find out who someone is.
    package var registration: Bool?
    /// Whether newcomers may do so with a passkey and no password. Off by default: not every app has passkeys in its own screens.
    package var registersByPasskey: Bool?
    /// Whether holders may change their own name. Off by default: the operator may have checked it.
    package var ownNames: Bool?
    /// Maximum age of a password in days; `nil` for no limit.
    package var passwordDays: Int?
    /// The days after which an account that its holder closed is erased; `nil` for ``usualClosingDays``.
    package var closingDays: Int?
    /// Replace those of the catalog.
    package var texts: BrandTexts?
    /// Progress of ending the sessions opened with PINs, after they were turned off; `nil` while they are on.
    package var endOfPINs: EndOfPINs?

    /// The sessions that account PINs had opened, once PINs are turned off.
    package enum EndOfPINs: Codable, Sendable, Hashable {
        /// The run with this id has begun to end them. It may have been interrupted.
        case begun(String)
        /// None are left, and none can begin while PINs are off.
        case done
    }

    init() {}

    package init(json: String) throws {
        let bytes = Array(json.utf8)
        if let known = Self.decoded.withLock({ $0[bytes] }) {
            self = known
            return
        }
        let profile = try JSONDecoder().decode(BrandProfile.self, from: Data(bytes))
        self = profile
        Self.decoded.withLock { decoded in
            if decoded.count >= Self.capacity { decoded.removeAll() }
            decoded[bytes] = profile
        }
    }

    /// Decoded profiles by the bytes of their text, which alone determine them: two texts may be equal by canonical equivalence and
    /// name different addresses. Every sign-in and consent reads a profile, and Foundation's decoder is slow.
    private static let decoded = Mutex<[[UInt8]: BrandProfile]>([:])
    /// More brands than any operator has. At the limit, the cache is emptied.
    private static let capacity = 1024

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Normalizes a color for the record.
    /// - Parameter text: six hexadecimal digits, with or without `#`.
    package static func color(_ text: String) throws -> String {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ $0 < 0x80 && Character(UnicodeScalar($0)).isHexDigit })
        else { throw MalformedValue(field: "color", reason: "is not six hexadecimal digits") }
        return digits.lowercased()
    }

    /// Normalizes the maximum age of passwords for the record.
    /// - Parameter days: 1 to 3,650; 0 for no limit.
    package static func passwordDays(_ days: Int) throws -> Int? {
        guard (0...3650).contains(days) else {
            throw MalformedValue(field: "password-days", reason: "is not a number from 0 to 3650")
        }
        return days == 0 ? nil : days
    }

    /// Long enough to notice that someone else closed the account.
    package static let usualClosingDays = 7

    /// Checks the days for the record.
    /// - Parameter days: 0 to 90; with 0 the account is erased an hour later, which the message about it needs.
    package static func closingDays(_ days: Int) throws -> Int {
        guard (0...90).contains(days) else {
            throw MalformedValue(field: "closing-days", reason: "is not a number from 0 to 90")
        }
        return days
    }

    /// Normalizes the terms' address for the record.
    package static func terms(_ text: String) throws -> String {
        let url = try WebURL(text, field: "terms-url")
        guard !url.isInsecure else { throw MalformedValue(field: "terms-url", reason: "is not https") }
        return url.rawValue
    }

    /// Normalizes a logo's address for the record.
    ///
    /// The record holds an address instead of the image: pages, which must not be cached, stay small, and operators
    /// change the image where they keep all others. Its host learns that a page was opened and nothing more, because
    /// pages send no referrer. The host must be a name: the policy could not distinguish IPv6 literals.
    package static func logo(_ text: String) throws -> String {
        let url = try WebURL(text, field: "logo-url")
        guard text.hasPrefix("https://"), !text.contains("[") else {
            throw MalformedValue(field: "logo-url", reason: "is not https with a host name")
        }
        return url.rawValue
    }
}

/// A brand's requirement for a sign-in from a device that is not linked to the account.
package enum NewDevicePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// A second factor, if the account has one.
    case secondFactor = "second_factor"
    /// Only the first factor.
    case allow
}
