internal import Kernel
package import WalletAuthWire

/// The form of an account PIN: 6 to 12 digits as typed. Whether it is the right one is not known here.
///
/// It opens the account on a hosted page or in a first-party app, and no device key counts with it. A device PIN is a
/// different one, which never leaves its device. The description is `<redacted>`.
package struct AccountPIN: Sendable, Hashable {
    package static let lengths = 6...12

    /// The digits as they are hashed.
    package let digits: Password

    /// Checks the form of a PIN.
    /// - Parameter typed: as typed. It is read as codes are (``TypedCode``): digits of any script, however they are spaced.
    /// - Throws: ``AccountPINFault/malformed``, ``AccountPINFault/tooShort`` or ``AccountPINFault/tooLong``.
    package init(_ typed: String) throws(AccountPINFault) {
        let text = TypedCode.normalized(typed)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .malformed }
        guard text.utf8.count >= Self.lengths.lowerBound else { throw .tooShort }
        guard text.utf8.count <= Self.lengths.upperBound else { throw .tooLong }
        guard let digits = try? Password(text) else { throw .malformed }
        self.digits = digits
    }

    /// Checks a new PIN. It is typed twice, because the digits are not shown and no password manager keeps them.
    /// - Throws: ``AccountPINFault/mistyped`` if the two differ, whatever else is wrong with them; otherwise as
    ///   ``init(_:)``.
    package init(_ typed: String, repeated: String) throws(AccountPINFault) {
        guard TypedCode.normalized(typed) == TypedCode.normalized(repeated) else { throw .mistyped }
        try self.init(typed)
    }

    /// Whether it is among an attacker's first guesses. A PIN in use is never rejected for that: rules change, and it
    /// has to open its account.
    package var isCommon: Bool { CommonPINs.contain(digits.reveal().utf8.map { Int($0) - 0x30 }) }
}

/// Why a PIN is refused for an account.
package enum AccountPINFault: String, Error, Sendable, Hashable, Codable {
    /// It contains something other than digits.
    case malformed
    /// Fewer than 6 digits.
    case tooShort = "too_short"
    /// More than 12 digits.
    case tooLong = "too_long"
    /// The two entries differ.
    case mistyped
    /// Among an attacker's first guesses.
    case tooCommon = "too_common"
}

/// The limits of guesses at an account PIN. The sign-in page, the account page and the page for consent to operations
/// share one count.
package enum AccountPINLimits {
    /// Consecutive wrong PINs until it is locked. Setting a new PIN unlocks it.
    package static let inARow: Int64 = 5
    /// Wrong PINs since it was set. Correct entries in between do not grant further guesses.
    package static let altogether: Int64 = 30
}

extension AuthenticationStrength {
    /// Whether the account PIN is among the methods, as opposed to a device PIN.
    package static func includeAccountPIN(_ methods: [String]) -> Bool {
        methods.contains(pin) && deviceKeys.isDisjoint(with: methods)
    }
}
