package import Core

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

/// One row of a result. A column is read by its name or, as one of a record's, through ``RecordRow``.
///
/// A reader throws a ``StoreError`` with code ``StoreError/Code-swift.struct/unexpectedRow`` if the column has another
/// type. Only the optional ones accept null.
package struct SQLRow: Hashable, Sendable {
    /// In the statement's order.
    package let values: [SQLValue]

    /// In the statement's order.
    package let columns: [String]

    package init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    private func position(of column: String) throws -> Int {
        guard let position = columns.firstIndex(of: column) else {
            throw StoreError(.unexpectedRow, "no column named \(column)")
        }
        return position
    }

    fileprivate func integer(_ position: Int) throws -> Int64 {
        guard case .integer(let value) = try value(position) else { throw mismatch(position, "a number") }
        return value
    }

    fileprivate func optionalInteger(_ position: Int) throws -> Int64? {
        try isNull(position) ? nil : integer(position)
    }

    fileprivate func text(_ position: Int) throws -> String {
        guard case .text(let value) = try value(position) else { throw mismatch(position, "text") }
        return value
    }

    fileprivate func optionalText(_ position: Int) throws -> String? {
        try isNull(position) ? nil : text(position)
    }

    fileprivate func blob(_ position: Int) throws -> [UInt8] {
        guard case .blob(let value) = try value(position) else { throw mismatch(position, "bytes") }
        return value
    }

    fileprivate func optionalBlob(_ position: Int) throws -> [UInt8]? {
        try isNull(position) ? nil : blob(position)
    }

    fileprivate func id(_ position: Int) throws -> UniqueID {
        guard let id = UniqueID(bytes: try blob(position)) else { throw mismatch(position, "an id of 16 bytes") }
        return id
    }

    fileprivate func optionalID(_ position: Int) throws -> UniqueID? {
        try isNull(position) ? nil : id(position)
    }

    fileprivate func time(_ position: Int) throws -> Timestamp {
        Timestamp(milliseconds: try integer(position))
    }

    fileprivate func optionalTime(_ position: Int) throws -> Timestamp? {
        try isNull(position) ? nil : time(position)
    }

    fileprivate func name<Name: RawRepresentable<String>>(
        _ position: Int, as type: Name.Type = Name.self
    ) throws -> Name {
        guard let name = Name(rawValue: try text(position)) else { throw mismatch(position, "a known \(type)") }
        return name
    }

    private func isNull(_ position: Int) throws -> Bool {
        try value(position) == .null
    }

    private func value(_ position: Int) throws -> SQLValue {
        guard values.indices.contains(position) else {
            throw StoreError(.unexpectedRow, "no column at position \(position) of \(values.count)")
        }
        return values[position]
    }

    /// Names the column but never its value, because errors are logged.
    private func mismatch(_ position: Int, _ expected: String) -> StoreError {
        let name = columns.indices.contains(position) ? columns[position] : "#\(position)"
        return StoreError(.unexpectedRow, "column \(name) is not \(expected)")
    }
}

/// Values by the names of their columns. A missing column is an error as well.
extension SQLRow {
    package func integer(_ column: String) throws -> Int64 { try integer(position(of: column)) }

    package func optionalInteger(_ column: String) throws -> Int64? { try optionalInteger(position(of: column)) }

    package func text(_ column: String) throws -> String { try text(position(of: column)) }

    package func optionalText(_ column: String) throws -> String? { try optionalText(position(of: column)) }

    package func blob(_ column: String) throws -> [UInt8] { try blob(position(of: column)) }

    package func optionalBlob(_ column: String) throws -> [UInt8]? { try optionalBlob(position(of: column)) }

    package func id(_ column: String) throws -> UniqueID { try id(position(of: column)) }

    package func time(_ column: String) throws -> Timestamp { try time(position(of: column)) }

    package func optionalTime(_ column: String) throws -> Timestamp? { try optionalTime(position(of: column)) }

    package func name<Name: RawRepresentable<String>>(_ column: String, as type: Name.Type = Name.self) throws -> Name {
        try name(position(of: column), as: type)
    }
}

/// A row that begins with the columns of a record. It reads by position, so it does not search for a name.
package struct RecordRow<Column: RecordColumn> {
    package let row: SQLRow

    package init(_ row: SQLRow) { self.row = row }

    package func integer(_ column: Column) throws -> Int64 { try row.integer(column.rawValue) }

    package func optionalInteger(_ column: Column) throws -> Int64? { try row.optionalInteger(column.rawValue) }

    package func text(_ column: Column) throws -> String { try row.text(column.rawValue) }

    package func optionalText(_ column: Column) throws -> String? { try row.optionalText(column.rawValue) }

    package func blob(_ column: Column) throws -> [UInt8] { try row.blob(column.rawValue) }

    package func optionalBlob(_ column: Column) throws -> [UInt8]? { try row.optionalBlob(column.rawValue) }

    package func id(_ column: Column) throws -> UniqueID { try row.id(column.rawValue) }

    package func optionalID(_ column: Column) throws -> UniqueID? { try row.optionalID(column.rawValue) }

    package func time(_ column: Column) throws -> Timestamp { try row.time(column.rawValue) }

    package func optionalTime(_ column: Column) throws -> Timestamp? { try row.optionalTime(column.rawValue) }

    package func name<Name: RawRepresentable<String>>(_ column: Column) throws -> Name { try row.name(column.rawValue) }
}
