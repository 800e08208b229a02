package import AuthCore

/// A merchant that clients are installed on and accounts work for.
package struct MerchantRecord: Sendable, Hashable {
    /// Its id, as `merchant_id` carries it.
    package var id: String
    /// Its name for people.
    package var name: String
    /// When it was made.
    package var createdAt: Timestamp

    /// Each parameter is the property of its name.
    package init(id: String, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }
}

/// Whether a person may sign in to a client for a merchant.
package enum MerchantAdmission: Sendable, Hashable {
    case admitted
    /// The client is not installed on the merchant, or there is no such merchant.
    case appNotInstalled
    /// The account does not work for the merchant.
    case notAnEmployee
}

/// The facts of merchants, the clients installed on them and their employees.
package enum Merchants {
    /// Makes a merchant.
    ///
    /// - Returns: `false` when the id is taken; nothing was written then.
    /// - Throws: ``StoreError``.
    package static func create(_ merchant: MerchantRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "INSERT INTO merchants (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [.text(merchant.id), .text(merchant.name), .time(merchant.createdAt)]) == 1
    }

    /// The merchant of an id.
    package static func find(_ id: String, on connection: any SQLConnection) throws -> MerchantRecord? {
        try connection.row("SELECT id, name, created_at FROM merchants WHERE id = $1", [.text(id)]).map { row in
            MerchantRecord(id: try row.text(0), name: try row.text(1), createdAt: try row.time(2))
        }
    }

    /// A page of merchants by id, after the given one.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        try connection.query(
            "SELECT id, name, created_at FROM merchants WHERE id > $1 ORDER BY id LIMIT $2",
            [.text(after), .integer(Int64(limit))]
        ).map { MerchantRecord(id: try $0.text(0), name: try $0.text(1), createdAt: try $0.time(2)) }
    }

    /// Whether an account may sign in to a client for a merchant; the installation is judged first.
    package static func admission(
        of account: UniqueID, client: String, merchant: String, on connection: any SQLConnection
    ) throws -> MerchantAdmission {
        let installed = try connection.row(
            "SELECT 1 FROM merchant_clients WHERE merchant_id = $1 AND client_id = $2",
            [.text(merchant), .text(client)])
        guard installed != nil else { return .appNotInstalled }
        let employed = try connection.row(
            "SELECT 1 FROM merchant_employees WHERE account_id = $1 AND merchant_id = $2",
            [.id(account), .text(merchant)])
        return employed != nil ? .admitted : .notAnEmployee
    }

    /// The merchants that an account works for and that have a client installed, by name; at most `limit`.
    package static func choices(
        of account: UniqueID, client: String, limit: Int, on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        try connection.query(
            """
            SELECT merchants.id, merchants.name, merchants.created_at
            FROM merchant_employees JOIN merchants ON merchants.id = merchant_employees.merchant_id
            JOIN merchant_clients ON merchant_clients.merchant_id = merchants.id AND merchant_clients.client_id = $2
            WHERE merchant_employees.account_id = $1 ORDER BY merchants.name, merchants.id LIMIT $3
            """, [.id(account), .text(client), .integer(Int64(limit))]
        ).map { MerchantRecord(id: try $0.text(0), name: try $0.text(1), createdAt: try $0.time(2)) }
    }

    /// Whether an account works for any merchant.
    package static func isEmployed(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM merchant_employees WHERE account_id = $1 LIMIT 1", [.id(account)]) != nil
    }

    /// Installs a client on a merchant.
    ///
    /// - Returns: `false` when it was installed already.
    /// - Throws: ``StoreError``; code ``StoreError/Code-swift.struct/constraint`` when either does not exist.
    package static func install(
        client: String, on merchant: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO merchant_clients (merchant_id, client_id, created_at) VALUES ($1, $2, $3)
            ON CONFLICT (merchant_id, client_id) DO NOTHING
            """, [.text(merchant), .text(client), .time(now)]) == 1
    }

    /// Removes a client from a merchant.
    ///
    /// - Returns: whether it was installed.
    /// - Throws: ``StoreError``.
    package static func remove(
        client: String, from merchant: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM merchant_clients WHERE merchant_id = $1 AND client_id = $2",
            [.text(merchant), .text(client)]) == 1
    }

    /// Makes an account an employee of a merchant.
    ///
    /// - Returns: `false` when it was one already.
    /// - Throws: ``StoreError``; code ``StoreError/Code-swift.struct/constraint`` when either does not exist.
    package static func add(
        employee account: UniqueID, to merchant: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO merchant_employees (account_id, merchant_id, created_at) VALUES ($1, $2, $3)
            ON CONFLICT (account_id, merchant_id) DO NOTHING
            """, [.id(account), .text(merchant), .time(now)]) == 1
    }

    /// Ends an account's employment.
    ///
    /// - Returns: whether it was an employee.
    /// - Throws: ``StoreError``.
    package static func remove(
        employee account: UniqueID, from merchant: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM merchant_employees WHERE account_id = $1 AND merchant_id = $2",
            [.id(account), .text(merchant)]) == 1
    }

    /// The clients installed on a merchant, by id; at most `limit`.
    package static func clients(
        of merchant: String, limit: Int, on connection: any SQLConnection
    ) throws -> [String] {
        try connection.query(
            "SELECT client_id FROM merchant_clients WHERE merchant_id = $1 ORDER BY client_id LIMIT $2",
            [.text(merchant), .integer(Int64(limit))]
        ).map { try $0.text(0) }
    }

    /// The employees of a merchant, by id, after the given one; at most `limit`.
    package static func employees(
        of merchant: String, after: UniqueID? = nil, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT account_id FROM merchant_employees WHERE merchant_id = $1 AND account_id > $2
            ORDER BY account_id LIMIT $3
            """, [.text(merchant), after.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map { try $0.id(0) }
    }
}
