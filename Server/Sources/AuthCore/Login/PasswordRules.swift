internal import Crypto

/// The rules for a new password: long enough, and not among an attacker's first guesses. No composition rules (NIST SP
/// 800-63B §5.1.1.2).
package enum PasswordRules {
    /// In Unicode code points.
    package static let length = 8...256

    /// The rule that a new password breaks; `nil` if it may be used. `names` are the person's user name and e-mail
    /// address.
    package static func fault(in password: String, names: [String]) -> PasswordRuleViolation? {
        let count = password.unicodeScalars.count
        if count < length.lowerBound { return .tooShort }
        if count > length.upperBound { return .tooLong }
        if isCommon(password) { return .tooCommon }
        let folded = password.lowercased()
        let isName = names.contains { name in
            let name = name.lowercased()
            return folded == name || folded == name.prefix { $0 != "@" }
        }
        return isName ? .tooCommon : nil
    }

    /// Whether it is among the common passwords, independent of the person.
    package static func isCommon(_ password: String) -> Bool { CommonPasswords.contain(password.lowercased()) }
}

package enum PasswordRuleViolation: String, Error, Sendable, Hashable, Codable {
    case tooShort = "too_short"
    case tooLong = "too_long"
    /// Among the most common ones, or the user name itself.
    case tooCommon = "too_common"
    /// Found in a published list of stolen passwords.
    case breached
    /// The same as the current password.
    case unchanged = "unchanged"
}

/// The cost of one password hash, and the limit of concurrent ones.
package struct PasswordHashing: Sendable, Hashable {
    /// Argon2id's memory in KiB (RFC 9106's `m`). Default, and minimum in production: 19 MiB (first choice of OWASP's
    /// Password Storage Cheat Sheet).
    package var memoryKiB: UInt32
    /// Argon2id's passes over the memory (`t`). Default 2.
    package var passes: UInt32
    /// Argon2id's lanes (`p`). Default 1: parallelism comes from hashing several passwords at once.
    package var lanes: UInt32
    /// Hashes computed at once. This limits memory, at `memoryKiB` each. Default 2.
    package var concurrency: Int
    /// Sign-ins that may wait for their turn; further ones are asked to come back. Default 64.
    package var queueLimit: Int

    package init(
        memoryKiB: UInt32 = 19 * 1024, passes: UInt32 = 2, lanes: UInt32 = 1, concurrency: Int = 2,
        queueLimit: Int = 64
    ) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.concurrency = concurrency
        self.queueLimit = queueLimit
    }
}

/// The SHA-1 of a password, by which lists of stolen passwords index it.
///
/// An attacker who sees it can test billions of passwords a second against it. It therefore lives as long as one search
/// and is never stored or printed; only its ``prefix`` leaves this machine.
package struct BreachDigest: Sendable, Hashable {
    /// 40 hexadecimal digits in upper case.
    package let hexadecimal: String

    package init(_ password: String) {
        let digits = Array("0123456789ABCDEF".utf8)
        hexadecimal = String(
            decoding: Insecure.SHA1.hash(data: Array(password.utf8)).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
            }, as: UTF8.self)
    }

    /// The first five digits, by which a range of the list is requested. Hundreds of passwords share them.
    package var prefix: Substring { hexadecimal.prefix(5) }

    package var suffix: Substring { hexadecimal.dropFirst(5) }
}

extension BreachDigest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
