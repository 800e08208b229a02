/// The length of a field is not one that its encoding can have.
struct WrongFieldLength: Error {}

/// Writes a sequence of fields. A field of variable length is preceded by its length, so no two values have the same
/// encoding.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// A field whose length both sides know.
    mutating func fixed(_ field: [UInt8]) {
        bytes += field
    }

    /// Eight bytes, most significant first.
    mutating func integer(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// - Throws: ``WrongFieldLength`` for more than 65,535 bytes.
    mutating func field(_ field: [UInt8]) throws {
        guard let length = UInt16(exactly: field.count) else { throw WrongFieldLength() }
        append(field, length: length)
    }

    /// Writes an empty field for nil.
    /// - Throws: ``WrongFieldLength`` for more than 65,535 bytes.
    mutating func text(_ text: String?) throws {
        try field(Array((text ?? "").utf8))
    }

    /// A field whose contents the program has: what the bytes are for.
    mutating func label(_ label: StaticString) {
        let text = label.withUTF8Buffer { Array($0) }
        append(text, length: UInt16(text.count))
    }

    private mutating func append(_ field: [UInt8], length: UInt16) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
        bytes += field
    }
}

/// Reads the output of ``ByteWriter``. Reading beyond the end fails without a trap.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func fixed(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer() -> Int64? {
        fixed(8).map { $0.reduce(into: Int64(0)) { number, byte in number = number << 8 | Int64(byte) } }
    }

    mutating func field() -> [UInt8]? {
        guard let length = fixed(2) else { return nil }
        return fixed(Int(length[0]) << 8 | Int(length[1]))
    }

    mutating func text() -> String? {
        field().map { String(decoding: $0, as: UTF8.self) }
    }
}
