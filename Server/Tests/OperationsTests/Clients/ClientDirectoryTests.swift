import Core
import FlowSupport
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Clients that are kept in memory for a moment")
struct ClientDirectoryTests {
    private struct Undone: Error {}

    private let id: ClientID

    init() throws { id = try ClientID("app") }

    /// A server with one client that is not in memory, and a change of that client that is not written yet.
    private func open() async throws -> (server: TestServer, seen: ClientRecord, changed: ClientRecord) {
        let server = try await TestServer.start()
        _ = try await server.publicClient("app")
        server.context.clients.forget(id)
        let name = id.rawValue
        let found = try await server.context.database.read { try Clients.find(name, on: $0) }
        let seen = try #require(found)
        var changed = seen
        changed.name = "Mallory's"
        changed.updatedAt = server.clock.now() + .milliseconds(1)
        return (server, seen, changed)
    }

    @Test(
        "attack: a client as a write read it before it was undone is not cached", .threat("Clocks, disks and crashes"))
    func undone() async throws {
        let (server, seen, changed) = try await open()
        let (context, id, now) = (server.context, self.id, server.clock.now())
        await #expect(throws: Undone.self) {
            try await context.database.write { connection in
                _ = try Clients.update(changed, seen: seen.updatedAt, on: connection)
                let found = try context.clients.find(id, now: now, on: connection)
                guard found?.name == "Mallory's" else { return }
                throw Undone()
            }
        }
        let found = try await server.context.clients.find(id, now: now)
        #expect(found?.name == "App")
    }

    @Test("race: a client that is changed or deleted while it is read counts as it is now, at once")
    func changedMeanwhile() async throws {
        let (server, seen, changed) = try await open()
        let (id, now) = (self.id, server.clock.now())
        let slow = SlowReads(server.context.database)
        let directory = ClientDirectory(database: slow, lifetime: .seconds(5))
        slow.afterNextRead {
            _ = try await server.context.database.write {
                try Clients.update(changed, seen: seen.updatedAt, on: $0)
            }
            directory.forget(id)
        }
        let before = try await directory.find(id, now: now)
        #expect(before?.name == "App")
        let after = try await directory.find(id, now: now)
        #expect(after?.name == "Mallory's")

        directory.forget(id)
        slow.afterNextRead {
            _ = try await server.context.database.write { try Clients.delete(id.rawValue, now: now, on: $0) }
            directory.forget(id)
        }
        let last = try await directory.find(id, now: now)
        #expect(last?.name == "Mallory's")
        let gone = try await directory.find(id, now: now)
        #expect(gone?.name == nil)
        let rows = try await server.rows(of: "clients")
        #expect(rows == 1)
    }

    @Test("Apple's list of apps is read once for a moment, and again after a client was changed here")
    func associatedApps() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient("wallet") { $0.appleAppIDs = ["ABCDE12345.com.example.wallet"] }
        let reads = SlowReads(server.context.database)
        let directory = ClientDirectory(database: reads, lifetime: .seconds(5))
        let now = server.clock.now()
        #expect(try await directory.linkedApps(now: now).appleIDs == ["ABCDE12345.com.example.wallet"])
        reads.afterNextRead { Issue.record("the clients were read again") }
        _ = try await directory.linkedApps(now: now + .seconds(4))
        reads.afterNextRead {}
        _ = try await server.publicClient("other") { $0.appleAppIDs = ["FGHIJ67890.com.example.other"] }
        directory.forget(try ClientID("other"))
        #expect(try await directory.linkedApps(now: now + .seconds(4)).appleIDs.count == 2)
    }

    @Test("What is in memory is read again after its time")
    func lifetime() async throws {
        let (server, seen, changed) = try await open()
        let now = server.clock.now()
        _ = try await server.context.clients.find(id, now: now)
        // As another process changes it.
        _ = try await server.context.database.write { try Clients.update(changed, seen: seen.updatedAt, on: $0) }
        let kept = try await server.context.clients.find(id, now: now + .seconds(4))
        #expect(kept?.name == "App")
        let read = try await server.context.clients.find(id, now: now + .seconds(5))
        #expect(read?.name == "Mallory's")
    }
}

/// The real engine, and what a test has happen right after the next read, before its answer is used.
private final class SlowReads: Database {
    private let engine: any Database
    private let meanwhile = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ engine: any Database) { self.engine = engine }

    func afterNextRead(_ body: @escaping @Sendable () async throws -> Void) {
        meanwhile.withLock { $0 = body }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let value = try await engine.read(body)
        let meanwhile = meanwhile.withLock { meanwhile in
            defer { meanwhile = nil }
            return meanwhile
        }
        try await meanwhile?()
        return value
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await engine.write(isolation: isolation, body)
    }
}
