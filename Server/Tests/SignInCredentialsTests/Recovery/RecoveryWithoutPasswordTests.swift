import Core
import FlowSupport
import Kernel
import Store
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Recovery of an account without a password", .threat("Account enumeration"))
struct RecoveryWithoutPasswordTests {
    private static let kind = "password_recovery_without_password"

    /// Ada, whose account a provider's word opens, and her app.
    private func setUp(label: String? = "Example", verified: Bool = true) async throws -> (TestServer, TestApp) {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider, trustsEmail: true, label: label)
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: provider) {
            $0.set("email", "ada@example.com")
            $0["email_verified"] = .bool(verified)
        }.guest()
        _ = try await app.createAccount(guest)
        return (server, app)
    }

    private func mails(_ server: TestServer) async throws -> [JSONObject] {
        try await server.messages().filter { $0.kind == Self.kind }.map(\.content)
    }

    private func newest(_ server: TestServer) async throws -> MessageReader.Message {
        let reader = MessageReader(
            database: server.context.database, rendering: server.context.rendering, clock: server.clock)
        return try #require(try await reader.recent(limit: 1).first)
    }

    @Test("The mailbox gets no code, but learns how the account signs in, again if it is asked for again")
    func mail() async throws {
        let (server, app) = try await setUp()
        let asked = try await app.beginRecovery().recovery()
        #expect(try await mails(server).map { $0["to"]?.string } == ["ada@example.com"])
        let mail = try await newest(server)
        #expect(mail.subject == "Your account has no password")
        #expect(mail.text.contains("you sign in with Example.") && mail.text.contains("you don't need to do anything"))
        #expect(mail.code == nil)
        #expect(try await server.recoveryCodesSent() == 0)
        server.clock.advance(by: .seconds(31))
        _ = try await app.proceed(asked.session, .resendRecovery)
        #expect(try await mails(server).count == 2)
        #expect(try await server.rows(of: "recoveries WHERE code_expires_at > sent_at") == 0, "no code can be guessed")
    }

    @Test("A provider that no page shows is named by its id")
    func hiddenProvider() async throws {
        let (server, app) = try await setUp(label: nil)
        _ = try await app.beginRecovery().recovery()
        #expect(try await newest(server).text.contains("you sign in with example."))
    }

    @Test("A provider that is removed before the mail is delivered is named by its id")
    func removedMeanwhile() async throws {
        let (server, app) = try await setUp()
        _ = try await app.beginRecovery().recovery()
        try await server.administer(["provider", "remove", "example"])
        #expect(try await newest(server).text.contains("you sign in with example."))
    }

    @Test("No mail goes to an address that was not confirmed, or where the provider is gone: no way in is left to name")
    func silent() async throws {
        let (unconfirmed, stranger) = try await setUp(verified: false)
        _ = try await stranger.beginRecovery().recovery()
        #expect(try await mails(unconfirmed).isEmpty)
        let (server, app) = try await setUp()
        try await server.administer(["provider", "remove", "example"])
        _ = try await app.beginRecovery().recovery()
        #expect(try await mails(server).isEmpty)
    }

    @Test("attack: neither the answers nor the rows tell such an account from a name that no one has")
    func enumeration() async throws {
        let (server, app) = try await setUp()
        var seen: Set<String> = []
        for name in ["ada", "nobody"] {
            let (recoveries, messages) = (try await server.rows(of: "recoveries"), try await server.rows(of: "outbox"))
            let refusal = try #require(try await app.beginRecovery(name).refusal)
            let prompt = try #require(refusal.recovery)
            #expect(try await server.rows(of: "recoveries") == recoveries + 1)
            #expect(try await server.rows(of: "outbox") == messages + 1)
            let asked = AskedRecovery(session: try #require(refusal.session), prompt: prompt)
            var told = "\(refusal.error) \(refusal.errorCode) \(refusal.status) \(prompt)"
            for _ in 0..<6 {
                let wrong = try #require(try await app.answerRecovery("00000000", to: asked).refusal)
                told += " \(wrong.error) \(wrong.errorCode) \(wrong.status) \(wrong.session == nil)"
            }
            seen.insert(told)
        }
        #expect(seen.count == 1, "\(seen)")
    }

    @Test(
        "attack: the same statements run for an unknown name or address, and for an account with and without a password",
        arguments: ["", "@example.com"])
    func timing(domain: String) async throws {
        let (server, app) = try await setUp()
        _ = try await server.reachableAccount("eve")
        let database = StatementLog(server.context.database)
        let usual = server.flows.signIn.native.engine.checks.recoveries
        let recovery = PasswordRecovery(
            database: database, keyRing: usual.keyRing, random: usual.random, vault: usual.vault,
            auditLog: usual.auditLog, lockout: usual.lockout, limits: usual.limits, party: usual.party)
        let key = PasswordVerification.Device.key([UInt8](repeating: 7, count: 32), of: app.client.id)
        for device in [PasswordVerification.Device.cookie(nil), key] {
            var seen: [[String]] = []
            // The first one begins the counter of the network, and is not compared.
            for name in ["zoe", "nobody", "ada", "eve"] {
                let begun = try await recovery.begin(
                    Username(name + domain), brand: BrandID("default"), device: device, origin: TestServer.origin,
                    now: server.clock.now())
                guard case .begun(let id, _) = begun else {
                    Issue.record("no recovery was begun")
                    return
                }
                server.clock.advance(by: .seconds(31))
                _ = try await recovery.resend(id, now: server.clock.now())
                seen.append(database.take())
            }
            #expect(Set(seen.dropFirst()).count == 1, "\(seen)")
        }
    }

    @Test("attack: the mailbox is not flooded: these mails are as few as codes are")
    func flood() async throws {
        let (server, app) = try await setUp()
        for _ in 0..<8 { _ = try await TestApp(client: app.client).beginRecovery().recovery() }
        #expect(try await mails(server).count == 3)
    }
}
