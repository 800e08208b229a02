import Core
import TestSupport
import Testing

@testable package import Kernel

/// Two processes on one PostgreSQL database, each of which follows the other's notices.
package struct TwoProcesses: Sendable {
    package let first: TestServer
    package let second: TestServer
    /// The database's connection string.
    package let string: String

    package var clock: ManualClock { first.clock }

    /// Starts both, and ends them after the body. The audit log has to verify then, as both wrote it.
    /// - Parameters:
    ///   - isTold: whether they get each other's notices.
    ///   - masterKeys: those that the first and the second were given.
    ///   - providers: what answers in the place of identity providers.
    ///   - vendors: makes the vendors of a process.
    ///   - body: what happens meanwhile.
    package static func run<Value: Sendable>(
        isTold: Bool = true, masterKeys: (first: MasterKeys?, second: MasterKeys?) = (nil, nil),
        providers: ProviderHTTP = TestServer.nobody, vendors: () -> [any ProviderVendor] = { [] },
        _ body: (TwoProcesses) async throws -> Value
    ) async throws -> Value {
        let string = try await database()
        let clock = ManualClock()
        // Without notices, a request that waits looks again every few seconds, and only then.
        let sleep = isTold ? CommittedChanges.stoppedTime : CommittedChanges.timeForLooks
        let first = try await TestServer.process(
            on: string, clock: clock, masterKeys: masterKeys.first, providers: providers, vendors: vendors(),
            sleep: sleep)
        let second: TestServer
        do {
            second = try await TestServer.process(
                on: string, clock: clock, masterKeys: masterKeys.second, providers: providers, vendors: vendors(),
                sleep: sleep)
        } catch {
            await first.close()
            throw error
        }
        var following: [Task<Void, Never>] = []
        let outcome: Result<Value, any Error>
        do {
            for server in isTold ? [first, second] : [] { following.append(try await follow(server)) }
            let value = try await body(TwoProcesses(first: first, second: second, string: string))
            #expect(try await second.verifyAudit().findings.isEmpty)
            outcome = .success(value)
        } catch {
            outcome = .failure(error)
        }
        for task in following { task.cancel() }
        for server in [first, second] { await server.close() }
        return try outcome.get()
    }

    /// Has a process follow the other. Without a notice, not even its keys are reloaded.
    private static func follow(_ server: TestServer) async throws -> Task<Void, Never> {
        let begun = server.context.changes.stream(of: [try server.context.random.uniqueID()])
        let following = Task { await server.context.followOtherProcesses(keysGoodFor: .hours(24)) }
        // It forgets everything as it begins, and wakes those that wait.
        for await _ in begun { break }
        return following
    }

    /// The connection string of a new database that has its keys.
    package static func database() async throws -> String {
        try await PostgreSQLServer.shared().createDatabase(copying: template.value).string
    }

    /// Made once: an RSA key costs more time than most of the tests.
    private static let template = Task {
        let made = try await PostgreSQLServer.shared().createDatabase()
        let server = try await TestServer.process(on: made.string, clock: ManualClock())
        await server.close()
        return made
    }
}

/// How many processes serve a test's database.
package enum Deployment: CaseIterable, Sendable {
    /// One, on SQLite.
    case single
    /// Two, on PostgreSQL.
    case pair

    /// How often a race is run. Where one request has to overtake another between its look and its write, a test does not rely on luck:
    /// ``TestServer/beforeNextWrite(_:)`` brings it about.
    package static let rounds = 100

    /// How often a race is run by which someone would get in, or take what is not theirs.
    package static let attackRounds = 500

    /// Runs a body with the server where each of two requests arrives.
    package func run<Value: Sendable>(
        providers: ProviderHTTP = TestServer.nobody, _ body: (TestServer, TestServer) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .single:
            let server = try await TestServer.start(providers: providers)
            return try await body(server, server)
        case .pair:
            return try await TwoProcesses.run(providers: providers) { try await body($0.first, $0.second) }
        }
    }
}

/// Waits for a condition that another process brings about. Only a test that fails reaches the limit.
package func becomesTrue(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try await condition()
}
