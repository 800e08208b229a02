package import AuthCore

/// A value of a column or placeholder: the four types that every engine stores alike.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

extension SQLValue {
    package static func id(_ id: UniqueID) -> SQLValue { .blob(id.bytes) }

    package static func id(_ id: UniqueID?) -> SQLValue { id.map { .blob($0.bytes) } ?? .null }

    /// In milliseconds.
    package static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }

    /// In milliseconds, or null.
    package static func time(_ time: Timestamp?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }

    package static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    package static func optional(_ integer: Int64?) -> SQLValue { integer.map { .integer($0) } ?? .null }

    package static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }

    /// The raw value, as in the schema's CHECK constraint.
    package static func name(_ value: some RawRepresentable<String>) -> SQLValue { .text(value.rawValue) }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral
{
    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(stringLiteral value: String) { self = .text(value) }

    package init(nilLiteral: ()) { self = .null }

    package init(arrayLiteral elements: UInt8...) { self = .blob(elements) }
}
