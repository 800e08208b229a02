/// Writes JSON into one buffer: compact, members in the given order, and without intermediate values for answers of
/// fixed shape.
///
/// The caller is responsible for the order of calls: a name before each value in an object.
public struct JSONWriter: Sendable {
    /// The written bytes, in UTF-8.
    public private(set) var bytes: [UInt8] = []

    private var needsComma = false

    /// Creates an empty buffer.
    /// - Parameter capacity: the bytes to reserve.
    public init(reserving capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    /// Opens an object.
    public mutating func beginObject() { open(0x7B) }

    /// Closes an object.
    public mutating func endObject() { close(0x7D) }

    /// Opens an array.
    public mutating func beginArray() { open(0x5B) }

    /// Closes an array.
    public mutating func endArray() { close(0x5D) }

    /// Writes a member's name; its value comes next.
    /// - Parameter name: any text.
    public mutating func name(_ name: String) {
        separate()
        quote(name)
        bytes.append(0x3A)
        needsComma = false
    }

    /// Writes a string.
    /// - Parameter value: any text.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    /// Writes an integer.
    /// - Parameter value: any integer.
    public mutating func integer(_ value: Int64) { raw(String(value)) }

    /// Writes a member with a string.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the string; nil writes nothing.
    public mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    /// Writes a member with an integer.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the integer; nil writes nothing.
    public mutating func member(_ name: String, _ value: Int64?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    /// Writes a value of any shape.
    /// - Parameter value: the value. A number that is not finite becomes `null`, because JSON cannot represent it.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let truth): raw(truth ? "true" : "false")
        case .integer(let integer): raw(String(integer))
        case .number(let number): raw(number.isFinite ? String(number) : "null")
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                name(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() { if needsComma { bytes.append(0x2C) } }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(0x22)
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        // Most strings need no escapes and are copied in one piece.
        if bytes[start...].contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
            let plain = Array(bytes[start...])
            bytes.removeSubrange(start...)
            escape(plain)
        }
        bytes.append(0x22)
    }

    private mutating func escape(_ plain: [UInt8]) {
        for byte in plain {
            switch byte {
            case 0x22, 0x5C:
                bytes.append(0x5C)
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
            case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
            case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
            case 0x08: bytes.append(contentsOf: [0x5C, 0x62])
            case 0x0C: bytes.append(contentsOf: [0x5C, 0x66])
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(ASCII.lowerHex[Int(byte >> 4)])
                bytes.append(ASCII.lowerHex[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }
}

extension JSONValue {
    /// The compact text in UTF-8, members in their order.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The compact text, members in their order.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONObject {
    /// The compact text in UTF-8, members in their order.
    public var bytes: [UInt8] { JSONValue.object(self).bytes }
}
