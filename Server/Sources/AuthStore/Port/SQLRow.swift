package import AuthCore

/// One row of an answer. Columns are taken by position, in the order of the statement's own list.
package struct SQLRow: Hashable, Sendable {
    /// The values, in the statement's order.
    package let values: [SQLValue]

    /// The names of the columns, in the statement's order.
    package let columns: [String]

    /// - Parameters:
    ///   - columns: the names, in the statement's order.
    ///   - values: as many values.
    package init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The position of a named column.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/unexpectedRow`` when there is none.
    package func position(of column: String) throws -> Int {
        guard let position = columns.firstIndex(of: column) else {
            throw StoreError(.unexpectedRow, "no column named \(column)")
        }
        return position
    }

    /// The number at a position; throws ``StoreError`` when it is something else or null.
    package func integer(_ position: Int) throws -> Int64 {
        guard case .integer(let value) = try value(position) else { throw mismatch(position, "a number") }
        return value
    }

    /// The number at a position or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalInteger(_ position: Int) throws -> Int64? {
        try isNull(position) ? nil : integer(position)
    }

    /// The text at a position; throws ``StoreError`` when it is something else or null.
    package func text(_ position: Int) throws -> String {
        guard case .text(let value) = try value(position) else { throw mismatch(position, "text") }
        return value
    }

    /// The text at a position or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalText(_ position: Int) throws -> String? {
        try isNull(position) ? nil : text(position)
    }

    /// The bytes at a position; throws ``StoreError`` when it is something else or null.
    package func blob(_ position: Int) throws -> [UInt8] {
        guard case .blob(let value) = try value(position) else { throw mismatch(position, "bytes") }
        return value
    }

    /// The bytes at a position or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalBlob(_ position: Int) throws -> [UInt8]? {
        try isNull(position) ? nil : blob(position)
    }

    /// The id at a position; throws ``StoreError`` when it is not sixteen bytes.
    package func id(_ position: Int) throws -> UniqueID {
        guard let id = UniqueID(bytes: try blob(position)) else { throw mismatch(position, "an id of 16 bytes") }
        return id
    }

    /// The id at a position or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalID(_ position: Int) throws -> UniqueID? {
        try isNull(position) ? nil : id(position)
    }

    /// The instant at a position; throws ``StoreError`` when it is not a number.
    package func time(_ position: Int) throws -> Timestamp {
        Timestamp(milliseconds: try integer(position))
    }

    /// The instant at a position or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalTime(_ position: Int) throws -> Timestamp? {
        try isNull(position) ? nil : time(position)
    }

    /// The case whose name stands at a position; throws ``StoreError`` when the type has no such case.
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

    /// Names the column, never its value: errors are logged.
    private func mismatch(_ position: Int, _ expected: String) -> StoreError {
        let name = columns.indices.contains(position) ? columns[position] : "#\(position)"
        return StoreError(.unexpectedRow, "column \(name) is not \(expected)")
    }
}
