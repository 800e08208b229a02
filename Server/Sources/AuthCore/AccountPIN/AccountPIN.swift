package import WalletAuthWire

/// The PIN of an account, as typed: 6 to 12 digits, and whether they are the right ones is not known.
///
/// It opens the account on a hosted page, where there is no device whose key could stand beside it; the PIN of a device is
/// another one, which never leaves that device. Printing it yields `<redacted>`.
package struct AccountPIN: Sendable, Hashable {
    /// How long it may be.
    package static let lengths = 6...12

    /// The digits, as they are hashed.
    package let digits: Password

    /// Checks a PIN's form.
    /// - Parameter typed: digits from 0 to 9; spaces between them are passed over.
    /// - Throws: ``AccountPINFault/malformed``, ``AccountPINFault/tooShort`` or ``AccountPINFault/tooLong``.
    package init(_ typed: String) throws(AccountPINFault) {
        let text = typed.filter { $0 != " " }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .malformed }
        guard text.utf8.count >= Self.lengths.lowerBound else { throw .tooShort }
        guard text.utf8.count <= Self.lengths.upperBound else { throw .tooLong }
        guard let digits = try? Password(text) else { throw .malformed }
        self.digits = digits
    }

    /// Checks a new PIN, which is typed twice: nobody sees the digits, and no password manager keeps them.
    /// - Parameters:
    ///   - typed: as for ``init(_:)``.
    ///   - repeated: the same once more; spaces between the digits are passed over here too.
    /// - Throws: ``AccountPINFault/mistyped`` where the two differ, whatever else is wrong with them; otherwise as ``init(_:)``.
    package init(_ typed: String, repeated: String) throws(AccountPINFault) {
        guard typed.filter({ $0 != " " }) == repeated.filter({ $0 != " " }) else { throw .mistyped }
        try self.init(typed)
    }

    /// Whether it is one of those that are tried first. A PIN that is in use is never held against that: rules change, and it
    /// has to open its account.
    package var isCommon: Bool { CommonPINs.contain(digits.reveal().utf8.map { Int($0) - 0x30 }) }
}

/// Why a PIN is not taken for an account.
package enum AccountPINFault: String, Error, Sendable, Hashable {
    /// It has something else than the digits 0 to 9 in it.
    case malformed
    /// Fewer than 6 digits.
    case tooShort = "too_short"
    /// More than 12 digits.
    case tooLong = "too_long"
    /// It was typed twice, and the two differ.
    case mistyped
    /// Among those that are tried first.
    case tooCommon = "too_common"
}

/// How often an account's PIN may be guessed, wherever that is: one count for the sign-in page, the account's page and the page
/// on which people agree to operations.
package enum AccountPINLimits {
    /// Wrong ones in a row; then it is locked until it is set anew.
    package static let inARow: Int64 = 5
    /// Wrong ones altogether since it was set: its holder's right ones in between hand out no further guesses.
    package static let altogether: Int64 = 30
}
