/// The parameters of a form body or a URL's query (`application/x-www-form-urlencoded`), parsed strictly.
///
/// A duplicate name is refused (RFC 6749 §3.1), unless it is one of the few that may repeat. As the RFC says, a
/// parameter with an empty value counts as absent, but its name still counts as a duplicate.
public struct FormParameters: Hashable, Sendable {
    /// One name and its decoded value.
    public struct Parameter: Hashable, Sendable {
        /// The decoded name.
        public let name: String
        /// The decoded value.
        public let value: String
    }

    /// The names that may repeat (RFC 8707 §2, RFC 8693 §2.1).
    public static let repeatable: Set<String> = ["resource", "audience"]

    private static let maximumBytes = 65_536
    private static let maximumCount = 100

    /// The parameters in order, including empty ones.
    public private(set) var parameters: [Parameter] = []

    /// Creates an empty form.
    public init() {}

    /// Parses a form body, or a query without its question mark.
    /// - Parameters:
    ///   - bytes: ASCII, with everything else as percent-encoded UTF-8.
    ///   - repeatable: names that may appear more than once.
    /// - Throws: ``MalformedValue`` whose field is the parameter's name if known, or else `request`.
    public init(
        parsing bytes: [UInt8], repeatable: Set<String> = FormParameters.repeatable
    ) throws(MalformedValue) {
        guard bytes.count <= Self.maximumBytes else {
            throw MalformedValue(field: "request", reason: "is longer than \(Self.maximumBytes) bytes")
        }
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x26) ?? bytes.count
            if end > start {
                guard parameters.count < Self.maximumCount else {
                    throw MalformedValue(field: "request", reason: "has more than \(Self.maximumCount) parameters")
                }
                try parse(bytes[start..<end], repeatable: repeatable)
            }
            start = end + 1
        }
    }

    /// Parses a form body, or a query without its question mark.
    /// - Parameter text: ASCII, with everything else as percent-encoded UTF-8.
    /// - Throws: ``MalformedValue``, like ``init(parsing:repeatable:)``.
    public init(parsing text: some StringProtocol) throws(MalformedValue) {
        try self.init(parsing: Array(text.utf8))
    }

    private mutating func parse(_ pair: ArraySlice<UInt8>, repeatable: Set<String>) throws(MalformedValue) {
        let equals = pair.firstIndex(of: 0x3D) ?? pair.endIndex
        guard let name = Self.decode(pair[..<equals]), !name.isEmpty, name.utf8.count <= 256 else {
            throw MalformedValue(field: "request", reason: "has a parameter whose name is malformed")
        }
        guard let value = Self.decode(pair[equals...].dropFirst()) else {
            throw MalformedValue(
                field: Self.printable(name),
                reason: "is not percent-encoded UTF-8, or has too many combining marks in a row")
        }
        guard repeatable.contains(name) || !parameters.contains(where: { $0.name == name }) else {
            throw MalformedValue(field: Self.printable(name), reason: "appears more than once")
        }
        parameters.append(Parameter(name: name, value: value))
    }

    /// The sender's name for a parameter, in a form fit for an error.
    private static func printable(_ name: String) -> String { MalformedValue.plainName(name) ?? "a parameter" }

    /// Decodes a name or value: `+` is a space, `%` needs two digits, and the result must be UTF-8 without NUL and without
    /// long runs of combining marks.
    ///
    /// A bare space is accepted too, because some clients join their scopes with one and do not encode it.
    static func decode(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            switch byte {
            case 0x20, 0x2B:
                bytes.append(0x20)
            case 0x25:
                guard text.endIndex - index > 2, let high = ASCII.hexValue(text[index + 1]),
                    let low = ASCII.hexValue(text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            case 0x21...0x7E:
                bytes.append(byte)
            default:
                return nil
            }
            index += 1
        }
        guard !bytes.contains(0), UTF8Text.isValid(bytes) else { return nil }
        let decoded = String(decoding: bytes, as: UTF8.self)
        return StreamSafeText.includes(decoded) ? decoded : nil
    }
}

extension FormParameters {
    /// Whether there are no parameters.
    public var isEmpty: Bool { parameters.isEmpty }

    /// The value of a parameter, or nil if it is absent or empty.
    /// - Parameter name: the parameter's name.
    public subscript(name: String) -> String? {
        guard let value = parameters.first(where: { $0.name == name })?.value, !value.isEmpty else { return nil }
        return value
    }

    /// Returns the values of a repeatable parameter, without empty ones.
    /// - Parameter name: the parameter's name.
    public func values(_ name: String) -> [String] {
        parameters.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    /// Adds a parameter. Does nothing if the value is nil.
    /// - Parameters:
    ///   - name: the parameter's name.
    ///   - value: the value before encoding, or nil.
    public mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        parameters.append(Parameter(name: name, value: value))
    }

    /// Adds a parameter with a validated value. Does nothing if the value is nil.
    /// - Parameters:
    ///   - name: the parameter's name.
    ///   - value: the value, or nil.
    public mutating func append(_ name: String, _ value: (any WireValue)?) {
        append(name, value?.rawValue)
    }

    /// The encoded text. Everything but unreserved characters is percent-encoded, so it suits both a body and a query.
    public var encoded: String {
        var bytes: [UInt8] = []
        for parameter in parameters {
            if !bytes.isEmpty { bytes.append(0x26) }
            Self.encode(parameter.name, to: &bytes)
            bytes.append(0x3D)
            Self.encode(parameter.value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func encode(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(0x25)
                bytes.append(ASCII.upperHex[Int(byte >> 4)])
                bytes.append(ASCII.upperHex[Int(byte & 15)])
            }
        }
    }
}
