/// A malformed text: the name of the value, and its fault.
///
/// The text itself is never part of the error, because it may be a secret, or an attack on the log's reader.
public struct MalformedValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the value on the wire, for example `redirect_uri`.
    public let field: String

    /// The fault, as the end of a sentence that begins with the field: "has a fragment".
    public let reason: String

    /// Creates a fault.
    /// - Parameters:
    ///   - field: the value's name on the wire.
    ///   - reason: the end of a sentence that begins with the field.
    public init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    /// The fault of a value in a member, with the path to it: `payee.iban`.
    /// - Parameter member: the name of the member that contains it.
    func within(_ member: String) -> MalformedValue {
        // It may have the path already, or be a fault of the member itself.
        if field == member || field.hasPrefix(member + ".") { return self }
        return MalformedValue(field: field == Self.wholeRequest ? member : "\(member).\(field)", reason: reason)
    }

    /// The field of an error about a member whose own name is not fit for one.
    static let wholeRequest = "request"

    /// The whole sentence.
    public var description: String { "\(field) \(reason)" }

    /// The sender's name for a value, if it is fit for an error: at most 64 letters, digits and `-._~`.
    /// - Parameter name: the received name.
    /// - Returns: nil for any other name, which could deceive the reader.
    static func plainName(_ name: String) -> String? {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(ASCII.isUnreserved) ? name : nil
    }
}
