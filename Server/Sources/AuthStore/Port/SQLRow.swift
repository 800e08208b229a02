package import AuthCore

/// One row of a result. Columns are read by position or, better, by name.
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

    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/unexpectedRow`` if there is no such column.
    package func position(of column: String) throws -> Int {
        guard let position = columns.firstIndex(of: column) else {
            throw StoreError(.unexpectedRow, "no column named \(column)")
        }
        return position
    }

    package func integer(_ position: Int) throws -> Int64 {
        guard case .integer(let value) = try value(position) else { throw mismatch(position, "a number") }
        return value
    }

    package func optionalInteger(_ position: Int) throws -> Int64? {
        try isNull(position) ? nil : integer(position)
    }

    package func text(_ position: Int) throws -> String {
        guard case .text(let value) = try value(position) else { throw mismatch(position, "text") }
        return value
    }

    package func optionalText(_ position: Int) throws -> String? {
        try isNull(position) ? nil : text(position)
    }

    package func blob(_ position: Int) throws -> [UInt8] {
        guard case .blob(let value) = try value(position) else { throw mismatch(position, "bytes") }
        return value
    }

    package func optionalBlob(_ position: Int) throws -> [UInt8]? {
        try isNull(position) ? nil : blob(position)
    }

    package func id(_ position: Int) throws -> UniqueID {
        guard let id = UniqueID(bytes: try blob(position)) else { throw mismatch(position, "an id of 16 bytes") }
        return id
    }

    package func optionalID(_ position: Int) throws -> UniqueID? {
        try isNull(position) ? nil : id(position)
    }

    package func time(_ position: Int) throws -> Timestamp {
        Timestamp(milliseconds: try integer(position))
    }

    package func optionalTime(_ position: Int) throws -> Timestamp? {
        try isNull(position) ? nil : time(position)
    }

    package func name<Name: RawRepresentable<String>>(_ position: Int, as type: Name.Type = Name.self) throws -> Name {
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
