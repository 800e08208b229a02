package import Core
package import Store

/// Reads the audit chains, whose entries are the rows of security events.
package enum AuditChains {
    package struct Head: Sendable, Hashable {
        /// The number of the last entry; 0 if there is none.
        package var sequence: Int64
        package var link: [UInt8]
    }

    package static func head(of partition: AuditPartition, on connection: any SQLConnection) throws -> Head {
        // A row without a number is in no chain. PostgreSQL would sort it last, and it would stop all further entries.
        let row = try connection.row(
            "SELECT seq, link FROM security_events WHERE chain = $1 AND seq > 0 ORDER BY seq DESC LIMIT 1",
            [.integer(partition.rawValue)])
        guard let row else { return Head(sequence: 0, link: AuditEntry.beginning) }
        return Head(sequence: try row.integer("seq"), link: try row.optionalBlob("link") ?? [])
    }

    /// A page of a chain, in its order.
    /// - Parameter sequence: the last entry of the previous page; 0 for the first page.
    package static func page(
        of partition: AuditPartition, after sequence: Int64, limit: Int, on connection: any SQLConnection
    ) throws -> [UnverifiedEvent] {
        try connection.query(
            """
            SELECT \(columns) FROM security_events WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT $3
            """, [.integer(partition.rawValue), .integer(sequence), .integer(Int64(limit))]
        ).map { try record($0, partition) }
    }

    /// The number of events outside of all chains.
    package static func unchained(on connection: any SQLConnection) throws -> Int64 {
        try connection.row(
            """
            SELECT COUNT(*) AS number FROM security_events
            WHERE chain IS NULL OR seq IS NULL OR chain < 0 OR chain > $1 OR seq < 1
            """, [.integer(AuditPartition.accounts)])?.integer("number") ?? 0
    }

    /// The newest entries of all chains, newest first. A condition that is `nil` is ignored. A row without a number is
    /// in no chain: ``unchained(on:)`` counts it.
    /// - Parameters:
    ///   - brand: the only brand that the entries are about; not with an account.
    ///   - isWithCalls: whether the operators' calls about the account are among them, except for those that only read it.
    ///   - from: the first entry of each chain that may be among them; a chain without one begins with its first.
    ///   - before: the entries of each chain that the previous page ended with.
    package static func recent(
        account: UniqueID?, brand: String? = nil, isWithCalls: Bool = false, kind: String?,
        from: [AuditPartition: Int64] = [:], before: [AuditPartition: Int64] = [:], limit: Int,
        on connection: any SQLConnection
    ) throws -> [UnverifiedEvent] {
        let own = account.map { [AuditPartition(account: $0.bytes)] }
        let partitions = own.map { isWithCalls ? [.operators] + $0 : $0 } ?? AuditPartition.all
        func entries(
            _ statement: String, _ subject: SQLValue, of partition: AuditPartition, before bound: Int64?, limit: Int
        ) throws -> [UnverifiedEvent] {
            try connection.query(
                statement,
                [
                    .integer(partition.rawValue), subject, .optional(kind), .integer(Int64(limit)),
                    .integer(bound ?? .max), .integer(from[partition] ?? 1),
                ]
            ).map { try record($0, partition) }
        }
        var chains = try partitions.map { partition in
            let bound = before[partition]
            let found: [UnverifiedEvent]
            switch (account, brand, partition) {
            case (let account?, _, .operators):
                found = try entries(calls, .text(account.uuid), of: partition, before: bound, limit: limit)
            case (nil, let brand?, .operators):
                // Their brand is in the details. Operators do less than people, so the chain is short.
                let page = { (bound: Int64?) in
                    try entries(events, .null, of: partition, before: bound, limit: 500)
                }
                found = try matching(limit, below: bound, page) { try $0.concerns(brand: brand, on: connection) }
            case (nil, let brand?, _):
                found = try entries(ofBrand, .text(brand), of: partition, before: bound, limit: limit)
            default: found = try entries(events, .id(account), of: partition, before: bound, limit: limit)
            }
            return found[...]
        }
        // Each chain in its own order, even if a clock went back: a page then ends at one entry of each.
        var records: [UnverifiedEvent] = []
        while records.count < limit {
            let next = chains.indices.filter { !chains[$0].isEmpty }.max {
                chains[$0][chains[$0].startIndex].entry.occurredAt < chains[$1][chains[$1].startIndex].entry.occurredAt
            }
            guard let next else { break }
            records.append(chains[next].removeFirst())
        }
        return records
    }

    /// Reads pages of a chain until enough entries match.
    private static func matching(
        _ limit: Int, below bound: Int64?, _ page: (Int64?) throws -> [UnverifiedEvent],
        _ isMatch: (UnverifiedEvent) throws -> Bool
    ) rethrows -> [UnverifiedEvent] {
        var (found, bound) = ([UnverifiedEvent](), bound)
        while found.count < limit {
            let read = try page(bound)
            guard let last = read.last else { break }
            found += try read.filter(isMatch)
            bound = last.entry.sequence
        }
        return Array(found.prefix(limit))
    }

    private static let events = recent(by: "(account_id = $2 OR $2 IS NULL)")
    private static let ofBrand = recent(
        by: "(SELECT accounts.brand_id FROM accounts WHERE accounts.id = security_events.account_id) = $2")
    /// Those about an account, in the chain of all operators.
    package static let calls = recent(by: "about = $2")

    private static func recent(by condition: String) -> String {
        """
        SELECT \(columns) FROM security_events
        WHERE chain = $1 AND seq >= $6 AND seq < $5 AND \(condition) AND (kind = $3 OR $3 IS NULL)
        ORDER BY seq DESC LIMIT $4
        """
    }

    /// The number of the first entry of a chain that is not older than a time; one more than that of the last if all are. It reads a
    /// few entries of a chain of any length, and relies on their order: a clock that went back leaves several such places.
    package static func first(
        of partition: AuditPartition, since time: Timestamp, on connection: any SQLConnection
    ) throws -> Int64 {
        // One statement, since a database at the other end of a network answers each after a while. It adds ever smaller steps as long as
        // the entry there is earlier; a number may be missing after someone removed its entry. No chain has 2^40 entries.
        let row = try connection.row(
            """
            WITH RECURSIVE place (earlier, step) AS (
                SELECT CAST(0 AS BIGINT), CAST(1099511627776 AS BIGINT)
                UNION ALL
                SELECT earlier + CASE WHEN (
                    SELECT occurred_at FROM security_events WHERE chain = $1 AND seq >= earlier + step ORDER BY seq LIMIT 1
                ) < $2 THEN step ELSE 0 END, step / 2 FROM place WHERE step > 0)
            SELECT earlier + 1 AS number FROM place WHERE step = 0
            """, [.integer(partition.rawValue), .time(time)])
        guard let row else { throw InvariantViolation() }
        return try row.integer("number")
    }

    /// The entry at a place; `nil` if there is none.
    package static func entry(
        at place: AuditHead.Place, on connection: any SQLConnection
    ) throws -> UnverifiedEvent? {
        try connection.row(
            "SELECT \(columns) FROM security_events WHERE chain = $1 AND seq = $2",
            [.integer(place.partition.rawValue), .integer(place.sequence)]
        ).map { try record($0, place.partition) }
    }

    /// The place that an account's newest entry of a kind claims. Verify the entry before you rely on it.
    package static func newest(
        _ kind: String, of account: UniqueID, on connection: any SQLConnection
    ) throws -> AuditHead.Place? {
        let row = try connection.row(
            "SELECT chain, seq, link FROM security_events WHERE account_id = $1 AND kind = $2 ORDER BY id DESC LIMIT 1",
            [.id(account), .text(kind)])
        guard let row, let partition = try row.optionalInteger("chain").flatMap(AuditPartition.init(rawValue:)),
            let sequence = try row.optionalInteger("seq"), let link = try row.optionalBlob("link")
        else { return nil }
        return AuditHead.Place(partition: partition, sequence: sequence, link: link)
    }

    /// The columns that ``record(_:_:)`` reads.
    private enum Column: Int, RecordColumn {
        case seq, id, accountID, clientID, kind, occurredAt, detailsDigest, kid, details, salt, link, about
    }

    private static let columns = Column.list()

    private static func record(_ row: SQLRow, _ partition: AuditPartition) throws -> UnverifiedEvent {
        let row = RecordRow<Column>(row)
        // An emptied column is a finding, not a failure of the store.
        return UnverifiedEvent(
            entry: AuditEntry(
                partition: partition, sequence: try row.integer(.seq), id: try row.blob(.id),
                account: try row.optionalBlob(.accountID), client: try row.optionalText(.clientID),
                kind: try row.text(.kind), occurredAt: try row.time(.occurredAt),
                detailsDigest: try row.optionalBlob(.detailsDigest) ?? []),
            keyID: try row.optionalInteger(.kid), details: try row.text(.details), salt: try row.optionalBlob(.salt),
            link: try row.optionalBlob(.link) ?? [], about: try row.optionalText(.about))
    }
}
