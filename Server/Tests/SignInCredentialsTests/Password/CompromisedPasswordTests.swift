import Core
import FlowSupport
import Store
import Synchronization
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Passwords that others know")
struct CompromisedPasswordTests {
    private static let old = "correct horse battery"
    private static let new = "a fresh phrase 7"

    /// A server with a list, and an account whose password was not in it when it was chosen.
    private func scene(
        _ list: TestBreachList = TestBreachList(), minimumCount: Int = 1
    ) async throws -> (TestServer, TestApp) {
        let server = try await TestServer.start(breaches: list.lists(minimumCount: minimumCount))
        _ = try await server.account()
        return (server, TestApp(client: try await server.publicClient()))
    }

    /// Gives the account a password that could not be chosen, as one that came from another system has it.
    private func give(_ password: String, at server: TestServer) async throws {
        let id = try #require(try await server.accountID().flatMap { UniqueID(bytes: $0.bytes) })
        let slot = try #require(server.context.passwords.slot(for: .administrator))
        let hash = try await server.context.passwords.hash(Password(password), in: slot)
        let sealed = try AccountVault(server.context.sealing).seal(hash, .password, of: id)
        let now = server.clock.now()
        _ = try await server.context.database.write { connection in
            try Accounts.changePassword(of: id, to: sealed, expecting: 1, now: now, on: connection)
        }
    }

    private func events(at server: TestServer) async throws -> [String] {
        try await server.context.database.read { connection in
            try connection.query(
                "SELECT details FROM security_events WHERE kind = 'account.password_expired' LIMIT 9", []
            ).map { try $0.text("details") }
        }
    }

    @Test("A password of the bundled list has to be changed after it was right, without any list configured")
    func common() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        try await give("starwars1977", at: server)
        let app = TestApp(client: try await server.publicClient())
        #expect(try await app.signIn(password: "starwars1978").errorCode == "invalid_credentials")
        #expect(try await events(at: server).isEmpty)
        let refusal = try #require(try await app.signIn(password: "starwars1977").refusal)
        #expect(refusal.errorCode == "password_change_required")
        #expect(refusal.statusCode == 508)
        let session = try #require(refusal.session)
        _ = try await app.proceed(session, .newPassword(Password(Self.new))).code()
        _ = try await app.signIn(password: Self.new).code()
        let details = try await events(at: server)
        #expect(details.count == 1)
        #expect(details.first?.contains("common") ?? false)
    }

    @Test(
        "A password that was stolen since has to be changed: sessions end, and the holder is notified once"
    )
    func stolen() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        let session = try await app.becomeKnown()
        list.steal(Self.old)
        server.clock.advance(by: .days(1))
        let refusal = try #require(try await app.signIn().refusal)
        #expect(refusal.errorCode == "password_change_required")
        #expect(try await app.signIn().errorCode == "password_change_required")
        #expect(try await server.messages().count { $0.kind == "password_expired" } == 1)
        let details = try await events(at: server)
        #expect(details.count == 1)
        #expect(details.first?.contains("breached") ?? false)
        let renewed = try await app.client.refresh(try #require(session.refreshToken), proof: app.key)
        #expect(throws: (any Error).self) { try renewed.tokens() }
        let open = try #require(refusal.session)
        _ = try await app.proceed(open, .newPassword(Password(Self.new))).code()
    }

    @Test("On the page as well, where a stolen one is not taken as the new one")
    func page() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        list.steal(Self.old)
        list.steal("another phrase 8")
        let browser = TestBrowser(server)
        let page = try await browser.signIn(app.client.request()).page()
        #expect(page.step == .newPassword)
        let again = try await browser.submit(page, .setPassword(Password("another phrase 8"))).page()
        #expect(again.notice == .passwordUnacceptable(.breached))
        _ = try await browser.submit(again, .setPassword(Password(Self.new))).code()
    }

    @Test("attack: a guess does not make the server query a list, and expires nothing")
    func guesses() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        list.steal("a wrong one")
        let before = list.asked
        for _ in 0..<7 { _ = try await app.signIn(password: "a wrong one") }
        _ = try await app.signIn("nobody", password: "a wrong one")
        // By now even the right one is refused, and looked for nowhere.
        #expect(try await app.signIn().errorCode == "invalid_credentials")
        #expect(list.asked == before)
        let id = try #require(try await server.accountID())
        #expect(try await server.record(of: id)?.passwordState == .current)
    }

    @Test("A list is asked once a day for an account, and not at every sign-in; a new password resets that")
    func daily() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        #expect(list.asked == 1)
        for _ in 0..<3 { _ = try await app.signIn().code() }
        #expect(list.asked == 2)
        server.clock.advance(by: .hours(24))
        for _ in 0..<3 { _ = try await app.signIn().code() }
        #expect(list.asked == 3)
        try await server.administer(AdminRequest(["account", "set-password", "ada"], input: Self.new))
        _ = try await app.signIn(password: Self.new).code()
        #expect(list.asked == 5)
    }

    @Test(
        "Race: a search that ends after the password was changed does not expire the new one",
        .threat("Compromised passwords")
    )
    func race() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        list.steal(Self.old)
        list.meanwhile {
            try await server.administer(AdminRequest(["account", "set-password", "ada"], input: Self.new))
        }
        #expect(try await app.signIn().errorCode == "invalid_credentials")
        let id = try #require(try await server.accountID())
        #expect(try await server.record(of: id)?.passwordState == .current)
        #expect(try await server.messages().allSatisfy { $0.kind != "password_expired" })
        _ = try await app.signIn(password: Self.new).code()
    }

    @Test("Each of several parallel sign-ins is asked for a new password, and the holder is notified once")
    func parallel() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        list.steal(Self.old)
        let codes = try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { try await app.signIn().errorCode } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: "password_change_required", count: 4))
        #expect(try await server.messages().count { $0.kind == "password_expired" } == 1)
    }

    /// The same database at a process whose hashes cost more, so that the next right password is rehashed.
    private func dearer(_ server: TestServer, _ list: TestBreachList? = nil) async throws -> (TestServer, TestApp) {
        let dearer = try await server.restarted(breaches: list?.lists() ?? BreachLists()) {
            $0.passwordHashing = PasswordHashing(memoryKiB: 128, passes: 1)
        }
        return (dearer, TestApp(client: try await dearer.publicClient("later")))
    }

    @Test(
        "A rehash by the same sign-in does not hide that the password is common, for one sign-in or four")
    func upgraded() async throws {
        for count in [1, 4] {
            let first = try await TestServer.start()
            let id = try await first.account()
            try await give("starwars1977", at: first)
            let (server, app) = try await dearer(first)
            let before = try await server.record(of: id)
            let codes = try await withThrowingTaskGroup { group in
                for _ in 0..<count { group.addTask { try await app.signIn(password: "starwars1977").errorCode } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == Array(repeating: "password_change_required", count: count))
            let after = try await server.record(of: id)
            #expect(after?.password != before?.password, "the password was rehashed")
            #expect(try await server.messages().count { $0.kind == "password_expired" } == 1)
        }
    }

    @Test("Race: a rehash while the list is asked does not change the finding; a new password does")
    func upgradedMeanwhile() async throws {
        let list = TestBreachList()
        let (first, _) = try await scene(list)
        let id = try #require(try await first.accountID())
        let (server, app) = try await dearer(first, list)
        // In parallel with this sign-in's own, another one's.
        list.meanwhile { _ = try await app.signIn() }
        _ = try await app.signIn().code()
        #expect(try await server.record(of: id)?.passwordCheckedAt == server.clock.now())
        server.clock.advance(by: .days(1))
        list.meanwhile {
            try await server.administer(AdminRequest(["account", "set-password", "ada"], input: Self.new))
        }
        #expect(try await app.signIn().errorCode == "invalid_credentials")
        // That another password was not found says nothing of this one.
        #expect(try await server.record(of: id)?.passwordCheckedAt == nil)
    }

    @Test(
        "A list that does not respond stops no sign-in, is left alone for a while, and is then queried again"
    )
    func down() async throws {
        let list = TestBreachList()
        let server = try await scene(list).0.restarted(breaches: list.lists(deadline: .seconds(2)))
        let app = TestApp(client: try await server.publicClient("later"))
        list.steal(Self.old)
        let isGivenUp = Mutex(false)
        list.meanwhile {
            do { try await hangUntilCancelled() } catch {
                isGivenUp.withLock { $0 = true }
                throw error
            }
        }
        _ = try await app.signIn().code()
        let wasGivenUp = try await becomesTrue { isGivenUp.withLock { $0 } }
        #expect(wasGivenUp)
        _ = try await app.signIn().code()
        let metrics = try #require(server.flows.context.breaches.metrics.first)
        #expect(metrics.failed == 1)
        #expect(metrics.skipped == 1)
        // A busy machine may take longer than the list has, and the list is left alone again.
        var (failures, code) = (UInt64(0), String?.none)
        while let failed = server.flows.context.breaches.metrics.first?.failed, failed > failures {
            failures = failed
            server.clock.advance(by: .seconds(30))
            code = try await app.signIn().errorCode
        }
        #expect(code == "password_change_required")
        #expect(server.flows.context.breaches.metrics.first?.found == 1)
    }

    @Test("While the lists are down a new password is held against the rules and the bundled list alone")
    func newWhileDown() async throws {
        struct Down: Error {}
        let list = TestBreachList()
        let (server, _) = try await scene(list)
        list.steal(Self.new)
        list.meanwhile { throw Down() }
        let ada = AccountReference.username("ada", brand: nil)
        let common = await server.flows.administration.execute(
            AdminRequest(["account", "set-password"] + ada.words, input: "starwars1977"))
        #expect(common.status != .done)
        try await server.administer(AdminRequest(["account", "set-password"] + ada.words, input: Self.new))
    }

    @Test("A password counts as stolen from the configured number of times on")
    func minimum() async throws {
        let list = TestBreachList()
        let (_, app) = try await scene(list, minimumCount: 10)
        list.steal(Self.old, count: 9)
        _ = try await app.signIn().code()
        let other = TestBreachList()
        let (_, second) = try await scene(other, minimumCount: 10)
        other.steal(Self.old, count: 10)
        #expect(try await second.signIn().errorCode == "password_change_required")
    }

    @Test("attack: the second factor comes before the new password, even if the old one was stolen")
    func secondFactor() async throws {
        let list = TestBreachList()
        let server = try await TestServer.start(breaches: list.lists())
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        list.steal(Self.old)
        let asked = try await app.signIn().asked()
        let next = try await app.answer(server.sentCode(), to: asked)
        #expect(next.errorCode == "password_change_required")
        let session = try #require(next.refusal?.session)
        _ = try await app.proceed(session, .newPassword(Password(Self.new))).code()
    }

    @Test("A stolen password is not taken by an operator's command, nor from an app")
    func notTaken() async throws {
        let list = TestBreachList()
        let (server, app) = try await scene(list)
        list.steal("another phrase 8")
        let account = AccountRegistration(username: "grace", password: "another phrase 8")
        let administration = server.flows.administration
        let answer = await administration.execute { try await AccountAdministration($0).create(account) }
        #expect(answer.status != .done)
        #expect(answer.json.contains("password_breached"))
        try await server.administer(["account", "expire-password", "ada"])
        let session = try #require(try await app.signIn().refusal?.session)
        let outcome = try await app.proceed(session, .newPassword(Password("another phrase 8")))
        guard case .refused(.passwordUnacceptable(_, .breached)) = outcome else {
            Issue.record("the password was taken: \(String(describing: outcome))")
            return
        }
    }
}
