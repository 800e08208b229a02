/// A text that is not what it should be: which value, and what is wrong with it.
///
/// The text itself is never part of the error, since it may be a secret or an attack on whoever reads the log.
public struct MalformedValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the value as it stands on the wire, for example `redirect_uri`.
    public let field: String

    /// What is wrong, as the end of a sentence that begins with the field: "has a fragment".
    public let reason: String

    /// Names a fault.
    /// - Parameters:
    ///   - field: the value's name on the wire.
    ///   - reason: the end of a sentence that begins with the field.
    public init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    /// The whole sentence.
    public var description: String { "\(field) \(reason)" }

    /// The sender's name for a value, where it may be repeated in an error: at most 64 letters, digits and `-._~`.
    /// - Parameter name: what was received.
    /// - Returns: nil for any other name, which could steer or deceive the reader.
    static func plainName(_ name: String) -> String? {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(ASCII.isUnreserved) ? name : nil
    }
}
