import Core
import Foundation
import Logging
import Store
import StoreSQLite
import Synchronization
import TestSupport
import Testing
import WalletAuthWire

@testable import Apple
@testable import Kernel
@testable import Operations
@testable import SignIn

/// A server with Apple as a provider, on the real engine, with time that the test moves.
final class AppleServer: Sendable {
    let context: ServerContext
    let apple: TestApple
    let flows: AppleFlows
    let server: AuthorizationServer
    private let database: SQLiteDatabase
    private let counted: CountingDatabase
    private let folder: TemporaryFolder

    /// How often the database was read.
    var reads: Int { counted.reads }

    var clock: ManualClock { apple.clock }

    static func start(
        environment: ServerSettings.Environment = .sandbox, addsProvider: Bool = true,
        settings adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> AppleServer {
        let apple = try await TestApple.make()
        var settings = ServerSettings(
            environment: environment, issuer: try Issuer("https://auth.example.com"),
            passwordHashing: PasswordHashing(memoryKiB: 64, passes: 1))
        adjust(&settings)
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: try await template.value.path(file), toPath: folder.path(file))
        let server = try await AppleServer(apple: apple, settings: settings, folder: folder)
        if addsProvider { try await server.add() }
        return server
    }

    private static let file = "wallet.db"

    /// An empty database with its keys, made once.
    private static let template = Task {
        let folder = try TemporaryFolder()
        let settings = ServerSettings(
            environment: .sandbox, issuer: try Issuer("https://auth.example.com"),
            passwordHashing: PasswordHashing(memoryKiB: 64, passes: 1))
        let server = try await AppleServer(
            apple: try await TestApple.make(), settings: settings, folder: folder)
        await server.database.close()
        return folder
    }

    var administration: Administration { server.administration }

    private init(apple: TestApple, settings: ServerSettings, folder: TemporaryFolder) async throws {
        self.apple = apple
        self.folder = folder
        database = try SQLiteDatabase.open(path: folder.path(Self.file))
        counted = CountingDatabase(database)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await Schema.migrate(database, now: apple.clock.now())
        context = try await ServerContext.open(
            database: counted, maintenance: database,
            masterKeys: MasterKeys(try #require(MasterKey(bytes: [UInt8](repeating: 7, count: 32)))),
            settings: settings,
            logger: logger, providerHTTP: apple.http, vendors: [AppleVendor()], dependents: [AppleRows()],
            clock: apple.clock)
        flows = AppleFlows(context: context)
        var server = AuthorizationServer(context: context)
        server.flows = [flows]
        self.server = server
    }

    // MARK: Operators

    /// What an operator says about Apple where nothing is wrong with it.
    func registration(_ id: String = "apple") -> AppleRegistration {
        var registration = AppleRegistration(
            id: id, teamID: TestApple.teamID, keyID: TestApple.keyID, privateKey: apple.keyFile,
            clientIDs: [TestApple.app])
        registration.servicesID = TestApple.servicesID
        return registration
    }

    func add(_ id: String = "apple", _ change: (inout AppleRegistration) -> Void = { _ in }) async throws {
        var registration = registration(id)
        change(&registration)
        try await administer { [registration] in try await self.add(registration, in: $0) }
        apple.forgetRequests()
    }

    func add(
        _ registration: AppleRegistration, in administration: Administration
    ) async throws -> AdministrationAnswer {
        try await NewAppleProviders(administration).add(registration)
    }

    @discardableResult
    func administer(_ command: AdminRequest) async throws -> JSONObject {
        let answer = await administration.execute(command)
        try #require(answer.status == .done, "\(answer.lines)")
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    /// Executes what a command does, with values instead of words; it has to succeed.
    @discardableResult
    func administer(_ body: (Administration) async throws -> AdministrationAnswer) async throws -> JSONObject {
        let administration = self.administration
        let answer = await administration.execute(body)
        try #require(answer.status == .done, "\(answer.lines)")
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    // MARK: Sign-ins

    /// The provider as a sign-in reads it.
    func provider(_ id: String = "apple", brand: String = "default") async throws -> AppleProvider {
        try #require(try await registered(id, brand: brand).vendor as? AppleProvider)
    }

    func registered(_ id: String = "apple", brand: String = "default") async throws -> IdentityProvider {
        try #require(try await context.providerVault.find(ProviderID(id), brand: BrandID(brand)))
    }

    func call(_ id: String = "apple", brand: String = "default") async throws -> VendorCall {
        VendorCall(
            to: try await registered(id, brand: brand), by: context.providerAccess, now: clock.now())
    }

    func verify(_ token: IDToken, nonce: String?, at id: String = "apple") async throws -> ProvenIdentity? {
        try await provider(id).verify(token, nonce: nonce.map { try Nonce($0) }, call: call(id))?.identity
    }

    func redeem(
        _ code: AuthorizationCode, redirectURI: String? = nil, idToken: IDToken? = nil, nonce: String? = nil,
        brand: String = "default"
    ) async throws -> ProvenIdentity? {
        try await redemption(of: code, redirectURI: redirectURI, idToken: idToken, nonce: nonce, brand: brand).identity
    }

    func redemption(
        of code: AuthorizationCode, redirectURI: String? = nil, idToken: IDToken? = nil, nonce: String? = nil,
        brand: String = "default"
    ) async throws -> VendorRedemption {
        try await provider(brand: brand).redeem(
            VendorCode(code: code, redirectURI: redirectURI, verifier: nil, idToken: idToken),
            nonce: nonce.map { try Nonce($0) }, call: call(brand: brand))
    }

    // MARK: People

    /// An account that a person is linked to who has just signed in by Apple with a code.
    func person(
        _ subject: String = "001.a", username: String = "ada", brand: String = "default", password: String? = nil,
        email: String? = nil, clientID: String = TestApple.app
    ) async throws -> UniqueID {
        var registration = AccountRegistration(username: username, password: password)
        registration.brand = brand
        registration.email = email ?? "\(username)@example.com"
        registration.emailVerified = email != nil
        let made = try await administer { try await AccountAdministration($0).create(registration) }
        let account = try #require(UniqueID(uuid: try made.string("accountId") ?? ""))
        let digest = try await provider(brand: brand).digest(of: subject)
        let identity = FederatedIdentityRecord(
            brandID: brand, digest: digest, accountID: account, providerID: "apple",
            subject: try IdentityVault(context.sealing).seal(subject, .subject, of: digest),
            linkedAt: clock.now(), assertsAddress: false)
        let isLinked = try await context.database.write { try FederatedIdentities.link(identity, on: $0) }
        try #require(isLinked)
        try await signIn(subject, brand: brand, clientID: clientID)
        return account
    }

    /// Signs in with a code, as far as the provider takes part in it.
    func signIn(
        _ subject: String = "001.a", brand: String = "default", clientID: String = TestApple.app
    ) async throws {
        // The token that comes with a code says for which app it is.
        let identity = try #require(
            try await redeem(
                apple.code(for: subject, clientID: clientID, nonce: nil),
                idToken: apple.token(subject, clientID: clientID, nonce: nil), brand: brand))
        try await keep(identity, brand: brand)
    }

    /// The write that signs in.
    func keep(_ identity: ProvenIdentity, brand: String = "default") async throws {
        let (provider, call) = (try await provider(brand: brand), try await call(brand: brand))
        let grant = try #require(identity.grant)
        try await context.database.write { try provider.keep(grant, of: identity.digest, call: call, on: $0) }
    }

    /// A person who has no account redeems a code, as far as the server remembers that.
    func guest(_ subject: String = "001.a") async throws {
        let identity = try #require(try await redeem(apple.code(for: subject, nonce: nil)))
        let attempts = server.signIn.federation.guestAttempts
        let counter = try await attempts.counter(of: .codes, by: identity.digest, .token, at: registered())
        let wait = try await attempts.reserve([counter], now: clock.now())
        try #require(wait == nil)
        let isKept = try await attempts.succeed(counter, as: identity, now: clock.now())
        try #require(isKept)
    }

    /// What becomes of a sign-in on a page that Apple vouched for.
    func settle(_ identity: ProvenIdentity) async throws -> FederatedAttempts.Settlement {
        let attempts = server.signIn.federation.signIn.attempts
        let counters = try attempts.counters(
            ofPage: RequestOrigin(address: "192.0.2.1"), in: nil, now: clock.now())
        guard case .ask = try await attempts.reserve(counters, now: clock.now()) else { return .unavailable }
        return try await attempts.settle(counters, by: .proved(identity), of: registered(), now: clock.now())
    }

    func grant(_ subject: String = "001.a", brand: String = "default") async throws -> AppleGrantRecord? {
        let digest = try await provider(brand: brand).digest(of: subject)
        return try await context.database.read { try AppleGrants.find(digest, brand: brand, on: $0) }
    }

    func isLinked(_ subject: String = "001.a", brand: String = "default") async throws -> Bool {
        let digest = try await provider(brand: brand).digest(of: subject)
        return try await context.database.read { try FederatedIdentities.find(digest, brand: brand, on: $0) } != nil
    }

    /// A session of an account.
    func openSession(of account: UniqueID, methods: String) async throws -> UniqueID {
        let now = clock.now()
        let id = try context.random.timeOrderedID(now)
        if try await context.database.read({ try Clients.find("app", on: $0) }) == nil {
            var client = ClientRegistration(name: "App", kind: .public)
            client.id = "app"
            client.redirectURIs = ["https://app.example.com/callback"]
            client.scopes = ["openid"]
            try await administer { try await ClientAdministration($0).create(client) }
        }
        let isOpen = try await context.database.write { connection in
            let version = try Accounts.find(account, on: connection)?.securityVersion ?? 0
            return try Sessions.open(
                NewSession(
                    id: id, accountID: account, clientID: "app", grantedTo: nil, dpopThumbprint: nil,
                    secret: [UInt8](repeating: 1, count: 16), macKeyID: 1, scope: "openid", audience: "a", acr: nil,
                    amr: methods, authTime: now, countsUntil: now + .minutes(5), securityVersion: version,
                    merchantID: nil, createdAt: now, expiresAt: now + .days(30), absoluteExpiresAt: now + .days(90)),
                on: connection)
        }
        try #require(isOpen)
        return id
    }

    func isAlive(_ session: UniqueID) async throws -> Bool {
        let now = clock.now()
        return try await context.database.read { try Sessions.living(session, now: now, on: $0) } != nil
    }

    /// The kinds of messages that wait for an account's holder.
    func messages(to account: UniqueID) async throws -> [String] {
        try await context.database.read { try Outbox.recent(limit: 100, on: $0) }
            .filter { $0.accountID == account }.map(\.kind)
    }

    /// The kinds of an account's events, the newest first.
    func events(of account: UniqueID) async throws -> [String] {
        try await context.database.read {
            try SecurityEvents.list(of: account, before: nil, limit: 100, on: $0)
        }.map(\.kind)
    }
}

/// The real engine, which counts its reads.
final class CountingDatabase: Database {
    private let engine: any Database
    private let counter = Mutex(0)

    init(_ engine: any Database) { self.engine = engine }

    var reads: Int { counter.withLock { $0 } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        counter.withLock { $0 += 1 }
        return try await engine.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await engine.write(body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await engine.write(isolation: isolation, body)
    }
}
