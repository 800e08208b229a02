/// The columns that a record reads: one declaration for the statement's list and for the readers' positions.
///
/// The raw values count from 0 in the order of the declaration. A case is named after its column, so `accountID` is
/// `account_id`.
package protocol RecordColumn: RawRepresentable, CaseIterable, Sendable where RawValue == Int {}

extension RecordColumn {
    /// For `SELECT` and `RETURNING`. Keep the result: it is computed from the names of the cases.
    /// - Parameter table: the table that the names are qualified with, for a join.
    package static func list(of table: String? = nil) -> String {
        let qualifier = table.map { $0 + "." } ?? ""
        return allCases.map { qualifier + $0.columnName }.joined(separator: ", ")
    }

    /// The column's name in the database.
    package var columnName: String { Self.snakeCase("\(self)") }

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
