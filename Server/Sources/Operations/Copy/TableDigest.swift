internal import Crypto
package import Store

/// The number of a table's rows and a digest over all of them, to compare a table in two databases.
///
/// Each row has a SHA-256 over the names and values of its columns, and the digest is the sum of these modulo 2^256. It
/// does not depend on the order of the rows, which is a matter of the engine and its collations. It finds errors and
/// changes. It does not withstand someone who chooses rows so that two sums are equal.
package struct TableDigest: Sendable, Hashable {
    package private(set) var rows: Int64 = 0
    /// The least significant word first.
    private var words: [UInt64] = [0, 0, 0, 0]

    package init() {}

    /// 32 bytes, the most significant first.
    package var bytes: [UInt8] {
        words.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    /// 64 digits.
    package var text: String { Hexadecimal.text(bytes) }

    /// - Parameter page: rows with the same columns, in any order.
    package mutating func add(_ page: [SQLRow]) {
        guard let columns = page.first?.columns else { return }
        // By name, because engines may have a table's columns in different orders.
        let order = columns.indices.sorted { columns[$0] < columns[$1] }
        let names = order.map { Self.encoded(Array(columns[$0].utf8), tag: "n") }
        for row in page {
            var encoding: [UInt8] = []
            for (name, column) in zip(names, order) {
                encoding += name
                switch row.values[column] {
                case .null: encoding += Self.encoded([], tag: "0")
                case .integer(let integer):
                    encoding += Self.encoded(Self.bytes(of: UInt64(bitPattern: integer)), tag: "i")
                case .text(let text): encoding += Self.encoded(Array(text.utf8), tag: "t")
                case .blob(let blob): encoding += Self.encoded(blob, tag: "b")
                }
            }
            sum(with: Array(SHA256.hash(data: encoding)))
            rows += 1
        }
    }

    private mutating func sum(with digest: [UInt8]) {
        var carry: UInt64 = 0
        for index in words.indices {
            let start = 24 - 8 * index
            let word = digest[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (sum, overflowed) = words[index].addingReportingOverflow(word)
            let (result, overflowedToo) = sum.addingReportingOverflow(carry)
            words[index] = result
            carry = overflowed || overflowedToo ? 1 : 0
        }
    }

    /// A tag, the length and the bytes, so that no two rows have the same encoding.
    private static func encoded(_ bytes: [UInt8], tag: Unicode.Scalar) -> [UInt8] {
        [UInt8(ascii: tag)] + Self.bytes(of: UInt64(bytes.count)) + bytes
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}
