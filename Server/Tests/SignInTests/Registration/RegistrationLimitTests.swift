import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("What newcomers who have to wait cost and learn", .threat("Account enumeration"))
struct RegistrationLimitTests {
    private static let brand = BrandSettings.defaultBrand

    /// A brand with registration, and a holder with a confirmed address.
    private func setUp(_ adjust: (inout ServerSettings) -> Void = { _ in }) async throws -> TestServer {
        let server = try await TestServer.start(adjust)
        try await server.administer(["brand", "update", Self.brand, "--registration", "on"])
        _ = try await server.reachableAccount("maria")
        return server
    }

    /// The server's registrations, on a database that remembers the statements.
    private func watched(_ server: TestServer) -> (Registrations, StatementLog) {
        let log = StatementLog(server.context.database)
        let usual = server.flows.signIn.native.registrations
        let registrations = Registrations(
            database: log, sealing: usual.sealing, auditLog: usual.auditLog, lockout: usual.lockout,
            limits: usual.limits, undeliverable: usual.undeliverable, addresses: usual.addresses,
            passwords: usual.passwords, compromised: usual.compromised, passkeys: usual.passkeys)
        return (registrations, log)
    }

    private func begin(
        _ address: String, with registrations: Registrations, at server: TestServer
    ) async throws -> Registrations.Beginning {
        try await registrations.begin(
            .email(try EmailAddress(address)), brand: try BrandID(Self.brand), origin: TestServer.origin,
            now: server.clock.now())
    }

    @Test("attack: the same statements run for an address that has an account and for one that has none")
    func statements() async throws {
        let server = try await setUp()
        let (registrations, log) = watched(server)
        var seen: [[String]] = []
        // The first one begins the counter of the network, and is not compared.
        for address in ["zoe@example.com", "eve@example.com", "maria@example.com"] {
            guard case .begun(_, sent: true, resendAfter: _) = try await begin(address, with: registrations, at: server)
            else {
                Issue.record("\(address)")
                return
            }
            seen.append(log.take())
        }
        #expect(Set(seen.dropFirst()).count == 1, "\(seen)")
        #expect(seen.joined().contains { $0.contains("account_digests") })
    }

    @Test("attack: a network that has to wait has no address looked up, whose time it could measure without end")
    func heldNetwork() async throws {
        let server = try await setUp { $0.lockout.network.recoveries = 2 }
        let (registrations, log) = watched(server)
        for address in ["zoe@example.com", "eve@example.com"] {
            _ = try await begin(address, with: registrations, at: server)
        }
        _ = log.take()
        for address in ["ada@example.com", "maria@example.com"] {
            guard case .held = try await begin(address, with: registrations, at: server) else {
                Issue.record("\(address)")
                return
            }
            #expect(!log.take().contains { $0.contains("account_digests") }, "\(address)")
        }
    }

    @Test("attack: a network that has to wait has nothing hashed at the end of a registration")
    func heldEnd() async throws {
        let server = try await setUp { $0.lockout.network.failures = 5 }
        let registrations = server.flows.signIn.native.registrations
        let random = server.context.random
        let begun = Registrations.Begun(
            id: try random.uniqueID().uuid, account: try random.uniqueID().uuid,
            address: .email(try EmailAddress("ada@example.com")), brand: try BrandID(Self.brand),
            grant: try random.uniqueID().uuid, provenAt: server.clock.now())
        func finish(_ name: String) async throws -> Registrations.Finish {
            let details = Registrations.Details(
                username: try Username(name), credential: .password(try Password("a phrase of my own 7")),
                client: try ClientID("wallet"), origin: TestServer.origin)
            return try await registrations.finish(begun, details, now: server.clock.now())
        }
        for _ in 0..<5 {
            guard case .nameTaken = try await finish("maria") else {
                Issue.record("the name is taken")
                return
            }
        }
        let hashes = server.context.passwords.hashesComputed
        for name in ["maria", "ada"] {
            guard case .held = try await finish(name) else {
                Issue.record("\(name)")
                return
            }
        }
        #expect(server.context.passwords.hashesComputed == hashes)
    }
}
