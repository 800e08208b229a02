import WalletAuthWire

/// The rules for a new PIN. A PIN in use is never checked against them: rules change, and it must still work.
///
/// Refused are 1. PINs with fewer than three different digits; 2. PINs whose digits are evenly spaced, wrapping around
/// from 9 to 0 (`123456`, `8642`, `147036`); 3. a repeated block (`123123`, `4545`); 4. two halves that are each such a
/// sequence (`123321`, `456123`); 5. a sequence with every digit doubled (`112233`); 6. with four digits, the years
/// 1930 to 2039; 7. with four to eight digits, the remaining most frequent PINs in published collections and on the
/// keypad, listed in `CommonPINs`.
///
/// Only the device applies the rules. A server that could refuse a PIN would have to see it.
public struct PINRules: Hashable, Sendable {
    /// The minimum length; 6 unless the app sets another.
    public let minimumLength: Int

    /// Creates rules.
    ///
    /// - Parameter minimumLength: the minimum length, clamped to 4 to 12.
    public init(minimumLength: Int = 6) {
        self.minimumLength = min(max(minimumLength, PIN.lengths.lowerBound), PIN.lengths.upperBound)
    }

    /// Validates a new PIN.
    ///
    /// - Parameter pin: the PIN.
    /// - Throws: ``PINFault/tooShort(minimum:)`` or ``PINFault/tooCommon``.
    public func check(_ pin: PIN) throws(PINFault) {
        guard pin.digits.count >= minimumLength else { throw .tooShort(minimum: minimumLength) }
        let isCommon = pin.digits.withBytes { bytes in CommonPINs.contain(bytes.map { Int($0) - 0x30 }) }
        if isCommon { throw .tooCommon }
    }
}
