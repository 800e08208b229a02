package import AuthCore

/// A value in a column or for a placeholder: the four that every engine stores alike.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

extension SQLValue {
    /// The sixteen bytes of an id.
    package static func id(_ id: UniqueID) -> SQLValue { .blob(id.bytes) }

    /// The sixteen bytes of an id, or null.
    package static func id(_ id: UniqueID?) -> SQLValue { id.map { .blob($0.bytes) } ?? .null }

    /// An instant in milliseconds.
    package static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }

    /// An instant in milliseconds, or null.
    package static func time(_ time: Timestamp?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }

    /// A text, or null.
    package static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    /// A number, or null.
    package static func optional(_ integer: Int64?) -> SQLValue { integer.map { .integer($0) } ?? .null }

    /// Bytes, or null.
    package static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }

    /// The name of a case, as it stands in the schema's CHECK constraint.
    package static func name(_ value: some RawRepresentable<String>) -> SQLValue { .text(value.rawValue) }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral
{
    /// A number.
    package init(integerLiteral value: Int64) { self = .integer(value) }

    /// A text.
    package init(stringLiteral value: String) { self = .text(value) }

    /// Null.
    package init(nilLiteral: ()) { self = .null }

    /// Bytes.
    package init(arrayLiteral elements: UInt8...) { self = .blob(elements) }
}
