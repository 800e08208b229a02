/// The number of a payee's account, as people read it.
enum AccountNumber {
    /// An IBAN in groups of four (ISO 13616-1). Any other number is as the backend wrote it.
    static func text(_ number: String) -> String {
        guard isIBAN(number) else { return number }
        var rest = number[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }

    /// Whether the check digits of an IBAN are right (ISO 7064, MOD 97-10).
    private static func isIBAN(_ number: String) -> Bool {
        let bytes = Array(number.utf8)
        guard (15...34).contains(bytes.count), bytes[0...1].allSatisfy(isLetter), bytes[2...3].allSatisfy(isDigit)
        else {
            return false
        }
        var remainder = 0
        for byte in bytes[4...] + bytes[..<4] {
            if isDigit(byte) {
                remainder = (remainder * 10 + Int(byte - UInt8(ascii: "0"))) % 97
            } else if isLetter(byte) {
                remainder = (remainder * 100 + Int(byte & 0xDF - UInt8(ascii: "A")) + 10) % 97
            } else {
                return false
            }
        }
        return remainder == 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF) && byte >= UInt8(ascii: "A")
    }
}
