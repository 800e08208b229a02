internal import AuthCore

/// The columns that a record reads: one declaration for the statement's list and for the readers' positions.
///
/// The raw values count from 0 in the order of the declaration. A case is named after its column, so `accountID` is
/// `account_id`.
protocol RecordColumn: RawRepresentable, CaseIterable, Sendable where RawValue == Int {}

extension RecordColumn {
    /// For `SELECT` and `RETURNING`. Keep the result: it is computed from the names of the cases.
    /// - Parameter table: the table that the names are qualified with, for a join.
    static func list(of table: String? = nil) -> String {
        let qualifier = table.map { $0 + "." } ?? ""
        return allCases.map { qualifier + snakeCase("\($0)") }.joined(separator: ", ")
    }

    private static func snakeCase(_ name: String) -> String {
        var result = ""
        var isInsideAcronym = false
        for character in name {
            if character.isUppercase, !isInsideAcronym { result.append("_") }
            isInsideAcronym = character.isUppercase
            result += character.lowercased()
        }
        return result
    }
}

/// A row that begins with the columns of a record. It reads by position, as fast as `SQLRow` does with a number, and
/// not by searching for a name.
struct RecordRow<Column: RecordColumn> {
    let row: SQLRow

    init(_ row: SQLRow) { self.row = row }

    func integer(_ column: Column) throws -> Int64 { try row.integer(column.rawValue) }

    func optionalInteger(_ column: Column) throws -> Int64? { try row.optionalInteger(column.rawValue) }

    func text(_ column: Column) throws -> String { try row.text(column.rawValue) }

    func optionalText(_ column: Column) throws -> String? { try row.optionalText(column.rawValue) }

    func blob(_ column: Column) throws -> [UInt8] { try row.blob(column.rawValue) }

    func optionalBlob(_ column: Column) throws -> [UInt8]? { try row.optionalBlob(column.rawValue) }

    func id(_ column: Column) throws -> UniqueID { try row.id(column.rawValue) }

    func optionalID(_ column: Column) throws -> UniqueID? { try row.optionalID(column.rawValue) }

    func time(_ column: Column) throws -> Timestamp { try row.time(column.rawValue) }

    func optionalTime(_ column: Column) throws -> Timestamp? { try row.optionalTime(column.rawValue) }

    func name<Name: RawRepresentable<String>>(_ column: Column) throws -> Name { try row.name(column.rawValue) }
}
