import Kernel
import Logging
import NIOCore
import Operations
import Store
import Testing
import WalletAuthWire

@testable import SignIn
@testable import walletauth

@Suite("What the doctor says of passkeys", .covers("passkeys of a former domain"))
struct PasskeyFindingsTests {
    let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let (former, present) = ("https://auth.example.com", "https://id.example.com")

    private func flags(_ issuer: String) throws -> SettingFlags {
        try SettingFlags(
            taking: Settings.all,
            from: ["--database", "sqlite:\(folder.path("walletauth.db"))", "--port", "0", "--issuer", issuer])
    }

    private func configuration(_ issuer: String) async throws -> ServerConfiguration {
        try await ServerConfiguration.read(for: .administering, flags: flags(issuer), environment: [:])
    }

    private func findings(under issuer: String) async throws -> [Finding] {
        await Doctor(flags: try flags(issuer), environment: [:], patience: .minutes(5)).examine()
            .filter { $0.subject == "passkeys" }
    }

    /// A database of the issuer `https://auth.example.com`, and Ada, who has a passkey there.
    private func furnish(_ configuration: ServerConfiguration) async throws {
        let channel = AdministrationChannel(configuration: configuration)
        _ = try await channel.answer(to: ["database", "migrate"], for: .migrates)
        let made = try await channel.answer(to: ["account", "create", "ada"])
        try #require(made.status == .done)
        let owned = try await OwnedDatabase.open(configuration)
        try await owned.belong(to: Issuer(Self.former))
        let id = try #require(UniqueID(uuid: "018f0000-0000-7000-8000-000000000001"))
        let now = SystemClock().now()
        let added = try await owned.database.write { connection in
            let ada = try #require(try Accounts.find(named: "ada", brand: "default", on: connection))
            let passkey = PasskeyRecord(
                id: id, credentialID: [UInt8](repeating: 7, count: 32), accountID: ada.id,
                relyingParty: "auth.example.com", publicKey: [1], counter: 0, isBackupEligible: true, isBackedUp: true,
                transports: ["internal"], name: [1], createdAt: now, coolingUntil: now)
            return try Passkeys.add(passkey, limit: 20, on: connection)
        }
        #expect(added == .added)
        await owned.close()
    }

    /// Runs a body while a server answers on the socket and listens nowhere else.
    private func serving(_ configuration: ServerConfiguration, _ body: () async throws -> Void) async throws {
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let socket = AdminSocket(
            path: configuration.adminSocketPath, administration: opened.server.administration,
            status: ServerStatus(version: "test", processIdentifier: 1, environment: .sandbox, issuer: "http://x"),
            logger: logger)
        try await socket.serving(logger: logger) { try await body() }
        await opened.close()
    }

    @Test(
        "Those of a former domain no longer open anything: they are reported with the number of holders, with or without a server"
    )
    func formerDomain() async throws {
        let configuration = try await configuration(Self.former)
        try await furnish(configuration)
        let before = try await findings(under: Self.former)
        #expect(before == [])
        let channel = AdministrationChannel(configuration: configuration)
        let changed = try await channel.answer(to: ["database", "change-issuer", Self.present])
        try #require(changed.status == .done)

        let stopped = try await findings(under: Self.present)
        #expect(stopped.map(\.status) == [.warn])
        let detail = try #require(stopped.first?.detail)
        #expect(detail.contains("auth.example.com") && detail.contains("(passkeys: 1, accounts: 1)"), "\(detail)")
        try await serving(self.configuration(Self.present)) {
            let running = try await findings(under: Self.present)
            #expect(running == stopped)
        }
    }
}
