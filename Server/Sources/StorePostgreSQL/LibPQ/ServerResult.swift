import CLibPQ
import Store

/// A result of libpq, freed with this object.
final class ServerResult {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }

    /// Such as `COMMIT`, or `UPDATE 1`.
    var tag: String { String(cString: PQcmdStatus(handle)) }

    /// The rows inserted, updated or deleted.
    var changes: Int {
        tag.hasPrefix("SELECT") ? 0 : PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    }

    var columns: [String] {
        (0..<PQnfields(handle)).map { column in PQfname(handle, column).map { String(cString: $0) } ?? "" }
    }

    /// - Throws: ``StoreError`` with code `unexpectedRow` for a value of a type that the port does not have, or another number of columns.
    func rows(named columns: [String]) throws(StoreError) -> [SQLRow] {
        let width = PQnfields(handle)
        guard columns.count == Int(width) else {
            throw StoreError(.unexpectedRow, "the result has \(width) columns instead of \(columns.count)")
        }
        let types = (0..<width).map { PQftype(handle, $0) }
        var rows: [SQLRow] = []
        for row in 0..<PQntuples(handle) {
            var values: [SQLValue] = []
            values.reserveCapacity(Int(width))
            for column in 0..<width {
                guard PQgetisnull(handle, row, column) == 0, let start = PQgetvalue(handle, row, column) else {
                    values.append(.null)
                    continue
                }
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
                guard let value = SQLValue(binary: bytes, type: types[Int(column)]) else {
                    throw StoreError(
                        .unexpectedRow, "column \(columns[Int(column)]) has the type \(types[Int(column)])")
                }
                values.append(value)
            }
            rows.append(SQLRow(columns: columns, values: values))
        }
        return rows
    }

    func failure(isConnected: Bool) -> ServerFailure {
        guard let state = field("C") else {
            return .lost("the connection to the database was lost")
        }
        let failure = ServerFailure(state: state, field("M") ?? "no message", function: field("R") ?? "")
        return isConnected ? failure : ServerFailure(failure.error, .anotherConnection)
    }

    private func field(_ name: Unicode.Scalar) -> String? {
        PQresultErrorField(handle, CInt(name.value)).map { String(cString: $0) }
    }
}
