import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

/// The group's session has ended, or was replaced, before the connections that serve calls know it.
@Suite(.covers("all connections of a process go to one server")) struct EndedUnnoticed {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// An engine whose group's session has ended, which is not known yet: no session holds the lock.
    private func makeEngine(_ options: PostgreSQLOptions) async throws -> (Engine, Connecting) {
        let connecting = try Connecting(to: try await PostgreSQLServer.shared().string(), options)
        let first = try connecting.open()
        connecting.presence.begin(.random(in: .min ... .max))
        let engine = Engine(connecting)
        engine.start(with: first)
        return (engine, connecting)
    }

    @Test("A call whose connection is not proved because the group's session has just ended waits for the next session")
    func endUnnoticed() async throws {
        let (engine, connecting) = try await makeEngine(.patient(connections: 1))
        async let answer = engine.readOne()
        try await eventually("the connection to be dropped") { engine.metrics.connected == 0 }
        #expect(engine.metrics.waiting == 1)
        connecting.presence.end(because: StoreError(.unavailable, "it is away"))
        try await eventually("a connection") { engine.metrics.connected == 1 }
        let next = try GroupSession(connecting, as: .member, name: "next", isAgain: false)
        connecting.presence.begin(next.presenceKey)
        #expect(try await answer == 1)
        engine.close()
        await engine.closed()
        withExtendedLifetime(next) {}
    }

    /// An engine that has noticed that the group's session ended.
    /// - Returns: also the server's process for its connection.
    private func makeEngineWithoutSession() async throws -> (Engine, Connecting, backend: Int64) {
        let connecting = try Connecting(
            to: try await PostgreSQLServer.shared().string(), .patient(connections: 1))
        connecting.presence.end(because: StoreError(.unavailable, "it is away"))
        let first = try connecting.open()
        let backend = first.announcedBackend
        let engine = Engine(connecting)
        engine.start(with: first)
        return (engine, connecting, backend)
    }

    @Test("A call that waits for the group's session goes on once there is one")
    func awaited() async throws {
        let (engine, connecting, _) = try await makeEngineWithoutSession()
        async let answer = engine.readOne()
        try await eventually("the call to wait") { engine.metrics.waiting == 1 }
        let next = try GroupSession(connecting, as: .member, name: "next", isAgain: false)
        connecting.presence.begin(next.presenceKey)
        #expect(try await answer == 1)
        #expect(engine.metrics.lostConnections == 0)
        engine.close()
        await engine.closed()
        withExtendedLifetime(next) {}
    }

    @Test("A connection that ends while a call waits for the group's session is noticed at once, and replaced")
    func endedWhileAwaited() async throws {
        let (engine, connecting, backend) = try await makeEngineWithoutSession()
        async let answer = engine.readOne()
        try await eventually("the call to wait") { engine.metrics.waiting == 1 }
        let server = try await PostgreSQLServer.shared()
        try await server.run("SELECT pg_terminate_backend(\(backend))")
        try await eventually("the end to be noticed") { engine.metrics.lostConnections == 1 }
        try await eventually("another connection") { engine.metrics.connected == 1 }
        let next = try GroupSession(connecting, as: .member, name: "next", isAgain: false)
        connecting.presence.begin(next.presenceKey)
        #expect(try await answer == 1)
        engine.close()
        await engine.closed()
        withExtendedLifetime(next) {}
    }

    @Test("A call that waits for the group's session is refused when the engine closes")
    func closedWhileAwaited() async throws {
        let (engine, _, _) = try await makeEngineWithoutSession()
        let call = Task { try await engine.readOne() }
        try await eventually("the call to wait") { engine.metrics.waiting == 1 }
        engine.close()
        let error = await #expect(throws: StoreError.self) { try await call.value }
        #expect(error?.reason == "it is away")
        await engine.closed()
    }

    @Test("A call that only another server would serve waits for its time, and is refused with that server's name")
    func onlyAnother() async throws {
        let (engine, _) = try await makeEngine(.patient(connections: 1) { $0.waitingTime = .seconds(5) })
        let error = await #expect(throws: StoreError.self) { try await engine.readOne() }
        #expect(error?.code == .unavailable)
        let server = try await PostgreSQLServer.shared()
        #expect(
            error?.reason.contains("\(server.folder) is not the server that holds") == true, "\(error?.reason ?? "")")
        #expect(engine.metrics.expiredCalls == 1)
        engine.close()
        await engine.closed()
    }

    @Test("A write that the end of the group's session overtakes leaves nothing, and runs again once it is proved")
    func overtaken() async throws {
        try await withReplacement { engine, replace in
            let runs = LockedValue(0)
            try await engine.run(.writing(.serializable)) { connection in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try Meta.set("run \(run)", to: "value", on: connection)
                if run == 1 { replace() }
            }
            #expect(runs.withLock { $0 } == 2)
            return ["run 2"]
        }
    }

    @Test("A guarded body that is overtaken before its change runs again, and one that is overtaken after it does not")
    func overtakenGuarded() async throws {
        try await withReplacement { engine, replace in
            let runs = LockedValue(0)
            try await engine.run(.writing(.guardedStatement)) { connection in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                _ = try Meta.value("name", on: connection)
                if run == 1 { replace() }
                try Meta.set("run \(run)", to: "value", on: connection)
            }
            #expect(runs.withLock { $0 } == 2)
            return ["run 2"]
        }
        try await withReplacement { engine, replace in
            let found = try await engine.run(.writing(.guardedStatement)) { connection in
                try Meta.set("once", to: "value", on: connection)
                replace()
                return try Meta.value("once", on: connection)
            }
            #expect(found == "value")
            return ["run 2", "once"]
        }
    }

    /// Runs writes on one connection, while the group's session may be replaced by another one at the same server.
    /// - Parameter body: returns the names that are there afterwards.
    private func withReplacement(
        _ body: (Engine, @escaping @Sendable () -> Void) async throws -> Set<String>
    ) async throws {
        let server = try await PostgreSQLServer.shared()
        let database = try await server.open(scratch)
        try await Schema.migrate(database, now: .start)
        let options = PostgreSQLOptions.patient(connections: 1)
        let connecting = try Connecting(to: server.string(schema: PostgreSQLServer.schema(of: scratch)), options)
        let first = try connecting.open()
        let sessions = try (0..<2).map { number in
            try GroupSession(connecting, as: .member, name: "session \(number)", isAgain: false)
        }
        let keys = sessions.map(\.presenceKey)
        connecting.presence.begin(keys[0])
        let engine = Engine(connecting)
        engine.start(with: first)
        let expected = try await body(engine) { connecting.presence.begin(keys[1]) }
        let names = try await database.read { try $0.query("SELECT name FROM meta", []).map { try $0.text("name") } }
        #expect(Set(names) == expected)
        #expect(engine.metrics.lostConnections == 0)
        engine.close()
        await engine.closed()
        await database.close()
        withExtendedLifetime(sessions) {}
    }
}
