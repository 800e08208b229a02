/// A message in JSON that is declared by its members: Swift derives the coding, and one strict coder carries it out.
///
/// A member has the name of its property, or of its case in `CodingKeys`, and members are written in that order. An
/// optional member that is absent is not written; `null` is read as absent. Bytes are base64url. An unknown member is
/// ignored, because servers are newer than apps, unless the message is a ``WireRequest`` or part of one. An error names
/// the member.
///
/// A member is a text, a truth value, an integer, a value that is written as one of these, bytes, another message, or an
/// array of these. Writing a member of any other type is a programming error and ends the process.
///
/// Only ``init(_:)`` reads a message by these rules: `JSONDecoder` does not.
public protocol WireMessage: WireShaped, Codable, Hashable, Sendable {
    /// Values of members that may be absent without being optional: reading supplies them, and writing leaves them out.
    static var defaults: [String: JSONValue] { get }

    /// Checks what the types of the members cannot express, and brings members into their one form. Reading a message
    /// calls it.
    /// - Throws: ``MalformedValue`` with the member.
    mutating func validate() throws(MalformedValue)
}

/// A message to a server, which refuses unknown members: a misspelled member must not be dropped silently.
public protocol WireRequest: WireMessage {}

extension WireMessage {
    /// None.
    public static var defaults: [String: JSONValue] { [:] }

    /// Checks nothing.
    public func validate() throws(MalformedValue) {}

    /// Reads a message.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing, malformed or unknown.
    public init(_ object: JSONObject) throws(MalformedValue) {
        let decoder = WireDecoder(
            value: .object(object), name: "message", refusesUnknownMembers: Self.self is any WireRequest.Type)
        do { self = try decoder.read(Self.self) } catch let error as MalformedValue { throw error } catch {
            throw MalformedValue(field: "message", reason: "cannot be read")
        }
    }

    /// The message's JSON.
    public var json: JSONObject {
        let encoder = WireEncoder(omitting: Self.defaults)
        do { try encode(to: encoder) } catch { preconditionFailure("\(Self.self) has a member that cannot be written") }
        return encoder.json.object ?? JSONObject()
    }
}
