package import Core
internal import Crypto
internal import Kernel
package import Store

/// Copies a database into another one, which may have another engine.
///
/// The caller keeps every other process away from both. Rows are read page by page and written unchanged, sealed columns
/// as they are. Each page is written together with its ``CopyPosition``, so an interrupted copy resumes where it stopped.
/// Until ``finish(now:)``, the destination has a mark, and no server may use it.
///
/// A copy is not a restore: it has everything that was acknowledged, so sessions and codes in it stay valid.
///
/// This folder owns copying and comparing tables, in SQL that every engine runs. It does not own the engines' own copies
/// (backups), or files next to a database.
package struct DatabaseCopy: Sendable {
    /// What a run reports.
    package enum Progress: Sendable, Hashable {
        /// A page was written.
        case copied(table: String, rows: Int64, isComplete: Bool)
        /// A table was read from both databases, and is the same.
        case compared(table: String, rows: Int64)
    }

    /// A table that is the same in both databases.
    package struct ComparedTable: Sendable, Hashable {
        package let name: String
        package let digest: TableDigest
    }

    private let source: any Database
    private let destination: any Database
    /// Identifies the source, and its state as far as that is cheap to say.
    private let origin: String
    private let rowsInPage: Int

    /// Refuses a destination that holds anything but an unfinished copy. A server may have used a finished one since.
    /// - Throws: ``CopyRefusal`` or ``StoreError``.
    package static func requireFree(_ destination: any Database, isEmpty: Bool) async throws {
        guard !isEmpty else { return }
        let version = try await version(of: destination)
        // 0 if the very first write of a copy was interrupted.
        guard version == 0 || version == Schema.newest else { throw CopyRefusal.destinationIsTaken }
        guard version == Schema.newest else { return }
        try await destination.read { connection in
            guard try Meta.value(CopyMark.origin, on: connection) == nil else { return }
            try Self.requireEmpty(connection)
        }
    }

    private static func requireEmpty(_ connection: any SQLConnection) throws {
        if let finished = try Meta.value(CopyMark.finished, on: connection) {
            throw CopyRefusal.copyIsFinished(Int64(finished).map { Timestamp(milliseconds: $0) })
        }
        for table in Schema.tables {
            let row = try connection.row("SELECT 1 AS one FROM \(table.name) LIMIT 1", [])
            guard row == nil else { throw CopyRefusal.destinationIsTaken }
        }
    }

    /// Checks both databases, and marks the destination as an unfinished copy of this source, unless it is one.
    /// - Parameters:
    ///   - isEmpty: whether the destination has no tables yet. Otherwise it must be an unfinished copy of this source.
    ///   - rowsInPage: the most rows that are read and written at once.
    ///   - now: recorded with the destination's migrations.
    /// - Throws: ``CopyRefusal`` or ``StoreError``. The destination is unchanged, except if it was empty.
    package static func begin(
        from source: any Database, to destination: any Database, isEmpty: Bool, rowsInPage: Int = 500, now: Timestamp
    ) async throws -> DatabaseCopy {
        try await examine(source)
        let origin = try await fingerprint(of: source)
        try await requireFree(destination, isEmpty: isEmpty)
        try await Schema.migrate(destination, now: now)
        try await destination.write { connection in
            if let marked = try Meta.value(CopyMark.origin, on: connection) {
                guard marked == origin else { throw CopyRefusal.copyOfAnother }
                return
            }
            try Self.requireEmpty(connection)
            try Meta.set(CopyMark.origin, to: origin, on: connection)
        }
        return DatabaseCopy(source: source, destination: destination, origin: origin, rowsInPage: rowsInPage)
    }

    /// Whether a database is the destination of a copy that was not finished.
    package static func isUnfinished(on connection: any SQLConnection) throws -> Bool {
        try Meta.value(CopyMark.origin, on: connection) != nil
    }

    /// Copies every table, or what an interrupted run has left of it.
    /// - Parameter report: called after each page. If it throws, the copy stops there.
    /// - Throws: ``CopyRefusal``, ``StoreError``, or the error of `report`.
    package func copyTables(_ report: @Sendable (Progress) throws -> Void) async throws {
        for table in Schema.tables {
            let pages = TablePages(table: table)
            var position = try await position(in: table)
            var size = PageSize(most: rowsInPage)
            while position?.isComplete != true {
                let (last, limit) = (position?.last, size.rows)
                let page = try await source.read { try pages.page(after: last, limit: limit, on: $0) }
                size.adapt(to: page)
                let rows = try page.filter { try !CopyMark.isOwn($0, of: table) }
                let end = try page.last.map { try pages.key(of: $0) }
                let next = CopyPosition(
                    rows: (position?.rows ?? 0) + Int64(rows.count), last: page.count < limit ? nil : end)
                try await write(rows, of: pages, from: position, to: next)
                position = next
                try report(.copied(table: table.name, rows: next.rows, isComplete: next.isComplete))
            }
        }
    }

    /// Reads every table from both databases, and compares the numbers of rows and the digests.
    /// - Parameter report: called after each table.
    /// - Returns: the tables in the order in which they were copied.
    /// - Throws: ``CopyRefusal/differs(tables:)``, ``StoreError``, or the error of `report`.
    package func compareTables(_ report: @Sendable (Progress) throws -> Void) async throws -> [ComparedTable] {
        var compared: [ComparedTable] = []
        var different: [String] = []
        for table in Schema.tables {
            async let theirs = digest(of: table, in: source)
            async let ours = digest(of: table, in: destination)
            let (expected, found) = (try await theirs, try await ours)
            guard expected == found else {
                different.append(table.name)
                continue
            }
            compared.append(ComparedTable(name: table.name, digest: expected))
            try report(.compared(table: table.name, rows: expected.rows))
        }
        guard different.isEmpty else { throw CopyRefusal.differs(tables: different) }
        return compared
    }

    /// Removes the mark. From now on a server may use the destination.
    /// - Throws: ``CopyRefusal`` or ``StoreError``.
    package func finish(now: Timestamp) async throws {
        let origin = origin
        try await destination.write { connection in
            guard try Meta.value(CopyMark.origin, on: connection) == origin else { throw CopyRefusal.copyOfAnother }
            for name in [CopyMark.origin] + Schema.tables.map(CopyMark.position(of:)) {
                try connection.execute("DELETE FROM meta WHERE name = $1", [.text(name)])
            }
            try Meta.set(CopyMark.finished, to: String(now.milliseconds), on: connection)
        }
    }
}

// MARK: The source

extension DatabaseCopy {
    /// Checks that a database can be copied: it has this program's schema, it is whole, and no restore is pending.
    /// - Throws: ``CopyRefusal`` or ``StoreError``.
    package static func examine(_ source: any Database) async throws {
        guard let version = try await version(of: source), version > 0 else { throw CopyRefusal.noSource }
        if let refusal = Schema.refusal(of: version) { throw refusal }
        guard version == Schema.newest else { throw CopyRefusal.sourceIsNotMigrated(version) }
        let (isUnfinished, isRestored) = try await source.read {
            (try Self.isUnfinished(on: $0), try PendingRestore.isPending(on: $0))
        }
        guard !isUnfinished else { throw CopyRefusal.sourceIsUnfinished }
        guard !isRestored else { throw CopyRefusal.sourceIsRestored }
    }

    /// `nil` for a database that does not have this program's schema.
    private static func version(of database: any Database) async throws -> Int64? {
        do {
            return try await database.read { try Schema.version(on: $0) }
        } catch let error as StoreError where error.code == .statement {
            return nil
        }
    }

    /// A digest of the keys, the named values and the ends of the audit log. Two databases never have the same, and a server
    /// that was used in between has changed it. Other changes are found by the comparison at the end.
    private static func fingerprint(of source: any Database) async throws -> String {
        try await source.read { connection in
            var facts: [UInt8] = []
            for table in Schema.tables where ["data_keys", "signing_keys", "meta"].contains(table.name) {
                var digest = TableDigest()
                let rows = try connection.query("SELECT * FROM \(table.name)", [])
                digest.add(try rows.filter { try !CopyMark.isOwn($0, of: table) })
                facts += digest.bytes
            }
            for partition in AuditPartition.all {
                facts += Array(SHA256.hash(data: try AuditChains.head(of: partition, on: connection).link))
            }
            return Hexadecimal.text(Array(SHA256.hash(data: facts)))
        }
    }
}

// MARK: Pages

extension DatabaseCopy {
    private func position(in table: StoredTable) async throws -> CopyPosition? {
        let text = try await destination.read { try Meta.value(CopyMark.position(of: table), on: $0) }
        guard let text else { return nil }
        guard let position = CopyPosition(text: text) else {
            throw StoreError(.unexpectedRow, "the position of the copy in \(table.name) is not readable")
        }
        return position
    }

    private func write(
        _ rows: [SQLRow], of pages: TablePages, from former: CopyPosition?, to next: CopyPosition
    ) async throws {
        let (origin, name) = (origin, CopyMark.position(of: pages.table))
        do {
            try await destination.write { connection in
                guard try Meta.value(CopyMark.origin, on: connection) == origin,
                    try Meta.value(name, on: connection) == former?.text
                else { throw CopyRefusal.destinationChanged(table: pages.table.name) }
                try pages.insert(rows, on: connection)
                try Meta.set(name, to: next.text, on: connection)
            }
        } catch let error as StoreError where error.code == .conflict {
            throw CopyRefusal.destinationChanged(table: pages.table.name)
        } catch let error as StoreError where error.code == .constraint {
            guard let column = Self.columnWithZero(in: rows) else { throw error }
            throw CopyRefusal.textWithZero(table: pages.table.name, column: column)
        }
    }

    /// A column with a text that has a U+0000, which PostgreSQL does not store.
    private static func columnWithZero(in rows: [SQLRow]) -> String? {
        for row in rows {
            for (column, value) in zip(row.columns, row.values) {
                if case .text(let text) = value, text.utf8.contains(0) { return column }
            }
        }
        return nil
    }

    private func digest(of table: StoredTable, in database: any Database) async throws -> TableDigest {
        let pages = TablePages(table: table)
        var digest = TableDigest()
        var size = PageSize(most: rowsInPage)
        var last: [SQLValue]?
        while true {
            let (after, limit) = (last, size.rows)
            let page = try await database.read { try pages.page(after: after, limit: limit, on: $0) }
            digest.add(try page.filter { try !CopyMark.isOwn($0, of: table) })
            guard page.count == limit, let end = page.last else { return digest }
            last = try pages.key(of: end)
            size.adapt(to: page)
        }
    }
}
