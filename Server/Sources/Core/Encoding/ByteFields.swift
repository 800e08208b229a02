/// The length of a field is not one that its encoding can have.
package struct WrongFieldLength: Error {}

/// Writes a sequence of fields. A field of variable length is preceded by its length, so no two values have the same
/// encoding.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// A field whose length both sides know.
    package mutating func fixed(_ field: [UInt8]) {
        bytes += field
    }

    /// Eight bytes, most significant first.
    package mutating func integer(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// - Throws: ``WrongFieldLength`` for more than 65,535 bytes.
    package mutating func field(_ field: [UInt8]) throws {
        guard let length = UInt16(exactly: field.count) else { throw WrongFieldLength() }
        append(field, length: length)
    }

    /// Writes an empty field for nil.
    /// - Throws: ``WrongFieldLength`` for more than 65,535 bytes.
    package mutating func text(_ text: String?) throws {
        try field(Array((text ?? "").utf8))
    }

    /// A field whose contents the program has: what the bytes are for.
    package mutating func label(_ label: StaticString) {
        let text = label.withUTF8Buffer { Array($0) }
        append(text, length: UInt16(text.count))
    }

    private mutating func append(_ field: [UInt8], length: UInt16) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
        bytes += field
    }
}

/// Reads the output of ``ByteWriter``. Reading beyond the end fails without a trap.
package struct ByteReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func fixed(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    package mutating func integer() -> Int64? {
        fixed(8).map { $0.reduce(into: Int64(0)) { number, byte in number = number << 8 | Int64(byte) } }
    }

    package mutating func field() -> [UInt8]? {
        guard let length = fixed(2) else { return nil }
        return fixed(Int(length[0]) << 8 | Int(length[1]))
    }

    package mutating func text() -> String? {
        field().map { String(decoding: $0, as: UTF8.self) }
    }
}
