/// Numeric codes that people type.
///
/// This folder owns their digits and MACs. Each flow that sends a code owns its purpose, its message and its attempts.
package enum CodeDigits {
    /// The digits of a code that is sent to a person who waits for it.
    package static let sent = 6

    /// Makes a code from unpredictable bytes.
    ///
    /// 64 bits over at most a hundred million codes leave no measurable bias.
    /// - Parameters:
    ///   - count: the number of digits, at most eight.
    ///   - bytes: at least eight; the first eight are used.
    package static func make(_ count: Int, of bytes: some Sequence<UInt8>) -> String {
        let codes = (0..<count).reduce(UInt64(1)) { product, _ in product * 10 }
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % codes
        let digits = String(number)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}
