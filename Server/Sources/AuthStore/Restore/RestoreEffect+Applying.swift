package import AuthCore

extension RestoreEffect {
    /// Applies the effect to a table's rows, one page in each write. Harmless to repeat: an interrupted restore starts
    /// again.
    /// - Parameters:
    ///   - now: the time of the restore.
    ///   - cooling: the end of the cooling period of restored factors.
    ///   - batch: the rows read in one write, at least 1.
    package func apply(
        to table: String, in database: any Database, now: Timestamp, coolingUntil cooling: Timestamp, batch: Int = 500
    ) async throws {
        switch self {
        case .removed(let key):
            let removal = Rewrite(
                walking: table, key: key, statement: "DELETE FROM \(table) WHERE \(key) > $1 AND \(key) <= $2")
            try await removal.run(in: database, at: now, batch: batch)
        case .ended(let rewrite): try await rewrite.run(in: database, at: now, batch: batch)
        case .cooled(let rewrite): try await rewrite.run(in: database, at: cooling, batch: batch)
        case .handled, .kept: break
        }
    }
}

extension RestoreEffect.Rewrite {
    /// Walks the rows, one page in each write.
    /// - Parameter time: `$3` of the statement, if it has one.
    fileprivate func run(in database: any Database, at time: Timestamp, batch: Int) async throws {
        let page =
            "SELECT MAX(page.k) FROM (SELECT \(key) AS k FROM \(walking) WHERE \(key) > $1 ORDER BY \(key) LIMIT $2) AS page"
        let further: [SQLValue] = statement.contains("$3") ? [.time(time)] : []
        var cursor: [UInt8]? = []
        while let after = cursor {
            cursor = try await database.write { connection -> [UInt8]? in
                let row = try connection.row(page, [.blob(after), .integer(Int64(max(1, batch)))])
                guard let last = try row?.optionalBlob(0) else { return nil }
                try connection.execute(statement, [.blob(after), .blob(last)] + further)
                return last
            }
        }
    }
}
