package import AuthCore

/// Values by the names of their columns, for rows with more columns than one counts at a glance.
extension SQLRow {
    /// The number in a column; throws ``StoreError`` when it is something else or null.
    package func integer(_ column: String) throws -> Int64 { try integer(position(of: column)) }

    /// The number in a column or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalInteger(_ column: String) throws -> Int64? { try optionalInteger(position(of: column)) }

    /// The text in a column; throws ``StoreError`` when it is something else or null.
    package func text(_ column: String) throws -> String { try text(position(of: column)) }

    /// The text in a column or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalText(_ column: String) throws -> String? { try optionalText(position(of: column)) }

    /// The bytes in a column; throws ``StoreError`` when it is something else or null.
    package func blob(_ column: String) throws -> [UInt8] { try blob(position(of: column)) }

    /// The bytes in a column or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalBlob(_ column: String) throws -> [UInt8]? { try optionalBlob(position(of: column)) }

    /// The id in a column; throws ``StoreError`` when it is not sixteen bytes.
    package func id(_ column: String) throws -> UniqueID { try id(position(of: column)) }

    /// The id in a column or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalID(_ column: String) throws -> UniqueID? { try optionalID(position(of: column)) }

    /// The instant in a column; throws ``StoreError`` when it is not a number.
    package func time(_ column: String) throws -> Timestamp { try time(position(of: column)) }

    /// The instant in a column or `nil` for null; throws ``StoreError`` when it is something else.
    package func optionalTime(_ column: String) throws -> Timestamp? { try optionalTime(position(of: column)) }

    /// The case named in a column; throws ``StoreError`` when the type has no such case.
    package func name<Name: RawRepresentable<String>>(_ column: String, as type: Name.Type = Name.self) throws -> Name {
        try name(position(of: column), as: type)
    }
}
