import Core
import Foundation
import Hummingbird
import HummingbirdTesting
import Kernel
import Logging
import Operations
import Store
import StoreSQLite
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP

/// The real flows on a database in a folder of its own, served by the real program's construction.
struct TestServer: Sendable {
    static let issuer = "http://127.0.0.1:8700"

    let features: Features
    let log: LogRecorder
    let folder: URL
    private let database: SQLiteDatabase

    private static let file = "test.db"

    var server: AuthorizationServer { features.server }

    /// The database's file.
    var databaseFile: String { folder.appending(path: Self.file).path }

    /// As when its disk goes away.
    func closeDatabase() async { await database.close() }

    /// Opens a server, runs a test against it and removes its folder.
    static func use(
        issuer: String = issuer, environment: ServerSettings.Environment = .sandbox,
        providers: ProviderHTTP = .guarded, vendors: [any ProviderVendor] = [],
        clock: any Core.Clock = SystemClock(), sleep: @escaping CommittedChanges.Sleep = CommittedChanges.passingTime,
        settings adjust: (inout ServerSettings) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        // A cheap hash: how slowly passwords are compared is tested elsewhere.
        var settings = ServerSettings(
            environment: environment, issuer: try Issuer(issuer),
            passwordHashing: PasswordHashing(memoryKiB: 64, passes: 1))
        adjust(&settings)
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: Self.file)
        let template = try await ServerTemplates.shared.folder(for: settings)
        try FileManager.default.copyItem(at: template.appending(path: Self.file), to: file)
        let log = LogRecorder()
        let database = try SQLiteDatabase.open(path: file.path)
        let context = try await ServerContext.open(
            database: database, maintenance: database, masterKeys: try Self.masterKeys(), settings: settings,
            logger: Logger(label: "flows") { _ in log.handler }, providerHTTP: providers, vendors: vendors,
            dependents: Features.dependentRows, clock: clock, sleep: sleep)
        try await body(
            TestServer(features: Features(context: context), log: log, folder: folder, database: database))
        await database.close()
    }

    private static func makeFolder() throws -> URL {
        let folder = ProcessFolder.onDisk.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func masterKeys() throws -> MasterKeys {
        MasterKeys(try #require(MasterKey(bytes: [UInt8](repeating: 7, count: 32))))
    }

    /// Empty databases with their keys, each made once: an RSA key costs more time than most of the tests.
    private actor ServerTemplates {
        static let shared = ServerTemplates()

        private var folders: [String: Task<URL, any Error>] = [:]

        /// The folder of a database for the environment and the issuer of these settings.
        func folder(for settings: ServerSettings) async throws -> URL {
            let name = "\(settings.environment.rawValue) \(settings.issuer.rawValue)"
            if let folder = folders[name] { return try await folder.value }
            let making = Task {
                let folder = try TestServer.makeFolder()
                let database = try SQLiteDatabase.open(path: folder.appending(path: TestServer.file).path)
                try await Schema.migrate(database, now: SystemClock().now())
                _ = try await ServerContext.open(
                    database: database, maintenance: database, masterKeys: try TestServer.masterKeys(),
                    settings: settings, logger: Logger(label: "template") { _ in LogRecorder().handler },
                    dependents: Features.dependentRows)
                await database.close()
                return folder
            }
            folders[name] = making
            return try await making.value
        }
    }

    /// Serves it and runs a test with a client.
    func serve<Value>(
        _ setup: TestingSetup = .live, at listener: Listener = .everyone, drain: Drain = Drain(),
        _ configure: (inout HTTPConfiguration) -> Void = { _ in },
        _ test: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        var configuration = HTTPConfiguration(address: ListenAddress(host: "127.0.0.1", port: 0))
        configure(&configuration)
        let logger = Logger(label: "http") { _ in log.handler }
        return try await HTTPServer(
            features: features, configuration: configuration, drain: drain, logger: logger
        ).application(listener).test(setup, test)
    }

    /// The test's client as a proxy that ends TLS.
    static let behindLocalProxy: @Sendable (inout HTTPConfiguration) -> Void = {
        $0.trustedProxies = ["127.0.0.1", "::1"].compactMap(AddressRange.init)
    }

    /// Opens and serves at once, for tests that need nothing else.
    static func serve(
        issuer: String = issuer, environment: ServerSettings.Environment = .sandbox,
        _ configure: @Sendable (inout HTTPConfiguration) -> Void = { _ in },
        _ test: @Sendable (TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await use(issuer: issuer, environment: environment) { server in
            try await server.serve(.live, configure) { client in try await test(server, client) }
        }
    }

    func makePublicClient(_ id: String = "wallet", _ change: (inout ClientRegistration) -> Void = { _ in }) async throws
    {
        var registration = ClientRegistration(name: "Aurora Wallet", kind: .public)
        registration.id = id
        registration.redirectURIs = ["https://app.example.com/callback"]
        registration.scopes = ["openid", "profile", "offline_access"]
        registration.firstParty = true
        change(&registration)
        try await execute { try await ClientAdministration($0).create(registration) }
    }

    /// A first-party client that may do without DPoP.
    func makeBearerClient() async throws {
        try await makePublicClient { $0.requiresDPoP = false }
    }

    /// - Returns: the client's secret.
    func makeBackend(_ id: String = "backend", _ change: (inout ClientRegistration) -> Void = { _ in }) async throws
        -> String
    {
        var registration = ClientRegistration(name: "Backend", kind: .confidential)
        registration.id = id
        registration.scopes = ["wallet_operations"]
        change(&registration)
        let answer = try await execute { try await ClientAdministration($0).create(registration) }
        let json = try JSONValue.object(parsing: Array(answer.json.utf8))
        return try #require(json["clientSecret"]?.string)
    }

    /// Makes a client that proves itself by a key of its own.
    func makeKeyClient(_ id: String, keys: String) async throws {
        var registration = ClientRegistration(name: "Backend", kind: .confidential)
        registration.id = id
        registration.scopes = ["wallet_operations"]
        registration.authenticationMethod = "private_key_jwt"
        registration.keySet = keys
        try await execute { try await ClientAdministration($0).create(registration) }
    }

    func makeAccount(_ username: String = "maria", password: String = "correct horse battery") async throws {
        try await execute {
            try await AccountAdministration($0).create(AccountRegistration(username: username, password: password))
        }
    }

    @discardableResult
    func execute(_ command: AdminRequest) async throws -> AdministrationAnswer {
        let answer = await server.administration.execute(command)
        try #require(answer.status == .done, "\(answer.lines)")
        return answer
    }

    /// Executes what a command does, with values instead of words; it has to succeed.
    @discardableResult
    func execute(_ body: (Administration) async throws -> AdministrationAnswer) async throws
        -> AdministrationAnswer
    {
        let administration = server.administration
        let answer = await administration.execute(body)
        try #require(answer.status == .done, "\(answer.lines)")
        return answer
    }
}
