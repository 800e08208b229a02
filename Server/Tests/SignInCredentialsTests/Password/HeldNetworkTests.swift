import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// Ada and Eve of `example.com`, and a network whose attempts are used up.
@Suite("A held network", .threat("Account enumeration"))
struct HeldNetworkTests {
    private static let addresses = ["ada@example.com", "zoe@example.com"]

    private func setUp() async throws -> (server: TestServer, app: TestApp) {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
        _ = try await server.reachableAccount("ada")
        _ = try await server.reachableAccount("eve")
        return (server, TestApp(client: try await server.publicClient()))
    }

    private func isNetworkHeld(_ refusal: CredentialRefusal?) -> Bool {
        if case .networkHeld = refusal { true } else { false }
    }

    /// The password check, with a log of its statements.
    private func watched(_ server: TestServer) -> (PasswordVerification, StatementLog) {
        let log = StatementLog(server.context.database)
        let usual = server.flows.signIn.native.engine.checks.passwords
        let addresses = AddressAttempts(database: log, keyRing: usual.keyRing, lockout: usual.lockout)
        let passwords = PasswordVerification(
            database: log, keyRing: usual.keyRing, vault: usual.vault, passwords: usual.passwords,
            lockout: usual.lockout, addresses: addresses, failures: usual.failures, compromised: usual.compromised,
            adoption: usual.adoption)
        return (passwords, log)
    }

    @Test("attack: a held password attempt reads no account by address, whichever address it is")
    func passwords() async throws {
        let (server, app) = try await setUp()
        let eve = try await server.context.database.read { try Accounts.find(named: "eve", brand: "default", on: $0) }
        for number in 0..<5 { _ = try await TestApp(client: app.client).signIn("nobody\(number)") }
        let (passwords, log) = watched(server)
        let now = server.clock.now()
        let entry = KnownDeviceCookie.SignedIn(
            account: try #require(eve).id.uuid, at: now, linkedAt: nil, knownAt: now, typedAt: now)
        let cookie = KnownDeviceCookie(device: "browser", accounts: [entry])
        let key = PasswordVerification.Device.key([UInt8](repeating: 7, count: 32), of: app.client.id)
        for device in [PasswordVerification.Device.cookie(nil), .cookie(cookie), key] {
            var seen: Set<[String]> = []
            for address in Self.addresses {
                let outcome = try await passwords.verify(
                    Password("a wrong one"), username: Username(address), brand: BrandID("default"), device: device,
                    origin: TestServer.origin, now: now)
                guard case .refused(let refusal) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(isNetworkHeld(refusal))
                seen.insert(log.take())
            }
            #expect(seen.count == 1, "\(seen)")
            if case .cookie = device {
                #expect(!seen.joined().contains { $0.contains("account_digests") }, "\(seen)")
            }
        }
    }

    @Test("attack: a held recovery reads no account by address")
    func recoveries() async throws {
        let (server, _) = try await setUp()
        let log = StatementLog(server.context.database)
        let usual = server.flows.signIn.native.engine.checks.recoveries
        let recovery = PasswordRecovery(
            database: log, keyRing: usual.keyRing, random: usual.random, vault: usual.vault,
            auditLog: usual.auditLog, lockout: usual.lockout, limits: usual.limits, party: usual.party)
        var isHeld = false
        for number in 0..<500 where !isHeld {
            let begun = try await recovery.begin(
                Username("nobody\(number)"), brand: BrandID("default"), device: .cookie(nil), origin: TestServer.origin,
                now: server.clock.now())
            if case .networkHeld = begun { isHeld = true }
        }
        #expect(isHeld)
        _ = log.take()
        var seen: Set<[String]> = []
        for address in Self.addresses {
            let begun = try await recovery.begin(
                Username(address), brand: BrandID("default"), device: .cookie(nil), origin: TestServer.origin,
                now: server.clock.now())
            guard case .networkHeld = begun else {
                Issue.record("\(begun)")
                return
            }
            seen.insert(log.take())
        }
        #expect(seen.count == 1, "\(seen)")
        #expect(!seen.joined().contains { $0.contains("account") }, "\(seen)")
    }

    @Test("A known device behind a held network signs in by address")
    func knownDevice() async throws {
        let (server, _) = try await setUp()
        let client = try await server.publicClient("another")
        let holder = TestApp(client: client)
        let asked = try await holder.signIn("ada").asked()
        _ = try await holder.redeem(holder.answer(server.sentCode(), to: asked).code()).tokens()
        server.clock.advance(by: .minutes(1))
        for number in 0..<5 { _ = try await TestApp(client: client).signIn("nobody\(number)") }
        let held = try await TestApp(client: client).signIn("ada@example.com").refusal
        #expect(held?.status == 429)
        let again = try await holder.signIn("ADA@example.com")
        #expect(again.refusal?.status != 429)
    }
}
