import Apple
import Consent
package import Core
import Foundation
import Logging
import Loyalty
import Store
import StorePostgreSQL
import StoreSQLite
import Synchronization
import TestSupport
import Testing
import Transactions
package import WalletAuthWire

@testable package import Kernel
@testable package import Operations

/// The flows over a real engine, SQLite unless a test needs several processes, with time that the test moves.
package final class TestServer: Sendable {
    package static let origin = RequestOrigin(address: "192.0.2.1", traceID: "00000000000000000000000000000001")

    package let flows: AuthorizationServer
    package let clock: ManualClock
    private let database: TestDatabase
    private let folder: TemporaryFolder
    private let settings: ServerSettings

    private init(
        flows: AuthorizationServer, clock: ManualClock, database: TestDatabase, folder: TemporaryFolder,
        settings: ServerSettings
    ) {
        self.flows = flows
        self.clock = clock
        self.database = database
        self.folder = folder
        self.settings = settings
    }

    /// A server with an empty database.
    /// - Parameters:
    ///   - providers: what answers in the place of identity providers; nothing unless a test sets it.
    ///   - vendors: the vendors of providers; none unless a test gives one.
    ///   - breaches: the lists of stolen passwords; none unless a test gives one.
    ///   - adjust: changes the settings before the start.
    package static func start(
        providers: ProviderHTTP = TestServer.nobody, vendors: [any ProviderVendor] = [],
        breaches: BreachLists = BreachLists(), _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestServer {
        var settings = try usualSettings()
        adjust(&settings)
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try await template.value.path(file), toPath: folder.path(file))
        return try await start(
            settings, in: folder, clock: ManualClock(), epoch: 0, providers: providers, vendors: vendors,
            breaches: breaches)
    }

    /// Master keys, each made of one byte. The databases of these tests were created with 7.
    package static func masterKeys(_ bytes: UInt8...) throws -> MasterKeys {
        let keys = try (bytes.isEmpty ? [7] : bytes).map { byte in
            try #require(MasterKey(bytes: [UInt8](repeating: byte, count: 32)))
        }
        return MasterKeys(keys[0], others: Array(keys.dropFirst()))
    }

    /// No provider answers.
    package static let nobody = ProviderHTTP { _ in throw CancellationError() }

    private static let file = "wallet.db"

    /// An empty database with its keys, made once: an RSA key costs more time than most of the tests.
    private static let template = Task {
        let folder = try TemporaryFolder()
        let server = try await start(try usualSettings(), in: folder, clock: ManualClock(), epoch: 0)
        await server.database.close()
        return folder
    }

    private static func usualSettings() throws -> ServerSettings {
        // A cheap hash: what is tested is who is compared, not how slowly.
        ServerSettings(
            environment: .sandbox, issuer: try Issuer("https://auth.example.com"),
            passwordHashing: PasswordHashing(memoryKiB: 64, passes: 1))
    }

    /// A process on a PostgreSQL database, together with others.
    /// - Parameters:
    ///   - string: the database's connection string.
    ///   - clock: the time, which all processes on a database share.
    ///   - archive: where it keeps checkpoints of the audit log.
    ///   - providers: what answers in the place of identity providers.
    ///   - vendors: the vendors of providers; none unless a test gives one.
    ///   - masterKeys: those it was given.
    ///   - sleep: lets time pass for requests that wait for a change. Usually none passes.
    package static func process(
        on string: String, clock: ManualClock, archive: (any AuditCheckpointArchive)? = nil,
        masterKeys: MasterKeys? = nil,
        providers: ProviderHTTP = TestServer.nobody, vendors: [any ProviderVendor] = [],
        sleep: @escaping CommittedChanges.Sleep = CommittedChanges.stoppedTime
    ) async throws -> TestServer {
        let engine = try await PostgreSQLDatabase.join(
            string, options: patience, as: .member, report: { _ in })
        return try await start(
            try usualSettings(), on: TestDatabase(engine, close: { await engine.close() }), maintenance: nil,
            in: try TemporaryFolder(), clock: clock, epoch: 0, masterKeys: masterKeys, providers: providers,
            vendors: vendors, archive: archive, sleep: sleep)
    }

    /// A busy machine may stop a process, or the database's server, for longer than operators wait for either.
    private static let patience = PostgreSQLOptions(
        connections: 6, waitingTime: .minutes(10), statementTimeout: .minutes(10), lockTimeout: .minutes(10),
        idleInTransactionTimeout: .minutes(10), connectTimeout: .minutes(10), askLimit: .minutes(10))

    /// The same database under a new process's eyes: nothing that was only in memory is left.
    /// - Parameters:
    ///   - epoch: the number of restores that the operator's machine knows of.
    ///   - masterKeys: those that the new process is given.
    ///   - copy: the path of a backup that takes the database's place.
    ///   - archive: where the new process keeps checkpoints of the audit log.
    ///   - providers: what answers in the place of identity providers.
    ///   - breaches: the lists of stolen passwords that the new process asks.
    ///   - adjust: changes the settings for the new process.
    package func restarted(
        epoch: Int64 = 0, masterKeys: MasterKeys? = nil, from copy: String? = nil,
        archive: (any AuditCheckpointArchive)? = nil,
        providers: ProviderHTTP = TestServer.nobody, breaches: BreachLists = BreachLists(),
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestServer {
        await database.close()
        if let copy {
            try FileManager.default.removeItem(atPath: path(Self.file))
            try FileManager.default.copyItem(atPath: copy, toPath: path(Self.file))
        }
        var settings = settings
        adjust(&settings)
        return try await Self.start(
            settings, in: folder, clock: clock, epoch: epoch, masterKeys: masterKeys, providers: providers,
            breaches: breaches, archive: archive)
    }

    private static func start(
        _ settings: ServerSettings, in folder: TemporaryFolder, clock: ManualClock, epoch: Int64,
        masterKeys: MasterKeys? = nil, providers: ProviderHTTP = TestServer.nobody, vendors: [any ProviderVendor] = [],
        breaches: BreachLists = BreachLists(), archive: (any AuditCheckpointArchive)? = nil
    ) async throws -> TestServer {
        let engine = try SQLiteDatabase.open(path: folder.path(file))
        do {
            return try await start(
                settings, on: TestDatabase(engine, close: { await engine.close() }), maintenance: engine, in: folder,
                clock: clock, epoch: epoch, masterKeys: masterKeys, providers: providers, vendors: vendors,
                breaches: breaches, archive: archive)
        } catch {
            await engine.close()
            throw error
        }
    }

    private static func start(
        _ settings: ServerSettings, on database: TestDatabase, maintenance: (any DatabaseMaintenance)?,
        in folder: TemporaryFolder, clock: ManualClock, epoch: Int64, masterKeys: MasterKeys? = nil,
        providers: ProviderHTTP = TestServer.nobody, vendors: [any ProviderVendor] = [],
        breaches: BreachLists = BreachLists(), archive: (any AuditCheckpointArchive)? = nil,
        sleep: @escaping CommittedChanges.Sleep = CommittedChanges.stoppedTime
    ) async throws -> TestServer {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await Schema.migrate(database, now: clock.now())
        let context = try await ServerContext.open(
            database: database, maintenance: maintenance, masterKeys: try masterKeys ?? Self.masterKeys(), epoch: epoch,
            checkpoints: archive, settings: settings, logger: logger, providerHTTP: providers, vendors: vendors,
            dependents: [AnyOperationRows(), TransactionRows(), AppleRows(), LoyaltyRows()], breaches: breaches,
            clock: clock, sleep: sleep)
        return TestServer(
            flows: AuthorizationServer(context: context), clock: clock, database: database, folder: folder,
            settings: settings)
    }

    package var context: ServerContext { flows.context }

    /// Ends the process. It answers nothing from then on.
    package func close() async { await database.close() }

    /// Has something happen right before the next write: what another request or an operator does in that moment.
    package func beforeNextWrite(_ body: @escaping @Sendable () async throws -> Void) { database.beforeNextWrite(body) }

    /// Has the next write run twice: the commit of the first run fails, and something happens before the second.
    package func undoNextWrite(_ body: @escaping @Sendable () async throws -> Void) { database.undoNextWrite(body) }

    /// How many writes there were.
    package var writes: Int { database.writes }

    /// Has the clock of the database's server differ.
    package func setDatabaseClock(aheadBy lead: Duration) { database.lead.withLock { $0 = lead } }

    /// A path next to the database.
    package func path(_ name: String) -> String { folder.path(name) }

    /// Executes an administrative command that has to succeed.
    @discardableResult
    package func administer(_ command: AdminRequest) async throws -> JSONObject {
        let answer = await flows.administration.execute(command)
        guard answer.status == .done else { throw Refused(line: answer.lines.joined(separator: " ")) }
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    /// Executes what a command does, with values instead of words; it has to succeed.
    @discardableResult
    package func administer(_ body: (Administration) async throws -> AdministrationAnswer) async throws -> JSONObject {
        let administration = flows.administration
        let answer = await administration.execute(body)
        guard answer.status == .done else { throw Refused(line: answer.lines.joined(separator: " ")) }
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    /// An administrative command that had to succeed did not.
    package struct Refused: Error {
        package let line: String

        package init(line: String) { self.line = line }
    }
}

/// The real engine, and what a test has happen at the next write: before it, between what a flow read and what it writes, or
/// between two of its runs.
final class TestDatabase: Database {
    private enum Meanwhile: Sendable {
        case before(@Sendable () async throws -> Void)
        case betweenRuns(@Sendable () async throws -> Void)
    }

    /// Undoes a run, as an engine does whose commit failed.
    private struct NotCommitted: Error {}

    private let engine: any Database
    /// Closes the engine.
    let close: @Sendable () async -> Void
    private let meanwhile = Mutex<Meanwhile?>(nil)
    private let written = Mutex(0)
    /// How far the clock of the database's server is ahead. Tests move the time, so the server's own says nothing.
    let lead = Mutex(Duration.zero)

    /// How many writes there were.
    var writes: Int { written.withLock { $0 } }

    init(_ engine: any Database, close: @escaping @Sendable () async -> Void) {
        self.engine = engine
        self.close = close
    }

    var group: (any ProcessGroup)? { engine.group }

    func clockDifference(from clock: any Core.Clock) async throws -> Duration? { lead.withLock { $0 } }

    /// What happens before the next write begins; its own writes are none of these.
    func beforeNextWrite(_ body: @escaping @Sendable () async throws -> Void) {
        meanwhile.withLock { $0 = .before(body) }
    }

    /// What happens after the first run of the next write was undone, and before its second; its own writes are none of these.
    func undoNextWrite(_ body: @escaping @Sendable () async throws -> Void) {
        meanwhile.withLock { $0 = .betweenRuns(body) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await engine.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        let meanwhile = meanwhile.withLock { meanwhile in
            defer { meanwhile = nil }
            return meanwhile
        }
        switch meanwhile {
        case nil: break
        case .before(let happen): try await happen()
        case .betweenRuns(let happen):
            do {
                try await engine.write { connection -> Void in
                    _ = try body(connection)
                    throw NotCommitted()
                }
            } catch is NotCommitted {}
            try await happen()
        }
        written.withLock { $0 += 1 }
        return try await engine.write(isolation: isolation, body)
    }
}

/// Time that passes only when a test moves it.
package final class ManualClock: Clock {
    private let instant: Mutex<Timestamp>
    /// How far the wall clock was set ahead.
    private let lead = Mutex(Duration.zero)

    package init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
        instant = Mutex(start)
    }

    package func now() -> Timestamp { instant.withLock { $0 } + lead.withLock { $0 } }

    package func uptime() -> Duration { instant.withLock { $0 } - Timestamp(seconds: 0) }

    package func advance(by duration: Duration) {
        instant.withLock { $0 = $0 + duration }
    }

    /// Sets the wall clock, while no time passes.
    package func leap(by duration: Duration) {
        lead.withLock { $0 += duration }
    }
}
