package import Core
package import Store

/// A merchant at which clients are installed and accounts are employed.
package struct MerchantRecord: Sendable, Hashable {
    package var id: String
    package var name: String
    package var createdAt: Timestamp

    package init(id: String, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, name, createdAt
    }

    static let columns = Column.list()

    /// The same in a join.
    static let qualifiedColumns = Column.list(of: "merchants")

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(id: try row.text(.id), name: try row.text(.name), createdAt: try row.time(.createdAt))
    }
}

/// Whether a person may sign in to a client for a merchant.
package enum MerchantAdmission: Sendable, Hashable {
    case admitted
    /// The client is not installed at the merchant, or there is no such merchant.
    case appNotInstalled
    case notAnEmployee
}

/// Reads and writes merchants, the clients installed at them, and their employees.
package enum Merchants {
    /// - Returns: `false` if the id is taken; nothing was written then.
    package static func create(_ merchant: MerchantRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "INSERT INTO merchants (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [.text(merchant.id), .text(merchant.name), .time(merchant.createdAt)]) == 1
    }

    package static func find(_ id: String, on connection: any SQLConnection) throws -> MerchantRecord? {
        try connection.row("SELECT \(MerchantRecord.columns) FROM merchants WHERE id = $1", [.text(id)])
            .map(MerchantRecord.init)
    }

    /// A page of merchants after the given id, in the order of ids.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        try connection.query(
            "SELECT \(MerchantRecord.columns) FROM merchants WHERE id > $1 ORDER BY id LIMIT $2",
            [.text(after), .integer(Int64(limit))]
        ).map(MerchantRecord.init)
    }

    /// Whether an account may sign in to a client for a merchant. The installation is checked first.
    package static func admission(
        of account: UniqueID, client: String, merchant: String, on connection: any SQLConnection
    ) throws -> MerchantAdmission {
        let installed = try connection.row(
            "SELECT 1 FROM merchant_clients WHERE merchant_id = $1 AND client_id = $2",
            [.text(merchant), .text(client)])
        guard installed != nil else { return .appNotInstalled }
        return try isEmployed(account, at: merchant, on: connection) ? .admitted : .notAnEmployee
    }

    /// The account's merchants at which the client is installed, by name.
    package static func choices(
        of account: UniqueID, client: String, limit: Int, on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        try connection.query(
            """
            SELECT \(MerchantRecord.qualifiedColumns)
            FROM merchant_employees JOIN merchants ON merchants.id = merchant_employees.merchant_id
            JOIN merchant_clients ON merchant_clients.merchant_id = merchants.id AND merchant_clients.client_id = $2
            WHERE merchant_employees.account_id = $1 ORDER BY merchants.name, merchants.id LIMIT $3
            """, [.id(account), .text(client), .integer(Int64(limit))]
        ).map(MerchantRecord.init)
    }

    /// A page of the merchants at which a client is installed, in the order of ids.
    package static func list(
        installedWith client: String, after: String = "", skipping skipped: Int = 0, limit: Int,
        on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        try connection.query(
            listing, [.text(client), .text(after), .integer(Int64(limit)), .integer(Int64(skipped))]
        ).map(MerchantRecord.init)
    }

    package static let listing = """
        SELECT \(MerchantRecord.qualifiedColumns)
        FROM merchant_clients JOIN merchants ON merchants.id = merchant_clients.merchant_id
        WHERE merchant_clients.client_id = $1 AND merchant_clients.merchant_id > $2
        ORDER BY merchant_clients.merchant_id LIMIT $3 OFFSET $4
        """

    /// The number of merchants at which a client is installed, counted up to a limit.
    package static func count(
        installedWith client: String, upTo limit: Int, on connection: any SQLConnection
    ) throws -> Int {
        let row = try connection.row(counting, [.text(client), .integer(Int64(limit))])
        return Int(try row?.integer("found") ?? 0)
    }

    package static let counting = """
        SELECT COUNT(*) AS found FROM (SELECT merchant_id FROM merchant_clients WHERE client_id = $1 LIMIT $2) m
        """

    /// The clients installed at a merchant, deleted ones left out.
    package static func clients(
        installedAt merchant: String, on connection: any SQLConnection
    ) throws -> [RegisteredClient] {
        try connection.query(
            "SELECT client_id FROM merchant_clients WHERE merchant_id = $1 ORDER BY client_id", [.text(merchant)]
        ).compactMap { try Clients.find($0.text("client_id"), on: connection).map { try RegisteredClient($0) } }
    }

    /// A merchant at which a client is installed.
    package static func find(
        _ id: String, installedWith client: String, on connection: any SQLConnection
    ) throws -> MerchantRecord? {
        try connection.row(
            """
            SELECT \(MerchantRecord.qualifiedColumns)
            FROM merchant_clients JOIN merchants ON merchants.id = merchant_clients.merchant_id
            WHERE merchant_clients.merchant_id = $1 AND merchant_clients.client_id = $2
            """, [.text(id), .text(client)]
        ).map(MerchantRecord.init)
    }

    /// The employees of a merchant who are accounts of a brand, in the order of ids; without operators and people invited as such.
    package static func employees(
        of merchant: String, brand: String, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT e.account_id FROM merchant_employees e JOIN accounts a ON a.id = e.account_id
            WHERE e.merchant_id = $1 AND a.brand_id = $2
                AND NOT EXISTS (SELECT 1 FROM operators WHERE operators.account_id = e.account_id)
                AND NOT EXISTS (SELECT 1 FROM operator_invitations
                    WHERE operator_invitations.account_id = e.account_id AND operator_invitations.expires_at > $3
                        AND \(OperatorInvitations.makerIsOwner))
            ORDER BY e.account_id LIMIT $4
            """, [.text(merchant), .text(brand), .time(now), .integer(Int64(limit))]
        ).map { try $0.id("account_id") }
    }

    package static func isEmployed(
        _ account: UniqueID, at merchant: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM merchant_employees WHERE account_id = $1 AND merchant_id = $2",
            [.id(account), .text(merchant)]) != nil
    }

    package static func rename(_ id: String, to name: String, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE merchants SET name = $2 WHERE id = $1", [.text(id), .text(name)])
    }

    package static func isEmployed(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM merchant_employees WHERE account_id = $1 LIMIT 1", [.id(account)]) != nil
    }

    /// The ids of the account's merchants, in their order.
    package static func employers(of account: UniqueID, on connection: any SQLConnection) throws -> [String] {
        try connection.query(
            "SELECT merchant_id FROM merchant_employees WHERE account_id = $1 ORDER BY merchant_id", [.id(account)]
        ).map { try $0.text("merchant_id") }
    }

    /// Employs an account wherever another one is employed.
    package static func employ(
        _ account: UniqueID, as other: UniqueID, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO merchant_employees (account_id, merchant_id, created_at)
            SELECT $1, merchant_id, created_at FROM merchant_employees WHERE account_id = $2
            ON CONFLICT (account_id, merchant_id) DO NOTHING
            """, [.id(account), .id(other)])
    }

    /// - Returns: `false` if it was installed already.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/constraint`` if client or merchant does not
    ///   exist.
    package static func install(
        client: String, on merchant: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO merchant_clients (merchant_id, client_id, created_at) VALUES ($1, $2, $3)
            ON CONFLICT (merchant_id, client_id) DO NOTHING
            """, [.text(merchant), .text(client), .time(now)]) == 1
    }

    /// - Returns: whether it was installed.
    package static func remove(
        client: String, from merchant: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM merchant_clients WHERE merchant_id = $1 AND client_id = $2",
            [.text(merchant), .text(client)]) == 1
    }

    /// - Returns: `false` if the account was an employee already.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/constraint`` if account or merchant does not
    ///   exist.
    package static func add(
        employee account: UniqueID, to merchant: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO merchant_employees (account_id, merchant_id, created_at) VALUES ($1, $2, $3)
            ON CONFLICT (account_id, merchant_id) DO NOTHING
            """, [.id(account), .text(merchant), .time(now)]) == 1
    }

    /// - Returns: whether it was an employee.
    package static func remove(
        employee account: UniqueID, from merchant: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM merchant_employees WHERE account_id = $1 AND merchant_id = $2",
            [.id(account), .text(merchant)]) == 1
    }
}
