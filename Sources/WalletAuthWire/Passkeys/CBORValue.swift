/// A CBOR value (RFC 8949), of the kinds that WebAuthn uses.
public enum CBORValue: Sendable, Hashable {
    /// A whole number within 64 bits with a sign.
    case integer(Int64)
    /// Bytes.
    case bytes([UInt8])
    /// Text in UTF-8.
    case text(String)
    /// Values in order.
    case array([CBORValue])
    /// Keys and values, with unique keys.
    case map([CBORValue: CBORValue])
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// The bytes, or nil for other values.
    public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    /// The text, or nil for other values.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The number, or nil for other values.
    public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    /// The members, or nil for other values.
    public var map: [CBORValue: CBORValue]? { if case .map(let map) = self { map } else { nil } }
}

/// Parses CBOR strictly: the canonical form of CTAP2 §8, but with the keys of a map in any order.
///
/// Every length is definite and as short as possible; keys are unique; there are no tags and no fractions; nesting is
/// limited. So no two accepted inputs differ only in their lengths, and none takes long to parse: each element takes at
/// least one byte.
public struct CBORReader: Sendable {
    /// The maximum nesting of arrays and maps. CTAP2 allows four levels.
    public static let depth = 4
    /// The maximum input length: an attestation with its certificates is far shorter.
    public static let limit = 32_768

    private let input: [UInt8]
    /// The first unread byte.
    public private(set) var position: Int

    /// Creates a reader.
    /// - Parameters:
    ///   - input: the bytes that contain a value.
    ///   - position: where it begins.
    public init(_ input: [UInt8], at position: Int = 0) {
        self.input = input
        self.position = position
    }

    /// Parses an input that consists of one value.
    /// - Parameter input: the value, with nothing after it.
    /// - Throws: ``PasskeyFault/malformed(_:)``, also for an input longer than ``limit``.
    public static func value(of input: [UInt8]) throws(PasskeyFault) -> CBORValue {
        guard input.count <= limit else { throw .malformed("CBOR is too long") }
        var reader = CBORReader(input)
        let value = try reader.value()
        guard reader.position == input.count else { throw .malformed("CBOR has something after its value") }
        return value
    }

    /// Parses the next value.
    /// - Throws: ``PasskeyFault/malformed(_:)``.
    public mutating func value() throws(PasskeyFault) -> CBORValue { try value(depth: Self.depth) }

    private mutating func value(depth: Int) throws(PasskeyFault) -> CBORValue {
        let initial = try byte()
        let (kind, short) = (initial >> 5, initial & 0x1F)
        if kind == 7 {
            switch short {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .malformed("CBOR has a simple value or a fraction")
            }
        }
        let argument = try argument(short)
        switch kind {
        case 0: return .integer(try signed(argument))
        case 1:
            let magnitude = try signed(argument)
            return .integer(-1 - magnitude)
        case 2: return .bytes(Array(try slice(argument)))
        case 3:
            guard let text = String(validating: try slice(argument), as: UTF8.self) else {
                throw .malformed("CBOR has text that is not UTF-8")
            }
            guard StreamSafeText.includes(text) else {
                throw .malformed("CBOR has text with too many combining marks in a row")
            }
            return .text(text)
        case 4:
            let count = try count(argument, depth: depth, each: 1)
            var elements: [CBORValue] = []
            for _ in 0..<count { elements.append(try value(depth: depth - 1)) }
            return .array(elements)
        case 5:
            let count = try count(argument, depth: depth, each: 2)
            var members: [CBORValue: CBORValue] = [:]
            for _ in 0..<count {
                let key = try key()
                guard members.updateValue(try value(depth: depth - 1), forKey: key) == nil else {
                    throw .malformed("CBOR has a key twice")
                }
            }
            return .map(members)
        default: throw .malformed("CBOR has a tag")
        }
    }

    /// A key is a number or a text: WebAuthn uses nothing else.
    private mutating func key() throws(PasskeyFault) -> CBORValue {
        let key = try value(depth: 0)
        switch key {
        case .integer, .text: return key
        case .bytes, .array, .map, .bool, .null: throw .malformed("CBOR has a key that is neither a number nor text")
        }
    }

    private mutating func byte() throws(PasskeyFault) -> UInt8 {
        guard position < input.count else { throw .malformed("CBOR ends too early") }
        defer { position += 1 }
        return input[position]
    }

    /// The number in a value's head, which must be encoded as short as possible.
    private mutating func argument(_ short: UInt8) throws(PasskeyFault) -> UInt64 {
        let size: (length: Int, floor: UInt64)
        switch short {
        case 0..<24: return UInt64(short)
        case 24: size = (1, 24)
        case 25: size = (2, 1 << 8)
        case 26: size = (4, 1 << 16)
        case 27: size = (8, 1 << 32)
        default: throw .malformed("CBOR has an indefinite length")
        }
        var number: UInt64 = 0
        for _ in 0..<size.length { number = number << 8 | UInt64(try byte()) }
        guard number >= size.floor else { throw .malformed("CBOR has a number that could be shorter") }
        return number
    }

    private func signed(_ argument: UInt64) throws(PasskeyFault) -> Int64 {
        guard let number = Int64(exactly: argument) else { throw .malformed("CBOR has a number beyond 64 bits") }
        return number
    }

    private mutating func slice(_ length: UInt64) throws(PasskeyFault) -> ArraySlice<UInt8> {
        guard length <= UInt64(input.count - position) else { throw .malformed("CBOR ends too early") }
        defer { position += Int(length) }
        return input[position..<position + Int(length)]
    }

    /// The number of elements that follow: never more than there are bytes for.
    private func count(_ argument: UInt64, depth: Int, each bytes: UInt64) throws(PasskeyFault) -> Int {
        guard depth > 0 else { throw .malformed("CBOR is nested too deeply") }
        guard argument <= UInt64(input.count - position) / bytes else { throw .malformed("CBOR ends too early") }
        return Int(argument)
    }
}
