import Core
import Foundation
import Logging
import Operations
import SignIn
import Store
import StorePostgreSQL
import StoreSQLite
import Synchronization
import TestSupport
import Testing
import WalletAuthWire
import Web

@testable import Kernel
@testable import Loyalty

/// The loyalty flows over a real engine, SQLite unless a test needs several processes, with a vendor and a clock in the test's hands,
/// and one merchant's integration.
final class LoyaltyServer: Sendable {
    static let merchant: Int64 = 10_101_010
    static let integration = "appleIntegrationIdentifier"
    static let origin = RequestOrigin(address: "192.0.2.1")

    let server: AuthorizationServer
    let loyalty: LoyaltyFlows
    let vendor: FakeVendor
    let clock: ManualClock
    private let folder: TemporaryFolder
    private let database: any Database
    private let closing: @Sendable () async -> Void
    private let settings: ServerSettings

    private convenience init(
        _ folder: TemporaryFolder, _ settings: ServerSettings, _ vendor: FakeVendor, _ clock: ManualClock
    ) async throws {
        let engine = try SQLiteDatabase.open(path: folder.path("wallet.db"))
        try await self.init(
            engine, maintenance: engine, closing: { await engine.close() }, folder, settings, vendor, clock)
    }

    private init(
        _ database: any Database, maintenance: (any DatabaseMaintenance)?,
        closing: @escaping @Sendable () async -> Void, _ folder: TemporaryFolder, _ settings: ServerSettings,
        _ vendor: FakeVendor, _ clock: ManualClock
    ) async throws {
        self.database = database
        self.closing = closing
        self.folder = folder
        self.settings = settings
        self.vendor = vendor
        self.clock = clock
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await Schema.migrate(database, now: clock.now())
        let context = try await ServerContext.open(
            database: database, maintenance: maintenance,
            masterKeys: MasterKeys(try #require(MasterKey(bytes: [UInt8](repeating: 7, count: 32)))),
            settings: settings, logger: logger, providerHTTP: ProviderHTTP { _ in throw CancellationError() },
            vendors: [vendor], dependents: [LoyaltyRows()], clock: clock)
        var server = AuthorizationServer(context: context)
        loyalty = LoyaltyFlows(server)
        server.flows = [loyalty]
        self.server = server
    }

    var context: ServerContext { server.context }

    /// An empty database with its keys, made once: an RSA key costs more time than most of the tests.
    private static let template = Task {
        let folder = try TemporaryFolder()
        let made = try await LoyaltyServer(folder, try settings(), FakeVendor(), ManualClock())
        await made.closing()
        return folder
    }

    /// The same on PostgreSQL.
    private static let sharedTemplate = Task {
        let made = try await PostgreSQLServer.shared().createDatabase()
        let server = try await process(on: made.string, FakeVendor(), ManualClock())
        await server.closing()
        return made
    }

    /// Two processes on one PostgreSQL database, with one vendor.
    static func pair<Value: Sendable>(
        _ body: (LoyaltyServer, LoyaltyServer) async throws -> Value
    ) async throws -> Value {
        let string = try await PostgreSQLServer.shared().createDatabase(copying: sharedTemplate.value).string
        let (vendor, clock) = (FakeVendor(), ManualClock())
        let first = try await process(on: string, vendor, clock)
        try await first.addIntegration()
        let second = try await process(on: string, vendor, clock)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(first, second)) } catch { outcome = .failure(error) }
        for server in [first, second] { await server.closing() }
        return try outcome.get()
    }

    /// A busy machine may stop a process, or the database's server, for longer than operators wait for either.
    private static let patience = PostgreSQLOptions(
        connections: 6, waitingTime: .minutes(10), statementTimeout: .minutes(10), lockTimeout: .minutes(10),
        idleInTransactionTimeout: .minutes(10), connectTimeout: .minutes(10), askLimit: .minutes(10))

    private static func process(
        on string: String, _ vendor: FakeVendor, _ clock: ManualClock
    ) async throws -> LoyaltyServer {
        let engine = try await PostgreSQLDatabase.join(
            string, options: patience, as: .member, report: { _ in })
        return try await LoyaltyServer(
            engine, maintenance: nil, closing: { await engine.close() }, try TemporaryFolder(), try settings(),
            vendor, clock)
    }

    private static func settings() throws -> ServerSettings {
        // A cheap hash: what is tested is who is compared, not how slowly.
        ServerSettings(
            environment: .production, issuer: try Issuer("https://auth.example.com"),
            passwordHashing: PasswordHashing(memoryKiB: 64, passes: 1))
    }

    /// A server with the page's integration.
    static func start(_ adjust: (inout ServerSettings) -> Void = { _ in }) async throws -> LoyaltyServer {
        var settings = try settings()
        adjust(&settings)
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: try await template.value.path("wallet.db"), toPath: folder.path("wallet.db"))
        let server = try await LoyaltyServer(folder, settings, FakeVendor(), ManualClock())
        try await server.addIntegration()
        return server
    }

    /// The same database under a new process's eyes, as after a kill: nothing that was only in memory is left.
    func restarted() async throws -> LoyaltyServer {
        await closing()
        return try await LoyaltyServer(folder, settings, vendor, clock)
    }

    /// Adds a provider with an integration.
    func addIntegration(
        _ integration: String = integration, of merchant: Int64 = merchant, provider: String = "apple",
        brand: String = "default", namespace: String = "team-1", cardTemplate: Int64? = 0,
        activationStore: String? = "pxweb"
    ) async throws {
        let now = clock.now()
        try await database.write { connection in
            _ = try Brands.create(
                BrandRecord(id: brand, name: brand, settings: "{}", createdAt: now), on: connection)
            _ = try IdentityProviders.add(
                IdentityProviderRecord(
                    brandID: brand, id: provider, kind: "fake", settings: namespace, secret: nil, createdAt: now),
                on: connection)
            _ = try ProviderIntegrations.add(
                ProviderIntegrationRecord(
                    merchantID: merchant, integrationID: integration, brandID: brand, providerID: provider,
                    cardTemplate: cardTemplate, activationStore: activationStore), on: connection)
        }
    }

    /// Executes an administrative command that has to succeed.
    @discardableResult
    func administer(_ command: AdminRequest) async throws -> JSONObject {
        let answer = await server.administration.execute(command)
        try #require(answer.status == .done, "\(answer.lines)")
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    /// Executes what a command does, with values instead of words; it has to succeed.
    @discardableResult
    func administer(_ body: (Administration) async throws -> AdministrationAnswer) async throws -> JSONObject {
        let administration = self.server.administration
        let answer = await administration.execute(body)
        try #require(answer.status == .done, "\(answer.lines)")
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    /// Registers an integrator's backend.
    func integrator(
        _ id: String = "integrator", _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> Integrator {
        var registration = ClientRegistration(name: "Integrator", kind: .confidential)
        registration.id = id
        registration.scopes = ["user_read", "account_read", "account_write"]
        registration.guestTokens = true
        registration.loyaltyMerchants = [Self.merchant]
        adjust(&registration)
        if !registration.guestTokens { registration.loyaltyMerchants = [] }
        let secret = try await administer { try await ClientAdministration($0).create(registration) }["clientSecret"]?
            .string
        return Integrator(server: self, id: try ClientID(id), secret: try ClientSecret(try #require(secret)))
    }

    /// Makes an account that is linked to a person at the provider.
    @discardableResult
    func guest(
        _ subject: String, username: String = "ada", password: String? = nil,
        _ adjust: (inout AccountRegistration) -> Void = { _ in }
    ) async throws -> UniqueID {
        var registration = AccountRegistration(username: username, password: password)
        adjust(&registration)
        let id = try await administer { [registration] in try await AccountAdministration($0).create(registration) }[
            "accountId"]?
            .string
        let account = try #require(id.flatMap(UniqueID.init(uuid:)))
        try await link(subject, to: account)
        return account
    }

    /// Links a person at the provider to an account.
    func link(_ subject: String, to account: UniqueID) async throws {
        let provider = try #require(
            try await context.providerVault.find(ProviderID("apple"), brand: BrandID("default")))
        let digest = provider.digest(of: subject)
        let now = clock.now()
        let sealed = try context.sealing.seal(
            Array(subject.utf8), for: .personal,
            context: "federated_identities|subject|\(Base64URL.encode(digest))")
        try await database.write { connection in
            _ = try FederatedIdentities.link(
                FederatedIdentityRecord(
                    brandID: "default", digest: digest, accountID: account, providerID: "apple", subject: sealed,
                    linkedAt: now, assertsAddress: false), on: connection)
        }
    }

    /// The claims that a scope reveals of an account.
    func userInfo(_ username: String, _ scope: String) async throws -> JSONObject {
        let (account, names) = try await database.read { connection in
            let account = try Accounts.find(named: username, brand: "default", on: connection)
            return (account, try account.map { try Accounts.names(of: $0.id, on: connection) } ?? [])
        }
        return AccountVault(context.sealing).claims(
            of: try #require(account), names: names, scope: try Scope(scope))
    }

    /// What an access token says.
    func claims(of token: AccessToken) throws -> AccessTokenClaims {
        try AccessTokenClaims(JSONValue.object(parsing: CompactJWS(token.reveal()).unverifiedPayload))
    }

    /// How many rows a table has.
    func rows(of table: String) async throws -> Int64 {
        try await database.read { try $0.row("SELECT COUNT(*) AS number FROM \(table)", [])?.integer("number") ?? 0 }
    }

    /// Changes rows.
    func change(_ sql: String) async throws {
        _ = try await database.write { try $0.execute(sql, []) }
    }

    /// Changes the schema.
    func define(_ sql: String) async throws {
        try await database.write { try $0.define(sql) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await database.read(body)
    }
}

/// An integrator's backend.
struct Integrator: Sendable {
    let server: LoyaltyServer
    let id: ClientID
    let secret: ClientSecret

    /// The same backend, whose requests arrive at another process.
    func at(_ server: LoyaltyServer) -> Integrator { Integrator(server: server, id: id, secret: secret) }

    /// What its `Authorization` header says.
    var authorization: String? { ClientAuthentication.basic(id, secret).authorizationHeader }

    func call() async throws -> LoyaltyCaller {
        try await server.loyalty.callers.call(authorization: authorization, origin: LoyaltyServer.origin).get()
    }

    /// Requests tokens by what a guest's app got from the vendor.
    func token(
        _ code: String, _ accessToken: String, nonce: String? = nil, merchant: Int64 = LoyaltyServer.merchant,
        integration: String = LoyaltyServer.integration, scope: String? = nil
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        let account = ExternalAccount(
            integration: try IntegrationID(integration), code: try ExternalAccountCode(code),
            accessToken: try AuthorizationCode(accessToken), nonce: try nonce.map { try Nonce($0) })
        return try await token(.fields(account), merchant: merchant, scope: scope)
    }

    func token(
        _ grant: GuestTokenRequest.Grant, merchant: Int64 = LoyaltyServer.merchant, scope: String? = nil
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await server.loyalty.guestTokens.issue(
            GuestTokenRequest(merchantID: merchant, scope: try scope.map { try Scope($0) }, grant: grant),
            call: call())
    }

    /// Signs a person in by a fresh token and a fresh code.
    func signIn(_ subject: String) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await token(
            server.vendor.token(of: subject, issuedAt: server.clock.now()), server.vendor.code(of: subject))
    }

    /// A person's enrollment by a fresh token and a fresh code.
    func enrollment(
        of subject: String, username: String = "ada", password: String = "correct horse battery",
        email: String? = nil, authTime: Timestamp? = nil,
        _ change: (inout LoyaltyEnrollmentRequest) throws -> Void = { _ in }
    ) throws -> LoyaltyEnrollmentRequest {
        let token = server.vendor.token(
            of: subject, issuedAt: server.clock.now(), email: email, authTime: authTime)
        var request = LoyaltyEnrollmentRequest(
            merchantID: LoyaltyServer.merchant, cardTemplateCode: 0, activationStoreCode: "pxweb",
            username: try Username(username), password: try Password(password),
            externalAccount: ExternalAccount(
                integration: try IntegrationID(LoyaltyServer.integration), code: try ExternalAccountCode(token),
                accessToken: try AuthorizationCode(
                    server.vendor.code(of: subject, email: email, authTime: authTime))))
        try change(&request)
        return request
    }

    func enroll(
        _ request: LoyaltyEnrollmentRequest
    ) async throws -> Result<LoyaltyEnrollmentResponse, LoyaltyFailure> {
        try await server.loyalty.enrollment.enroll(request, call: call())
    }
}

extension Result where Failure == LoyaltyFailure {
    /// Why it failed; `nil` where it did not.
    var code: LoyaltyErrorCode? { failure?.code }

    var failure: LoyaltyFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

/// Time that a test moves.
final class ManualClock: Clock {
    private let instant = Mutex(Timestamp(seconds: 1_800_000_000))

    func now() -> Timestamp { instant.withLock { $0 } }

    func uptime() -> Duration { now() - Timestamp(seconds: 0) }

    func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
}
