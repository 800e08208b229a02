package import AuthCore

/// A list of passwords that were stolen and published.
package protocol BreachSource: Sendable {
    /// What the log and the metrics call it.
    var name: String { get }

    /// How often a password was found in breaches; 0 where it was not.
    /// - Throws: an error that says why it is not known.
    func count(of digest: BreachDigest) async throws -> Int

    /// What is wrong with the list; `nil` where it can be asked.
    func examine() async -> String?
}

/// An entry of a list in the format of Pwned Passwords: hexadecimal digits, a colon and how often it was seen.
struct BreachEntry {
    /// In upper case.
    var digits: [UInt8]
    var count: Int

    /// - Parameters:
    ///   - line: without its end.
    ///   - length: how many digits it has to have.
    init?(_ line: some Collection<UInt8>, digits length: Int) {
        let digits = line.prefix(length).compactMap(Self.upper)
        let rest = line.dropFirst(length)
        guard digits.count == length, rest.first == UInt8(ascii: ":"), (2...19).contains(rest.count),
            let count = Int(String(decoding: rest.dropFirst(), as: UTF8.self)), count >= 0
        else { return nil }
        self.digits = digits
        self.count = count
    }

    private static func upper(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): digit
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 0x20
        default: nil
        }
    }
}
