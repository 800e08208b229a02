/// What a value looks like on the wire, as data: for a description of the API, and for tests of both sides.
public indirect enum WireShape: Hashable, Sendable {
    /// A string; without a form, any.
    case text(TextForm?)
    /// One of these strings.
    case choice([String])
    /// A whole number.
    case integer(ClosedRange<Int64>? = nil)
    /// `true` or `false`.
    case truth
    /// Seconds since 1970.
    case date
    /// Bytes as base64url without padding.
    case bytes(ClosedRange<Int>? = nil)
    /// An array of at most so many values.
    case array(WireShape, maximum: Int? = nil)
    /// An object of the sender's own names, at most so many, with values of one shape.
    case names(WireShape, maximum: Int? = nil)
    /// An object with these members.
    case object(WireObject)
    /// One of several shapes.
    case either([WireShape])
    /// Any JSON.
    case anything
}

/// The members of an object on the wire.
public struct WireObject: Hashable, Sendable {
    /// One member.
    public struct Member: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its value.
        public let shape: WireShape
        /// Whether the object always has it.
        public let isRequired: Bool

        /// A member that the object always has.
        public static func required(_ name: String, _ shape: WireShape) -> Member {
            Member(name: name, shape: shape, isRequired: true)
        }

        /// A member that may be absent.
        public static func optional(_ name: String, _ shape: WireShape) -> Member {
            Member(name: name, shape: shape, isRequired: false)
        }
    }

    /// The name of the type, if the object is a message or a part that several have.
    public let name: String?
    /// The members in order.
    public let members: [Member]
    /// Whether a reader ignores other members.
    public let isOpen: Bool
    /// What the members do not say, such as their unit.
    public let note: String?

    /// Creates a description. Each parameter sets the property of the same name.
    public init(name: String? = nil, members: [Member], isOpen: Bool, note: String? = nil) {
        self.name = name
        self.members = members
        self.isOpen = isOpen
        self.note = note
    }
}

/// A type with a shape. The shape of a declared message follows from its declaration; any other type states it next to its coder.
public protocol WireShaped {
    /// The shape.
    static var shape: WireShape { get }
}

extension WireShape {
    /// The members of a request, which has no others.
    /// - Parameters:
    ///   - type: the request, after which the shape is called.
    ///   - members: its members.
    ///   - note: what the members do not say, such as their unit.
    public static func request(_ type: Any.Type, _ members: [WireObject.Member], note: String? = nil) -> WireShape {
        .object(WireObject(name: name(of: type), members: members, isOpen: false, note: note))
    }

    /// The members of an answer, to which newer servers may add some, or of a form, whose other parameters are ignored.
    /// - Parameters:
    ///   - type: the message, after which the shape is called.
    ///   - members: its members.
    public static func answer(_ type: Any.Type, _ members: [WireObject.Member]) -> WireShape {
        .object(WireObject(name: name(of: type), members: members, isOpen: true))
    }

    /// The name of a type after those that it is nested in, since `New` alone says nothing.
    fileprivate static func name(of type: Any.Type) -> String {
        let path = String(reflecting: type).prefix { $0 != "<" }.split(separator: ".").dropFirst()
        // The context of a private type has a name of the compiler's, in parentheses.
        let parents = path.dropLast().filter { !$0.hasPrefix("(") }
        return parents.joined() + "\(type)"
    }

    /// The members of an object; none of any other shape.
    public var members: [WireObject.Member] { if case .object(let object) = self { object.members } else { [] } }

    /// The shape of a member's type: a text, a number, an enumeration, a message, or an array of these.
    public static func of(_ type: any Decodable.Type) -> WireShape {
        switch type {
        case is String.Type: return .text(nil)
        case is Bool.Type: return .truth
        case is Int64.Type: return .integer()
        case is NumericDate.Type: return .date
        case is [UInt8].Type: return .bytes()
        case let value as any WireValue.Type: return .text(value.form)
        case let shaped as any WireShaped.Type: return shaped.shape
        case let array as any WireArray.Type: return .array(of(array.element))
        case let choice as any CaseIterable.Type: return .choice(names(of: choice))
        default: return .anything
        }
    }

    static func names<Value: CaseIterable>(of type: Value.Type) -> [String] {
        type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }

    /// A value of the shape, for the readers of types: the least that they accept.
    fileprivate var example: JSONValue {
        switch self {
        case .text(let form): .string(form?.example ?? "a")
        case .choice(let names): .string(names.first ?? "")
        case .integer(let range): .integer(range?.lowerBound ?? 1)
        case .truth: false
        case .date: 1
        case .bytes: ""
        case .array: []
        case .names: [:]
        case .either(let shapes): shapes.first?.example ?? .null
        case .anything: .null
        case .object(let object):
            .object(object.members.filter(\.isRequired).reduce(into: JSONObject()) { $0[$1.name] = $1.shape.example })
        }
    }
}

extension Secret: WireShaped {
    /// The form of its kind.
    public static var shape: WireShape { .text(Kind.form) }
}

extension PINEpoch: WireShaped {
    /// A number from 1.
    public static var shape: WireShape { .integer(1...Int64(UInt32.max)) }
}

extension JWK: WireShaped {
    /// The public part of a key of P-256; the example is that of RFC 7515 appendix A.3.
    public static var shape: WireShape {
        func coordinate(_ example: String) -> WireShape {
            .text(.own(43...43, pattern: "^[A-Za-z0-9_-]*$", example: example))
        }
        return .answer(
            JWK.self,
            [
                .required("kty", .choice(["EC"])), .required("crv", .choice(["P-256"])),
                .required("x", coordinate("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")),
                .required("y", coordinate("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")),
            ])
    }
}

extension WireMessage {
    /// The shape of the message, from the declaration of its members.
    public static var shape: WireShape {
        let recorder = MemberRecorder(defaults: defaults)
        // An error leaves members out, and tests compare them with a sample of each message.
        _ = try? Self(from: recorder)
        return .object(
            WireObject(
                name: WireShape.name(of: Self.self), members: recorder.members,
                isOpen: !(Self.self is any WireRequest.Type)))
    }
}

/// Reads a message of examples, and remembers which members its declaration asks for.
private final class MemberRecorder: Decoder {
    private(set) var members: [WireObject.Member] = []
    private var optional: Set<String> = []
    private let defaults: [String: JSONValue]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(defaults: [String: JSONValue]) { self.defaults = defaults }

    /// What asks whether a member is there can do without it.
    func ask(for name: String) { optional.insert(name) }

    func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let shape = WireShape.of(type)
        let isRequired = !optional.contains(name) && defaults[name] == nil
        members.append(WireObject.Member(name: name, shape: shape, isRequired: isRequired))
        // A part is not checked as a whole: its members are examples that know nothing of each other.
        if let message = type as? any WireMessage.Type,
            let part = try message.init(from: MemberRecorder(defaults: message.defaults)) as? Value
        {
            return part
        }
        return try WireDecoder(value: shape.example, name: name, refusesUnknownMembers: false).read(type)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members<Key>(recorder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unsupported }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.unsupported }

    private static var unsupported: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no message has this shape"))
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: MemberRecorder

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool {
            recorder.ask(for: key.stringValue)
            return true
        }

        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try recorder.read(type, key.stringValue)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw MemberRecorder.unsupported }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw MemberRecorder.unsupported
        }
        func superDecoder() throws -> any Decoder { throw MemberRecorder.unsupported }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw MemberRecorder.unsupported }
    }
}
