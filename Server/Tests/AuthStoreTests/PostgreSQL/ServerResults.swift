import CLibPQ
import Foundation
import Store
import Testing

@testable import StorePostgreSQL

/// Results that a PostgreSQL server does not send.
@Suite struct ServerResults {
    /// One row.
    private func makeResult(_ types: [Oid]) throws -> ServerResult {
        let made: OpaquePointer? = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK)
        let handle = try #require(made)
        let result = ServerResult(handle)
        let name = strdup("name")
        defer { free(name) }
        var attributes = types.map {
            PGresAttDesc(name: name, tableid: 0, columnid: 0, format: 1, typid: $0, typlen: 8, atttypmod: -1)
        }
        let isDescribed = PQsetResultAttrs(handle, CInt(types.count), &attributes)
        try #require(isDescribed == 1)
        var value = [CChar](repeating: 0, count: 8)
        for column in types.indices {
            let isSet = PQsetvalue(handle, 0, CInt(column), &value, 8)
            try #require(isSet == 1)
        }
        return result
    }

    @Test("attack: a result with other columns than the statement's first one is refused, as is one of a foreign type")
    func otherColumns() throws {
        let point: Oid = 600
        #expect(try makeResult([ServerType.int8]).rows(named: ["one"]).map(\.values) == [[.integer(0)]])
        let cases: [(types: [Oid], columns: [String])] = [
            ([ServerType.int8, point], ["one"]), ([ServerType.int8], ["one", "two"]), ([point], ["one"]), ([point], []),
        ]
        for (types, columns) in cases {
            let result = try makeResult(types)
            let error = #expect(throws: StoreError.self) { try result.rows(named: columns) }
            #expect(error?.code == .unexpectedRow)
        }
    }
}
