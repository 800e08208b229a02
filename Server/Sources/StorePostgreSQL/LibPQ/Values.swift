import CLibPQ
import Store

/// The types that the port's values have at the server.
enum ServerType {
    static let unknown: Oid = 0
    static let boolean: Oid = 16
    static let bytes: Oid = 17
    static let name: Oid = 19
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let varchar: Oid = 1043
    static let numeric: Oid = 1700
}

extension SQLValue {
    /// The type of a placeholder. The server takes that of a null from the statement.
    var serverType: Oid {
        switch self {
        case .null: ServerType.unknown
        case .integer: ServerType.int8
        case .text: ServerType.text
        case .blob: ServerType.bytes
        }
    }

    /// - Returns: `nil` for a type that the port does not have, or a number beyond 64 bits.
    init?(binary bytes: UnsafeRawBufferPointer, type: Oid) {
        switch type {
        case ServerType.int8, ServerType.int4, ServerType.int2:
            self = .integer(Self.integer(bytes))
        case ServerType.boolean:
            self = .integer(bytes.first == 0 ? 0 : 1)
        case ServerType.text, ServerType.varchar, ServerType.name:
            self = .text(String(decoding: bytes, as: UTF8.self))
        case ServerType.bytes:
            self = .blob([UInt8](bytes))
        case ServerType.numeric:
            guard let value = Self.numeric(bytes) else { return nil }
            self = .integer(value)
        default:
            return nil
        }
    }

    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        guard let first = bytes.first else { return 0 }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    /// A whole `numeric`, which is what `SUM` answers: digits to the base of 10,000, the highest first.
    private static func numeric(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes.count >= 8 else { return nil }
        func word(_ index: Int) -> Int { Int(bytes[2 * index]) << 8 | Int(bytes[2 * index + 1]) }
        let (count, weight, sign) = (word(0), Int(Int16(truncatingIfNeeded: word(1))), word(2))
        guard bytes.count == 8 + 2 * count, sign == 0 || sign == 0x4000, weight < 5 else { return nil }
        var value: Int64 = 0
        for index in 0..<max(count, weight + 1) {
            let digit = index < count ? Int64(word(4 + index)) : 0
            // Digits after the point: none but zeros are whole.
            guard index <= weight else {
                guard digit == 0 else { return nil }
                continue
            }
            // Counted downwards, since the least number has no positive counterpart.
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10_000)
            let (sum, overflowedToo) = product.subtractingReportingOverflow(digit)
            guard !overflowed, !overflowedToo else { return nil }
            value = sum
        }
        guard sign == 0 else { return value }
        return value == .min ? nil : -value
    }
}

/// The arguments of a statement in the binary form of the protocol.
struct Arguments {
    private var bytes: [UInt8] = []
    /// The end of each in `bytes`; `nil` for null.
    private var ends: [Int?] = []

    init(_ values: [SQLValue]) {
        ends.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .null:
                ends.append(nil)
                continue
            case .integer(let integer):
                withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                bytes.append(contentsOf: text.utf8)
            case .blob(let blob):
                bytes.append(contentsOf: blob)
            }
            ends.append(bytes.count)
        }
        // An empty value needs a pointer too, since none would be null. A byte more makes sure that there is one.
        bytes.append(0)
    }

    /// Calls `body` with libpq's arrays: the number, the values, their lengths and formats.
    func withPointers<Result>(
        _ body: (CInt, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var values: [UnsafePointer<CChar>?] = []
            var lengths: [CInt] = []
            var position = 0
            for end in ends {
                guard let end else {
                    values.append(nil)
                    lengths.append(0)
                    continue
                }
                values.append(start.map { $0 + position })
                lengths.append(CInt(end - position))
                position = end
            }
            return body(CInt(ends.count), values, lengths, [CInt](repeating: 1, count: ends.count))
        }
    }
}

enum Placeholders {
    /// The highest number of a `$1` outside of quotes; 0 if there is none.
    static func highest(in sql: String) -> Int {
        var highest = 0
        var number: Int?
        var quoted = false
        for byte in sql.utf8 {
            if let digits = number {
                if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 100_000 {
                    number = digits * 10 + Int(byte - UInt8(ascii: "0"))
                    continue
                }
                highest = max(highest, digits)
                number = nil
            }
            if byte == UInt8(ascii: "'") { quoted.toggle() }
            if byte == UInt8(ascii: "$"), !quoted { number = 0 }
        }
        return max(highest, number ?? 0)
    }
}
