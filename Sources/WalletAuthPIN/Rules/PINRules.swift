import WalletAuthWire

/// What a new PIN must be like. A PIN that is in use is never held against them: rules change, and it has to open its account.
///
/// Refused are 1. PINs of fewer than three different digits; 2. PINs whose digits all lie the same step apart, counted
/// around from 9 to 0 (`123456`, `8642`, `147036`); 3. a block repeated (`123123`, `4545`); 4. two halves that are each
/// such a row (`123321`, `456123`); 5. a row with every digit doubled (`112233`); 6. of four digits, the years 1930 to
/// 2039; 7. of four to eight digits, what remains of the most frequent in published collections and on the keypad, listed
/// in `CommonPINs`.
///
/// The rules run on the device alone. A server that could refuse a PIN would have to see it.
public struct PINRules: Hashable, Sendable {
    /// The shortest that is taken; 6 unless the app asks for another.
    public let minimumLength: Int

    /// Creates rules.
    /// - Parameter minimumLength: the shortest that is taken, moved into 4 to 12.
    public init(minimumLength: Int = 6) {
        self.minimumLength = min(max(minimumLength, PIN.lengths.lowerBound), PIN.lengths.upperBound)
    }

    /// Holds a new PIN against the rules.
    /// - Parameter pin: the PIN.
    /// - Throws: ``PINFault/tooShort(minimum:)`` or ``PINFault/tooCommon``.
    public func check(_ pin: PIN) throws(PINFault) {
        guard pin.digits.count >= minimumLength else { throw .tooShort(minimum: minimumLength) }
        let isCommon = pin.digits.withBytes { bytes in CommonPINs.contain(bytes.map { Int($0) - 0x30 }) }
        if isCommon { throw .tooCommon }
    }
}
