/// Writes the little CBOR that an authenticator needs (RFC 8949), canonically but for the order of keys, which is the
/// caller's.
package struct CBORWriter {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// A head: a kind and its number, in as few bytes as hold it.
    package mutating func head(_ kind: UInt8, _ number: UInt64) {
        switch number {
        case 0..<24: bytes.append(kind << 5 | UInt8(number))
        case 24..<1 << 8: bytes += [kind << 5 | 24, UInt8(number)]
        case (1 << 8)..<(1 << 16): bytes += [kind << 5 | 25] + big(number, 2)
        case (1 << 16)..<(1 << 32): bytes += [kind << 5 | 26] + big(number, 4)
        default: bytes += [kind << 5 | 27] + big(number, 8)
        }
    }

    private func big(_ number: UInt64, _ length: Int) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    package mutating func integer(_ number: Int64) {
        if number < 0 { head(1, UInt64(-1 - number)) } else { head(0, UInt64(number)) }
    }

    package mutating func bytes(_ value: [UInt8]) {
        head(2, UInt64(value.count))
        bytes += value
    }

    package mutating func text(_ value: String) {
        head(3, UInt64(value.utf8.count))
        bytes += Array(value.utf8)
    }

    package mutating func array(_ count: Int) { head(4, UInt64(count)) }

    package mutating func map(_ count: Int) { head(5, UInt64(count)) }

    /// A value that was written elsewhere.
    package mutating func raw(_ value: [UInt8]) { bytes += value }
}
