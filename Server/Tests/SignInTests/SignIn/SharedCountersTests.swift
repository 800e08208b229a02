import FlowSupport
import Kernel
import Operations
import Store
import StorePostgreSQL
import Testing

@testable import SignIn

@Suite("Counters that attempts share")
struct SharedCountersTests {
    @Test(
        "attack: attempts of one network cannot deadlock, since all writes change its rows in one order, a site's last",
        arguments: ["2001:db8::1", "192.0.2.1"])
    func order(address: String) async throws {
        let server = try await TestServer.start()
        let now = server.clock.now()
        let counters = try server.flows.signIn.passwords.addresses.counters(
            of: RequestOrigin(address: address), now: now)
        let orders = try await server.context.database.write { connection in
            let record = ChangedAttempts(connection)
            var orders: [[[UInt8]]] = []
            for settle in [counters.fail, counters.refund] {
                _ = try counters.reserve(now: now, on: record)
                orders.append(record.taken())
                try settle(record)
                orders.append(record.taken())
            }
            _ = try counters.count(now: now, on: record)
            return orders + [record.taken()]
        }
        #expect(Set(orders).count == 1)
        #expect(orders[0].count == (address.contains(":") ? 3 : 1))
    }

    @Test(
        "attack: wrong passwords from the networks of one site at two processes at once, and no deadlock to be broken")
    func deadlocks() async throws {
        let string = try await TwoProcesses.run { servers in
            let client = try await servers.first.publicClient()
            let clients = [client, client.at(servers.second)]
            try await withThrowingTaskGroup { group in
                for sender in 0..<8 {
                    group.addTask {
                        for number in 0..<25 {
                            var app = TestApp(client: clients[(sender + number) % 2])
                            app.address = "2001:db8:0:\((sender + number) % 3)::\(sender % 2 + 1)"
                            _ = try await app.signIn("nobody\(number % 4)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            return servers.string
        }
        // A connection counts what happened to it when it ends.
        let database = try await PostgreSQLDatabase.open(string, options: PostgreSQLOptions(connections: 1))
        func count(_ column: String) async throws -> Int64? {
            try await database.read { connection in
                try connection.row(
                    "SELECT \(column) AS number FROM pg_catalog.pg_stat_database WHERE datname = current_database()", []
                )?
                .integer("number")
            }
        }
        let haveEnded = try await becomesTrue { try await count("numbackends") == 1 }
        #expect(haveEnded)
        #expect(try await count("deadlocks") == 0)
        await database.close()
    }
}

/// A connection that notes whose attempts each statement changes.
private final class ChangedAttempts: SQLConnection {
    private let connection: any SQLConnection
    private var subjects: [[UInt8]] = []

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// The subjects since the last call, in the order of their changes.
    func taken() -> [[UInt8]] {
        defer { subjects = [] }
        return subjects
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        note(sql, arguments)
        return try connection.query(sql, arguments)
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        note(sql, arguments)
        return try connection.execute(sql, arguments)
    }

    func define(_ sql: String) throws { try connection.define(sql) }

    private func note(_ sql: String, _ arguments: [SQLValue]) {
        guard !sql.hasPrefix("SELECT"), case .blob(let subject)? = arguments.first else { return }
        subjects.append(subject)
    }
}
