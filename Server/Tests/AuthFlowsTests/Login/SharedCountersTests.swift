import AuthCore
import AuthFoundation
import AuthStore
import Testing

@testable import AuthCredentials

@Suite("Counters that attempts share")
struct SharedCountersTests {
    @Test(
        "attack: attempts of one network cannot deadlock, since all writes change its rows in one order, a site's last",
        arguments: ["2001:db8::1", "192.0.2.1"])
    func order(address: String) async throws {
        let server = try await TestServer.start()
        let now = server.clock.now()
        let counters = try AddressAttempts(context: server.context).counters(
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
