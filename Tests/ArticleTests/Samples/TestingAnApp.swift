import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct ExampleWorld {
    let clock = ManualClock()
    let server: ScriptedServer
    let store = InMemoryStore()
    let keys = InMemoryDeviceKeys()

    init() {
        server = ScriptedServer(clock: clock)
        server.addPerson("ada", password: "correct horse")
    }

    /// The ports of the device; hand them to two wallets, and they are two processes of one app.
    var ports: Wallet.Ports {
        Wallet.Ports(
            transport: server, store: store, userAgent: server.browser(of: "ada"), keys: keys,
            presence: ScriptedUserPresence(), time: clock)
    }

    func wallet(_ ports: Wallet.Ports) throws -> Wallet {
        let redirectURI = try #require(URL(string: "https://app.example.com/callback"))
        return try Wallet(
            configuration: .init(
                environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: redirectURI), ports: ports))
    }
}

struct ExampleAppTests {
    @Test("A renewal whose answer is lost does not sign out")
    func lostAnswer() async throws {
        let world = ExampleWorld()
        let wallet = try world.wallet(world.ports)
        try await wallet.setUp()

        world.clock.advance(by: .seconds(301))
        world.server.inject(.loseAnswer, at: "/oauth2/token")
        async let token = wallet.accessToken()
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(2))

        _ = try await token
        #expect(wallet.isLoggedIn)
        #expect(world.server.sessions.count == 1)
    }

    @Test("An app that is killed in the middle of a renewal goes on at its next start")
    func killed() async throws {
        let world = ExampleWorld()
        let first = SimulatedProcess(world.ports)
        let wallet = try world.wallet(first.ports)
        try await wallet.setUp()

        first.kill(at: .afterSending(to: "/oauth2/token"))
        await #expect(throws: (any Error).self) { try await wallet.refresh() }

        let second = SimulatedProcess(world.ports)
        #expect(try await world.wallet(second.ports).setUp() == .restored)
        #expect(world.server.sessions.count { $0.endedBecause == nil } == 1)
    }

    @Test("A locked keychain is reported as such, and the person stays signed in")
    func lockedStore() async throws {
        let world = ExampleWorld()
        try await world.wallet(world.ports).setUp()

        world.store.condition = .locked
        let restarted = try world.wallet(world.ports)
        await #expect {
            try await restarted.setUp()
        } throws: { error in
            (error as? WalletError)?.outcome == .storeUnavailable(.locked)
        }

        world.store.condition = .working
        #expect(try await restarted.setUp() == .restored)
    }

    @Test("A payment goes through by the code that the person types, once")
    func payment() async throws {
        let world = ExampleWorld()
        world.server.addPerson("ada", password: "correct horse", subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        let transfer = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
            payee: Payee(name: "Dune Bakery", account: "DE02120300000000202051"))
        world.server.requireConsent(.init(transfer, by: [.sms], code: "123456"), at: "/payments")
        let wallet = try world.wallet(world.ports)
        try await wallet.setUp()

        var request = URLRequest(url: ScriptedServer.defaultIssuer.appending(path: "payments"))
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        let (_, response) = try await wallet.perform(request) { _ in .code("123456") }
        #expect(response.statusCode == 201)
        #expect(world.server.consents.map(\.carriedOut) == [1])
    }
}

extension ExampleWorld {
    /// The sample of `ScriptedServer`.
    static func portsOfAServer() -> Wallet.Ports {
        let clock = ManualClock()
        let server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: "correct horse")
        let ports = Wallet.Ports(
            transport: server, store: InMemoryStore(), userAgent: server.browser(of: "alice"),
            keys: InMemoryDeviceKeys(), presence: ScriptedUserPresence(), time: clock)
        return ports
    }

    /// The sample of `SimulatedProcess`.
    static func twoProcesses(
        of device: Wallet.Ports, _ configuration: (Wallet.Ports) -> Wallet.Configuration
    ) async -> SimulatedProcess {
        let first = SimulatedProcess(device)
        first.kill(at: .afterSending(to: "/oauth2/token"))
        _ = try? await Wallet(configuration: configuration(first.ports)).refresh()
        let second = SimulatedProcess(device)
        return second
    }
}
