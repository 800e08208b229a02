import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// Ada and Bob of `example.com`, in a brand whose accounts may share addresses.
@Suite("Signing in with an e-mail address", .threat("Account enumeration"))
struct AddressSignInTests {
    private func setUp() async throws -> (server: TestServer, app: TestApp) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount("ada")
        return (server, TestApp(client: try await server.publicClient()))
    }

    @Test(
        "A confirmed address signs in like the name, on the page and in an app",
        arguments: ["ada@example.com", "ADA@Example.COM", " ada@example.com "])
    func signsIn(typed: String) async throws {
        let (server, app) = try await setUp()
        let asked = try await app.signIn(typed).asked()
        _ = try await app.answer(try await server.sentCode(), to: asked).code()
        server.clock.advance(by: .minutes(1))
        let browser = TestBrowser(server)
        let page = try await browser.signIn(app.client.request(), typed).page()
        _ = try await browser.submit(page, .answerFactor(Password(server.sentCode()))).code()
    }

    @Test("A confirmed address begins a recovery, on the page and in an app")
    func recovers() async throws {
        let (server, app) = try await setUp()
        _ = try await app.recoverByCode("ada@example.com").passwordSession()
        server.clock.advance(by: .minutes(1))
        let browser = TestBrowser(server)
        let begun = try await browser.open(app.client.request()).page()
        _ = try await browser.submit(begun, .recover(username: "Ada@example.com")).page()
        #expect(try await server.recoveryCodesSent() == 2)
    }

    @Test("A confirmed address signs in with an account PIN")
    func byPIN() async throws {
        let (server, client, _) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        let browser = TestBrowser(server)
        let wrong = try await browser.signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN, "ada@example.com")
        #expect(try wrong.page().notice == .invalidCredentials)
        // The right PIN leads on: to the code, or to the app.
        let right = try await browser.signIn(client.requestByPIN(), byPIN: TestServer.pin, "ada@example.com")
        if case .page(let page) = right { #expect(page.notice == nil) } else { _ = try right.code() }
    }

    @Test("An address that two accounts have signs in to neither, and is answered like an unknown one; the names work")
    func shared() async throws {
        let (server, app) = try await setUp()
        _ = try await server.account("bob") {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let before = server.context.passwords.hashesComputed
        var told: Set<String> = []
        for address in ["ada@example.com", "zoe@example.com"] {
            let refusal = try #require(try await app.signIn(address).refusal)
            told.insert("\(refusal.error) \(refusal.errorCode) \(refusal.status)")
        }
        #expect(told.count == 1)
        #expect(server.context.passwords.hashesComputed - before == 2)
        _ = try await app.signIn("ada").asked()
    }

    @Test("A recovery by an address that two accounts have sends no code, and mails their usernames within the limits")
    func sharedRecovery() async throws {
        let (server, app) = try await setUp()
        _ = try await server.account("bob") {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        for _ in 0..<8 { _ = try await TestApp(client: app.client).beginRecovery("ada@example.com").recovery() }
        #expect(try await server.recoveryCodesSent() == 0)
        let sent = try await server.messages().filter { $0.kind == "password_recovery_shared_address" }
        #expect(sent.map { $0.content["to"]?.string } == Array(repeating: "ada@example.com", count: 3))
        let reader = MessageReader(
            database: server.context.database, rendering: server.context.rendering, clock: server.clock)
        let mails = try await reader.recent(limit: 20)
        #expect(mails.contains { $0.text.contains("ada, bob.") && $0.code == nil })
        #expect(try await server.rows(of: "recoveries WHERE code_expires_at > sent_at") == 0, "no code can be guessed")
    }

    @Test("attack: an address that no one confirmed, or of another brand, signs in to no account")
    func unconfirmed() async throws {
        let (server, app) = try await setUp()
        _ = try await server.account("mallory") { $0.email = "mallory@example.com" }
        #expect(try await app.signIn("mallory@example.com").errorCode == "invalid_credentials")
        try await server.administer(["brand", "create", "other", "--name", "Other"])
        _ = try await server.account("eve") {
            $0.brand = "other"
            $0.email = "eve@example.com"
            $0.emailVerified = true
        }
        #expect(try await app.signIn("eve@example.com").errorCode == "invalid_credentials")
    }

    @Test("attack: sixty accounts that entered someone's address without confirming it do not hide its holder")
    func manyUnconfirmed() async throws {
        let (server, app) = try await setUp()
        let (vault, sealing) = (AccountVault(server.context.sealing), server.context.sealing)
        for number in 0..<60 {
            // Ids before the holder's in order, so that a limit on the digests' rows reaches none but these.
            let id = try #require(UniqueID(bytes: [UInt8](repeating: 0, count: 15) + [UInt8(number)]))
            let account = AccountRecord(
                id: id, brandID: "default", password: nil, passwordState: .none, passwordChangedAt: nil,
                email: try vault.seal("ada@example.com", .email, of: id), emailState: .unverified,
                createdAt: server.clock.now())
            let digests = try AccountDigests(of: account, names: [], sealing: sealing)
            let created = try await server.context.database.write {
                try Accounts.create(account, named: "guest\(number)", digests: digests, on: $0)
            }
            #expect(created == .created)
        }
        let asked = try await app.signIn("ada@example.com").asked()
        _ = try await app.answer(try await server.sentCode(), to: asked).code()
        _ = try await app.recoverByCode("ada@example.com").passwordSession()
        let (brand, now) = (try BrandID("default"), server.clock.now())
        let address = RegistrationAddress.email(try EmailAddress("ada@example.com"))
        let holders = try await server.context.database.read { connection in
            try address.holders(in: brand, sealing: sealing, now: now, on: connection)
                .flatMap { try Accounts.names(of: $0.id, on: connection) }
        }
        #expect(holders == ["ada"])
    }

    @Test("A user name comes before an address")
    func nameFirst() async throws {
        let (server, app) = try await setUp()
        _ = try await server.account("ada@example.com", password: "another good password")
        #expect(try await app.signIn("ada@example.com").errorCode == "invalid_credentials")
        _ = try await app.signIn("ada@example.com", password: "another good password").code()
    }

    @Test("attack: guesses by address and by name count together")
    func guesses() async throws {
        let (server, app) = try await setUp()
        for number in 0..<5 {
            let name = number.isMultiple(of: 2) ? "ada@example.com" : "ada"
            #expect(try await app.signIn(name, password: "a wrong one").errorCode == "invalid_credentials")
        }
        for name in ["ada", "ada@example.com"] {
            #expect(try await app.signIn(name).errorCode == "invalid_credentials")
        }
        server.clock.advance(by: .minutes(2))
        _ = try await app.signIn("ada@example.com").asked()
    }
}
