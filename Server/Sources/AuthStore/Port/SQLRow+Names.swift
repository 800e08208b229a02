package import AuthCore

/// Values by the names of their columns. Errors are those of the functions that take a position.
extension SQLRow {
    package func integer(_ column: String) throws -> Int64 { try integer(position(of: column)) }

    package func optionalInteger(_ column: String) throws -> Int64? { try optionalInteger(position(of: column)) }

    package func text(_ column: String) throws -> String { try text(position(of: column)) }

    package func optionalText(_ column: String) throws -> String? { try optionalText(position(of: column)) }

    package func blob(_ column: String) throws -> [UInt8] { try blob(position(of: column)) }

    package func optionalBlob(_ column: String) throws -> [UInt8]? { try optionalBlob(position(of: column)) }

    package func id(_ column: String) throws -> UniqueID { try id(position(of: column)) }

    package func optionalID(_ column: String) throws -> UniqueID? { try optionalID(position(of: column)) }

    package func time(_ column: String) throws -> Timestamp { try time(position(of: column)) }

    package func optionalTime(_ column: String) throws -> Timestamp? { try optionalTime(position(of: column)) }

    package func name<Name: RawRepresentable<String>>(_ column: String, as type: Name.Type = Name.self) throws -> Name {
        try name(position(of: column), as: type)
    }
}
