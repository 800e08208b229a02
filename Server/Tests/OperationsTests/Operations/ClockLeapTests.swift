import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("What a leap of the clock must not do")
struct ClockLeapTests {
    private static let tables = [
        "sessions", "wallet_operations", "sca_steps", "sca_attempts", "signing_keys", "data_keys",
    ]

    private func rows(of server: TestServer) async throws -> [Int64] {
        var counts: [Int64] = []
        for table in Self.tables { counts.append(try await server.rows(of: table)) }
        return counts
    }

    /// A shop with a session, and a payment that was carried out.
    private func shop() async throws -> TestShop {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        _ = try await shop.consume(transfer, event: event).get()
        try await shop.server.flows.maintenance.run()
        return shop
    }

    @Test("What watches a database for damage hides no clock of its server")
    func watchedDatabase() async throws {
        let server = try await TestServer.start()
        server.setDatabaseClock(aheadBy: .minutes(3))
        let difference = try await server.context.database.clockDifference(from: server.clock)
        #expect(difference == .minutes(3))
    }

    @Test(
        "attack: a clock that leaps for a while deletes nothing and rotates nothing",
        arguments: [40, 600, -40] as [Int64])
    func leap(days: Int64) async throws {
        let shop = try await shop()
        let server = shop.server
        try await server.administer(["keys", "rotate"])
        let before = try await rows(of: server)
        let signer = try server.context.keyRing.signer(.es256).id
        server.clock.leap(by: .days(days))
        for _ in 0..<2 {
            let removed = try await server.flows.maintenance.run()
            #expect(removed == 0)
            server.clock.advance(by: .seconds(50))
        }
        for command: AdminRequest in [
            ["database", "sweep"], ["keys", "rotate", "refresh"], ["keys", "rotate"],
            ["client", "rotate-secret", shop.client.id.rawValue],
        ] {
            let answer = await server.flows.administration.execute(command)
            #expect(answer.refusal?.code == "clock")
        }
        let meanwhile = try await rows(of: server)
        #expect(meanwhile == before)
        #expect(try server.context.keyRing.signer(.es256).id == signer)

        server.clock.leap(by: .days(-days))
        #expect(server.context.clocks.check() == .agreed)
        try await server.flows.maintenance.run()
        let afterwards = try await rows(of: server)
        #expect(afterwards == before)
        _ = try await shop.verifiedEvidence()
    }

    @Test(
        "attack: an operator who accepts a wrong time loses sessions, and no evidence",
        .threat("Clocks, disks and crashes"))
    func acceptedLeap() async throws {
        let shop = try await shop()
        let server = shop.server
        let kept = ["wallet_operations", "sca_steps", "sca_attempts"]
        var before: [Int64] = []
        for table in kept { before.append(try await server.rows(of: table)) }
        server.clock.leap(by: .days(600))
        #expect(server.context.clocks.check() == .leaped(by: .days(600)))
        try await server.administer(["clock", "accept"])
        try await server.flows.maintenance.run()
        try await server.administer(["database", "sweep"])
        let sessions = try await server.rows(of: "sessions")
        #expect(sessions == 0)
        var afterwards: [Int64] = []
        for table in kept { afterwards.append(try await server.rows(of: table)) }
        #expect(afterwards == before)

        server.clock.leap(by: .days(-600))
        try await server.administer(["clock", "accept"])
        _ = try await shop.verifiedEvidence()
        // A year and a half that the server lives through ends the retention.
        server.clock.advance(by: shop.server.context.settings.sca.evidenceRetention)
        try await server.flows.maintenance.run()
        let operations = try await server.rows(of: "wallet_operations")
        #expect(operations == 0)
    }

    @Test("The audit log has an operator's word with the time and the difference; while the clocks agree there is none")
    func audit() async throws {
        let server = try await TestServer.start()
        let needless = await server.flows.administration.execute(["clock", "accept"])
        #expect(needless.refusal?.code == "no_change")
        server.clock.leap(by: .hours(2))
        _ = try await server.administer(["clock", "accept"])
        #expect(server.context.clocks.check() == .agreed)
        let tail = try await server.administer(["audit", "tail", "--kind", "clock.accepted", "--limit", "10"])
        let entries = (tail["entries"]?.array ?? []).compactMap(\.object)
        #expect(entries.map { $0["details"]?.object?["differenceSeconds"]?.integer } == [7200])
        #expect(entries.map { $0["details"]?.object?["time"]?.string } == [server.clock.now().text])
    }

    @Test("After a long absence the server serves, and keeps expired data for an hour and evidence for longer")
    func absence() async throws {
        let shop = try await shop()
        shop.server.clock.advance(by: .days(600))
        let again = try await shop.server.restarted()
        #expect(again.context.clocks.check() == .unconfirmed(ahead: .days(600)))
        let before = try await rows(of: again)
        let removed = try await again.flows.maintenance.run()
        #expect(removed == 0)
        let meanwhile = try await rows(of: again)
        #expect(meanwhile == before)

        again.clock.advance(by: .hours(1))
        try await again.flows.maintenance.run()
        let sessions = try await again.rows(of: "sessions")
        #expect(sessions == 0)
        let operations = try await again.rows(of: "wallet_operations")
        #expect(operations == 1)
    }

    @Test("An operator ends the wait after a long absence")
    func acceptedAbsence() async throws {
        let shop = try await shop()
        shop.server.clock.advance(by: .days(90))
        let again = try await shop.server.restarted()
        try await again.administer(["clock", "accept"])
        #expect(again.context.clocks.check() == .agreed)
        try await again.administer(["keys", "rotate", "refresh"])
    }

    @Test("A start with a clock behind the recorded time is out of service until it has caught up")
    func behind() async throws {
        let shop = try await shop()
        shop.server.clock.leap(by: .days(-3))
        let again = try await shop.server.restarted()
        #expect(!again.context.clocks.check().allowsRequests)
        again.clock.leap(by: .days(3))
        #expect(again.context.clocks.check() == .agreed)
    }
}

@Suite("Clocks of several servers")
struct ClocksOfServersTests {
    /// Two servers on one database, each with a clock of its own.
    private func servers(_ body: (TestServer, TestServer) async throws -> Void) async throws {
        let string = try await TwoProcesses.database()
        let first = try await TestServer.process(on: string, clock: ManualClock())
        let second = try await TestServer.process(on: string, clock: ManualClock())
        do {
            try await body(first, second)
        } catch {
            for server in [first, second] { await server.close() }
            throw error
        }
        for server in [first, second] { await server.close() }
    }

    @Test("A server whose clock leaps is out of service; the other goes on")
    func oneLeaps() async throws {
        try await servers { first, second in
            for server in [first, second] { try await server.flows.maintenance.run() }
            first.clock.leap(by: .days(40))
            let verdict = await first.context.clocks.compare()
            #expect(verdict == .leaped(by: .days(40)))
            let other = await second.context.clocks.compare()
            #expect(other == .agreed)
        }
    }

    @Test("A server whose clock differs from the database server's is out of service, and no operator can change that")
    func differs() async throws {
        try await servers { first, second in
            first.setDatabaseClock(aheadBy: .seconds(-11))
            let verdict = await first.context.clocks.compare()
            #expect(verdict == .differsFromDatabase(by: .seconds(-11)))
            let accepted = await first.flows.administration.execute(["clock", "accept"])
            #expect(accepted.refusal?.code == "clock")
            let removed = try await first.flows.maintenance.run()
            #expect(removed == 0)
            let other = await second.context.clocks.compare()
            #expect(other == .agreed)
            first.setDatabaseClock(aheadBy: .seconds(1))
            let back = await first.context.clocks.compare()
            #expect(back == .agreed)
        }
    }

    @Test("Rows are removed by the earlier one of the two clocks")
    func earlier() async throws {
        try await servers { first, _ in
            let now = first.clock.now()
            let expired = ExpiredRows(database: first.context.database, clocks: first.context.clocks)
            first.setDatabaseClock(aheadBy: .seconds(-8))
            _ = await first.context.clocks.compare()
            #expect(expired.end(at: now) == now - .seconds(13))
            first.setDatabaseClock(aheadBy: .seconds(8))
            _ = await first.context.clocks.compare()
            #expect(expired.end(at: now) == now - .seconds(5))
        }
    }

    @Test("A time that an operator accepts counts for the servers that show it, and for no other")
    func accepted() async throws {
        try await servers { first, second in
            first.clock.leap(by: .days(40))
            _ = await first.context.clocks.compare()
            try await second.administer(["clock", "accept"])
            let wrong = await first.context.clocks.compare()
            #expect(wrong == .leaped(by: .days(40)))
            second.clock.leap(by: .days(40))
            second.clock.advance(by: .seconds(5))
            try await second.administer(["clock", "accept"])
            let right = await first.context.clocks.compare()
            #expect(right == .agreed)
        }
    }
}
