internal import WalletAuthWire
internal import Web

/// How a set of fields writes its values.
enum FieldStyle: String {
    /// In their JSON types, or as an array of one.
    case typed
    /// Each as a string.
    case string
}

/// Typed access to the loyalty API's members. Every fault is a ``LoyaltyFailure``.
extension JSONObject {
    /// Refuses unknown members, each by its name.
    func refuseFields(otherThan known: Set<String>) throws(LoyaltyFailure) {
        let unknown = members.map(\.name).filter { !known.contains($0) }
        guard !unknown.isEmpty else { return }
        throw .fields(unknown.prefix(16).map { LoyaltyFieldError(Self.shown($0), .notAccepted) })
    }

    /// A name fit for an answer: any other text may attack the client's log.
    private static func shown(_ name: String) -> String {
        TextRule.identifier(name, 1...64) == nil ? name : "unknown"
    }

    /// A field with one text; clients of this API also write it as an array of one, in the typed style.
    func text(ofField name: String, _ style: FieldStyle = .typed) throws(LoyaltyFailure) -> String {
        switch self[name] {
        case nil, .null?: throw .field(name, .required)
        case .string(let text)?: return text
        case .array(let values)? where style == .typed:
            guard values.count == 1, let text = values[0].string else { throw .field(name, .exactlyOne) }
            return text
        default: throw .field(name, .invalid)
        }
    }

    /// A field of a type with rules.
    func field<Value>(
        _ name: String, _ style: FieldStyle = .typed, _ parse: (String) throws -> Value
    ) throws(LoyaltyFailure) -> Value {
        let text = try text(ofField: name, style)
        do { return try parse(text) } catch { throw .field(name, .invalid) }
    }

    /// `style` of a set of fields.
    func fieldStyle() throws(LoyaltyFailure) -> FieldStyle {
        guard let style = FieldStyle(rawValue: try text(ofField: "style")) else { throw .field("style", .invalid) }
        return style
    }

    /// `authentication`, of which every endpoint has one kind: `b2b` of a backend on its own behalf, or `oauth`.
    func requireAuthentication(_ required: String) throws {
        guard try self.required("authentication", string("authentication")) == required else {
            throw LoyaltyFailure(.unsupportedAuthentication, "The only supported authentication here is \(required).")
        }
    }
}

extension LoyaltyFailure {
    /// Reads a request. What else a reader throws is a malformed request.
    static func reading<Request>(_ read: () throws -> Request) throws(LoyaltyFailure) -> Request {
        do { return try read() } catch let failure as LoyaltyFailure { throw failure } catch let fault as MalformedValue
        {
            throw LoyaltyFailure(fault)
        } catch { throw LoyaltyFailure(.invalidRequest) }
    }
}
