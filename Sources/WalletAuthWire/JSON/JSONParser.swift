/// How much JSON is read before it is refused.
public struct JSONLimits: Hashable, Sendable {
    /// The longest text, in bytes.
    public var bytes: Int
    /// How deep arrays and objects may nest.
    public var depth: Int

    /// Sets limits.
    /// - Parameters:
    ///   - bytes: the longest text.
    ///   - depth: how deep arrays and objects may nest, from 1 to 64.
    public init(bytes: Int = 65_536, depth: Int = 16) {
        self.bytes = bytes
        self.depth = min(max(depth, 1), 64)
    }
}

extension JSONValue {
    /// Reads a JSON text, strictly: RFC 8259 to the letter, UTF-8 without a byte order mark, no name twice in an object,
    /// no lone surrogate, no number that would lose its value, nothing behind the value but white space.
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - limits: how much is read.
    /// - Throws: ``MalformedValue`` that says what is wrong and at which byte.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(MalformedValue) {
        guard bytes.count <= limits.bytes else {
            throw MalformedValue(field: "JSON", reason: "is longer than \(limits.bytes) bytes")
        }
        guard UTF8Text.isValid(bytes) else { throw MalformedValue(field: "JSON", reason: "is not UTF-8") }
        var parser = JSONParser(bytes: bytes, depth: limits.depth)
        self = try parser.document()
    }

    /// Reads a JSON text that must be an object.
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - limits: how much is read.
    /// - Throws: ``MalformedValue`` as ``init(parsing:limits:)`` does, and where it is no object.
    public static func object(
        parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(MalformedValue) -> JSONObject {
        guard let object = try JSONValue(parsing: bytes, limits: limits).object else {
            throw MalformedValue(field: "JSON", reason: "is not an object")
        }
        return object
    }
}

/// Recursive descent over bytes that are known to be UTF-8. The depth limit bounds the recursion.
private struct JSONParser {
    let bytes: [UInt8]
    var depth: Int
    var index = 0

    init(bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    mutating func document() throws(MalformedValue) -> JSONValue {
        skipWhiteSpace()
        let value = try value()
        skipWhiteSpace()
        guard index == bytes.count else { throw fault("something behind the value") }
        return value
    }

    func fault(_ what: String) -> MalformedValue {
        MalformedValue(field: "JSON", reason: "has \(what) at byte \(index)")
    }

    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skipWhiteSpace() {
        while index < bytes.count,
            bytes[index] == 0x20 || bytes[index] == 0x0A || bytes[index] == 0x0D || bytes[index] == 0x09
        {
            index += 1
        }
    }

    mutating func value() throws(MalformedValue) -> JSONValue {
        switch current {
        case 0x22: return .string(try string())
        case 0x7B: return .object(try object())
        case 0x5B: return .array(try array())
        case 0x74: return try literal("true", .bool(true))
        case 0x66: return try literal("false", .bool(false))
        case 0x6E: return try literal("null", .null)
        case 0x2D?, (0x30...0x39)?: return try number()
        case nil: throw fault("an end where a value should be")
        default: throw fault("no value")
        }
    }

    mutating func literal(_ text: StaticString, _ value: JSONValue) throws(MalformedValue) -> JSONValue {
        let matches = text.withUTF8Buffer { bytes[index...].starts(with: $0) }
        guard matches else { throw fault("no value") }
        index += text.utf8CodeUnitCount
        return value
    }

    mutating func enter() throws(MalformedValue) {
        guard depth > 0 else { throw fault("too deep a nesting") }
        depth -= 1
        index += 1
        skipWhiteSpace()
    }

    mutating func array() throws(MalformedValue) -> [JSONValue] {
        try enter()
        defer { depth += 1 }
        var elements: [JSONValue] = []
        if current == 0x5D {
            index += 1
            return elements
        }
        while true {
            elements.append(try value())
            skipWhiteSpace()
            switch current {
            case 0x2C:
                index += 1
                skipWhiteSpace()
            case 0x5D:
                index += 1
                return elements
            default: throw fault("neither ',' nor ']'")
            }
        }
    }

    mutating func object() throws(MalformedValue) -> JSONObject {
        try enter()
        defer { depth += 1 }
        var members: [JSONObject.Member] = []
        var names: Set<String> = []
        if current == 0x7D {
            index += 1
            return JSONObject(distinct: members)
        }
        while true {
            guard current == 0x22 else { throw fault("no member name") }
            let name = try string()
            // Few members are compared one by one; many go through a set, so that no input costs quadratic time.
            if members.count < 16 {
                guard !members.contains(where: { $0.name == name }) else {
                    throw fault("a member name that stands twice")
                }
            } else {
                if names.isEmpty { names = Set(members.map(\.name)) }
                guard names.insert(name).inserted else { throw fault("a member name that stands twice") }
            }
            skipWhiteSpace()
            guard current == 0x3A else { throw fault("no ':'") }
            index += 1
            skipWhiteSpace()
            members.append(JSONObject.Member(name: name, value: try value()))
            skipWhiteSpace()
            switch current {
            case 0x2C:
                index += 1
                skipWhiteSpace()
            case 0x7D:
                index += 1
                return JSONObject(distinct: members)
            default: throw fault("neither ',' nor '}'")
            }
        }
    }
}

extension JSONParser {
    mutating func string() throws(MalformedValue) -> String {
        index += 1
        let start = index
        while let byte = current {
            switch byte {
            case 0x22:
                defer { index += 1 }
                return String(decoding: bytes[start..<index], as: UTF8.self)
            case 0x5C: return try escapedString(from: start)
            case 0..<0x20: throw fault("a control character in a string")
            default: index += 1
            }
        }
        throw fault("a string without end")
    }

    /// The slow path: from the first escape on, the text is put together piece by piece.
    private mutating func escapedString(from start: Int) throws(MalformedValue) -> String {
        var text = Array(bytes[start..<index])
        while let byte = current {
            switch byte {
            case 0x22:
                index += 1
                return String(decoding: text, as: UTF8.self)
            case 0x5C: try escape(into: &text)
            case 0..<0x20: throw fault("a control character in a string")
            default:
                text.append(byte)
                index += 1
            }
        }
        throw fault("a string without end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(MalformedValue) {
        index += 1
        guard let letter = current else { throw fault("a string without end") }
        index += 1
        switch letter {
        case 0x22, 0x5C, 0x2F: text.append(letter)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x75: text.append(contentsOf: String(Character(try unicodeEscape())).utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(MalformedValue) -> Unicode.Scalar {
        let unit = try fourHexDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // A surrogate: only a high one with its low half behind it is a character.
        guard unit < 0xDC00, current == 0x5C, index + 1 < bytes.count, bytes[index + 1] == 0x75 else {
            throw fault("a lone surrogate")
        }
        index += 2
        let low = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw fault("a lone surrogate") }
        return scalar
    }

    private mutating func fourHexDigits() throws(MalformedValue) -> UInt32 {
        guard bytes.count - index >= 4 else { throw fault("a string without end") }
        var unit: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = ASCII.hexValue(byte) else { throw fault("an unknown escape") }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }

    mutating func number() throws(MalformedValue) -> JSONValue {
        let start = index
        if current == 0x2D { index += 1 }
        let integerStart = index
        try digits()
        guard bytes[integerStart] != 0x30 || index == integerStart + 1 else { throw fault("a leading zero") }
        var isInteger = true
        if current == 0x2E {
            isInteger = false
            index += 1
            try digits()
        }
        if current == 0x65 || current == 0x45 {
            isInteger = false
            index += 1
            if current == 0x2B || current == 0x2D { index += 1 }
            try digits()
        }
        // Longer numbers carry no meaning on this wire, and reading them costs time.
        guard index - start <= 40 else { throw fault("too long a number") }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger {
            guard let integer = Int64(text) else { throw fault("an integer beyond 64 bits") }
            return .integer(integer)
        }
        guard let number = Double(text), number.isFinite else { throw fault("a number too large") }
        return .number(number)
    }

    private mutating func digits() throws(MalformedValue) {
        let start = index
        while let byte = current, ASCII.isDigit(byte) { index += 1 }
        guard index > start else { throw fault("a number without digits") }
    }
}
