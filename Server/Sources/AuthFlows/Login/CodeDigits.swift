/// The digits of codes that people type.
enum CodeDigits {
    /// Makes a code of bytes that nobody can foresee.
    ///
    /// Sixty-four bits over at most a hundred million codes: none is likelier than another by anything that could be measured.
    /// - Parameters:
    ///   - count: how many digits, at most eight.
    ///   - bytes: eight or more, of which the first eight count.
    static func make(_ count: Int, of bytes: some Sequence<UInt8>) -> String {
        let codes = (0..<count).reduce(UInt64(1)) { product, _ in product * 10 }
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % codes
        let digits = String(number)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}
