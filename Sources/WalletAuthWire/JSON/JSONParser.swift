/// The limits of a JSON text.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum length in bytes.
    public var bytes: Int
    /// The maximum nesting of arrays and objects.
    public var depth: Int

    /// Creates limits.
    /// - Parameters:
    ///   - bytes: the maximum length.
    ///   - depth: the maximum nesting of arrays and objects, from 1 to 64.
    public init(bytes: Int = 65_536, depth: Int = 16) {
        self.bytes = bytes
        self.depth = min(max(depth, 1), 64)
    }
}

extension JSONValue {
    /// Parses a JSON text strictly: exactly RFC 8259, UTF-8 without a byte order mark, no duplicate names in an object,
    /// no lone surrogates, no long runs of combining marks (``StreamSafeText``), no numbers that would lose precision,
    /// nothing after the value but white space.
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - limits: the limits.
    /// - Throws: ``MalformedValue`` with the fault and its byte offset.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(MalformedValue) {
        guard bytes.count <= limits.bytes else {
            throw MalformedValue(field: "JSON", reason: "is longer than \(limits.bytes) bytes")
        }
        guard UTF8Text.isValid(bytes) else { throw MalformedValue(field: "JSON", reason: "is not UTF-8") }
        var parser = JSONParser(bytes: bytes, depth: limits.depth)
        self = try parser.document()
    }

    /// Parses a JSON text that must be an object.
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - limits: the limits.
    /// - Throws: ``MalformedValue``, like ``init(parsing:limits:)``, and if it is not an object.
    public static func object(
        parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(MalformedValue) -> JSONObject {
        let value = try JSONValue(parsing: bytes, limits: limits)
        guard let object = value.object else { throw MalformedValue(field: "JSON", value, expected: "an object") }
        return object
    }
}

/// Recursive descent over valid UTF-8. The depth limit bounds the recursion.
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
        guard index == bytes.count else { throw fault("something after the value") }
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
        case nil: throw fault("an unexpected end")
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
        guard depth > 0 else { throw fault("nesting that is too deep") }
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
                guard current != 0x5D else { throw fault("a comma after the last element") }
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
            // A few members are compared one by one; many go through a set, so that no input takes quadratic time.
            if members.count < 16 {
                guard !members.contains(where: { $0.name == name }) else {
                    throw fault("a duplicate member name")
                }
            } else {
                if names.isEmpty { names = Set(members.map(\.name)) }
                guard names.insert(name).inserted else { throw fault("a duplicate member name") }
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
                guard current != 0x7D else { throw fault("a comma after the last member") }
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
        skipPlainCharacters()
        switch current {
        case 0x22:
            let text = try safe(bytes[start..<index])
            index += 1
            return text
        case 0x5C: return try escapedString(from: start)
        case nil: throw fault("an unterminated string")
        default: throw fault("a control character in a string")
        }
    }

    /// The slow path: from the first escape on, the text is assembled piece by piece.
    private mutating func escapedString(from start: Int) throws(MalformedValue) -> String {
        var text = Array(bytes[start..<index])
        while current == 0x5C {
            try escape(into: &text)
            let plain = index
            skipPlainCharacters()
            text += bytes[plain..<index]
        }
        switch current {
        case 0x22:
            let safeText = try safe(text[...])
            index += 1
            return safeText
        case nil: throw fault("an unterminated string")
        default: throw fault("a control character in a string")
        }
    }

    /// Checked before anything compares the string with another one.
    private func safe(_ characters: ArraySlice<UInt8>) throws(MalformedValue) -> String {
        let text = String(decoding: characters, as: UTF8.self)
        guard StreamSafeText.includes(text) else { throw fault("a string with too many combining marks in a row") }
        return text
    }

    /// Moves to the next quote, backslash or control character, or to the end.
    private mutating func skipPlainCharacters() {
        // A local index stays in a register. Most of a text is such characters.
        var next = index
        while next < bytes.count {
            let byte = bytes[next]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
            next += 1
        }
        index = next
    }

    private mutating func escape(into text: inout [UInt8]) throws(MalformedValue) {
        index += 1
        guard let letter = current else { throw fault("an unterminated string") }
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
        // A surrogate: only a high one followed by its low half is a character.
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
        guard bytes.count - index >= 4 else { throw fault("an unterminated string") }
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
        // Longer numbers have no meaning here, and parsing them costs time.
        guard index - start <= 40 else { throw fault("a number that is too long") }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger {
            guard let integer = Int64(text) else { throw fault("an integer beyond 64 bits") }
            return .integer(integer)
        }
        guard let number = Double(text), number.isFinite else { throw fault("a number that is too large") }
        return .number(number)
    }

    private mutating func digits() throws(MalformedValue) {
        let start = index
        while let byte = current, ASCII.isDigit(byte) { index += 1 }
        guard index > start else { throw fault("a number without digits") }
    }
}
