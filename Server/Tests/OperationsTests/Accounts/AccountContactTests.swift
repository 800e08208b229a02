import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "An operator changes an address or a phone number", .threat("A changed mailbox or number"),
    .covers("account set-email, account set-phone"))
struct AccountContactTests {
    private static let ada = AccountReference.username("ada", brand: nil)
    private static let phone = "+359888123456"

    private func setUp(phone: String? = nil) async throws -> (server: TestServer, app: TestApp, account: AccountID) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount(phone: phone)
        return (server, TestApp(client: try await server.publicClient()), account)
    }

    private static func refusal(_ server: TestServer, _ command: AdminRequest) async throws -> String? {
        let answer = await server.flows.administration.execute(command)
        return answer.refusal?.code
    }

    private static func refusalLine(_ server: TestServer, _ command: AdminRequest) async -> String {
        await server.flows.administration.execute(command).lines.joined()
    }

    private static func events(_ server: TestServer, of account: AccountID) async throws -> [SecurityEvent] {
        let id = try #require(UniqueID(bytes: account.bytes))
        return try await server.context.database.read { try SecurityEvents.list(of: id, limit: 100, on: $0) }
    }

    /// To whom messages of a kind go, sorted.
    private static func recipients(_ kind: String, at server: TestServer) async throws -> [String] {
        try await server.messages().filter { $0.kind == kind }.compactMap { try $0.content.string("to") }.sorted()
    }

    @Test("The message about a new address names the user name, so that its reader knows which of their accounts it is")
    func nameInMessage() async throws {
        let (server, _, _) = try await setUp()
        try await server.administer(
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com"]))
        let reader = try #require(server.flows.messages)
        let mail = try #require(try await reader.recent(limit: 10).first { $0.kind == "email_changed" })
        #expect(mail.text.contains("Username: ada\n"))
    }

    @Test("A new address is unconfirmed unless the operator vouches for it, and sessions go on")
    func sessionsGoOn() async throws {
        let (server, app, _) = try await setUp()
        var tokens = try await app.redeem(app.signInWithCode().code()).tokens()
        let unverified = try await server.administer(
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com"]))
        #expect(unverified["email"]?.string == "new@example.com")
        #expect(unverified["emailState"]?.string == "unverified")
        tokens = try await app.client.refresh(try #require(tokens.refreshToken), proof: app.key).tokens()
        let verified = try await server.administer(
            AdminRequest(
                ["account", "set-email"] + Self.ada.words + ["--email", "newer@example.com", "--verified"]))
        #expect(verified["emailState"]?.string == "verified")
        let number = try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", "+359 888 123-456"]))
        #expect(number["phone"]?.string == Self.phone)
        #expect(number["phoneState"]?.string == "unverified")
        let known = try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", "+359888654321", "--verified"]))
        #expect(known["phoneState"]?.string == "verified")
        let replaced = try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", Self.phone]))
        #expect(replaced["phoneState"]?.string == "unverified")
        _ = try await app.client.refresh(try #require(tokens.refreshToken), proof: app.key).tokens()
    }

    @Test("Browsers sign in again, and the answer says so")
    func browsers() async throws {
        let (server, app, account) = try await setUp()
        let id = try #require(UniqueID(bytes: account.bytes))
        for words in [
            ["set-email", "ada", "--email", "new@example.com", "--verified"],
            ["set-phone", "ada", "--phone", Self.phone],
        ] {
            let browser = TestBrowser(server)
            let page = try await browser.signIn(app.client.request()).page()
            _ = try await browser.submit(page, .answerFactor(Password(server.sentCode()))).code()
            #expect(try await sessions(of: id, server) == 1)
            let answer = await server.flows.administration.execute(AdminRequest(["account"] + words))
            #expect(
                answer.lines.first?.hasSuffix("; apps stay signed in, and browsers sign in again.") == true,
                "\(answer.lines)")
            #expect(try await sessions(of: id, server) == 0)
            server.clock.advance(by: .minutes(1))
        }
    }

    private func sessions(of account: UniqueID, _ server: TestServer) async throws -> Int {
        let now = server.clock.now()
        return try await server.context.database.read {
            try BrowserSessions.living(of: account, now: now, limit: 9, on: $0).count
        }
    }

    @Test("The old address, the new one and the phone are notified, in words that name none of them")
    func notified() async throws {
        let (server, _, _) = try await setUp(phone: Self.phone)
        try await server.administer(
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com"]))
        let changed = try await Self.recipients("email_changed", at: server)
        #expect(changed == [Self.phone, "ada@example.com", "new@example.com"])
        try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", "+359888654321"]))
        let number = try await Self.recipients("phone_changed", at: server)
        #expect(number == [Self.phone, "+359888654321", "new@example.com"])
        try await server.administer(AdminRequest(["account", "set-email"] + Self.ada.words + ["--remove"]))
        let removed = try await Self.recipients("email_removed", at: server)
        #expect(removed == ["+359888654321", "new@example.com"])
        try await server.administer(AdminRequest(["account", "set-phone"] + Self.ada.words + ["--remove"]))
        let last = try await Self.recipients("phone_removed", at: server)
        #expect(last == ["+359888654321"])
        let messages = try await server.messages()
        #expect(messages.allSatisfy { $0.content.members.map { $0.name } == ["to"] })
    }

    @Test("A new mailbox that another account confirmed learns which username to sign in with")
    func shared() async throws {
        let (server, _, _) = try await setUp(phone: Self.phone)
        _ = try await server.reachableAccount("bob")
        _ = try await server.account("eve") { $0.email = "eve@example.com" }
        for address in ["eve@example.com", "bob@example.com"] {
            try await server.administer(
                AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", address]))
            #expect(try await Self.recipients("email_shared", at: server).isEmpty)
            try await server.administer(AdminRequest(["account", "set-email"] + Self.ada.words + ["--remove"]))
            try await server.administer(
                AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", address, "--verified"]))
        }
        #expect(try await Self.recipients("email_shared", at: server) == ["bob@example.com"])
        let reader = MessageReader(
            database: server.context.database, rendering: server.context.rendering, clock: server.clock)
        #expect(try await reader.recent(limit: 20).contains { $0.text.contains("use your username, ada.") })
    }

    @Test("No SMS about it waits where the server sends none")
    func withoutSMS() async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.sms] }
        _ = try await server.reachableAccount(phone: Self.phone)
        try await server.administer(
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com"]))
        let changed = try await Self.recipients("email_changed", at: server)
        #expect(changed == ["ada@example.com", "new@example.com"])
    }

    @Test("Each change is in the audit log as an event of its own: whether the operator vouched, and no address")
    func recorded() async throws {
        let (server, _, account) = try await setUp()
        let changes: [AdminRequest] = [
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com", "--verified"]),
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", Self.phone]),
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--remove"]),
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--remove"]),
        ]
        for change in changes {
            server.clock.advance(by: .seconds(1))
            try await server.administer(change)
        }
        let events = Array(try await Self.events(server, of: account).prefix(4))
        #expect(
            events.map { $0.kind } == [
                "account.email_removed", "account.phone_removed", "account.phone_changed", "account.email_changed",
            ])
        // The account had an address before, and no number.
        let byOperator = #""by_operator":true}"#
        #expect(
            events.map { $0.details } == [
                "{" + byOperator, "{" + byOperator, #"{"verified":false,"first":true,"# + byOperator,
                #"{"verified":true,"# + byOperator,
            ])
    }

    @Test("What changes nothing, contradicts itself, is malformed or comes after the erasure is refused")
    func refused() async throws {
        let (server, _, account) = try await setUp()
        let before = try await server.record(of: account)
        let cases: [(AdminRequest, String)] = [
            (
                AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "ada@example.com"]),
                "no_change"
            ),
            (
                AdminRequest(
                    ["account", "set-email"] + Self.ada.words + ["--email", "ada@example.com", "--verified"]),
                "no_change"
            ),
            (AdminRequest(["account", "set-phone"] + Self.ada.words + ["--remove"]), "no_change"),
            (
                AdminRequest(["account", "set-email"] + Self.ada.words + ["--remove", "--verified"]),
                "malformed"
            ),
            (
                AdminRequest(["account", "set-phone"] + Self.ada.words + ["--remove", "--verified"]),
                "malformed"
            ),
            (
                AdminRequest(
                    ["account", "set-email"] + Self.ada.words + [
                        "--email", "ada@example.com\r\nBcc: all@example.com",
                    ]), "malformed"
            ),
            (AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", ""]), "malformed"),
            (AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", "123"]), "malformed"),
            (["account", "set-email", "eve", "--email", "eve@example.com"], "not_found"),
        ]
        for (command, code) in cases {
            let refused = try await Self.refusal(server, command)
            #expect(refused == code, "\(command)")
        }
        let after = try await server.record(of: account)
        #expect(after == before)
        try await server.administer(AdminRequest(["account", "erase"] + Self.ada.words))
        let reference = AccountReference.id(account.rawValue)
        let erased = try await Self.refusal(
            server, AdminRequest(["account", "set-email"] + reference.words + ["--email", "ada@example.com"]))
        #expect(erased == "no_change")
        let number = try await Self.refusal(
            server, AdminRequest(["account", "set-phone"] + reference.words + ["--phone", Self.phone]))
        #expect(number == "no_change")
        let messages = try await server.messages()
        #expect(messages.isEmpty)
    }

    @Test("A refusal to set the present address or number as confirmed names the command that confirms it")
    func confirmation() async throws {
        let server = try await TestServer.start()
        _ = try await server.account {
            $0.email = "ada@example.com"
            $0.phone = Self.phone
        }
        let email = await Self.refusalLine(
            server,
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "ada@example.com", "--verified"]))
        #expect(email.contains("walletauth account verify-email ada"))
        let phone = await Self.refusalLine(
            server,
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", Self.phone, "--verified"]))
        #expect(phone.contains("walletauth account update ada --phone-verified"))
    }

    @Test(
        "A number with the 0 that is dialed only within its country is refused with the right spelling",
        arguments: [
            ("+49 030 123456", "+4930123456"), ("+359-0888-123456", "+359888123456"),
            ("+49 (0)30 123456", "+4930123456"), ("+44\u{A0}(0)20/7946.0000", "+442079460000"),
        ])
    func trunkZero(typed: String, right: String) async throws {
        let (server, _, _) = try await setUp()
        let line = await Self.refusalLine(
            server, AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", typed]))
        #expect(line.contains("write it as \(right)"), "\(line)")
        try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", right]))
    }

    @Test(
        "A number with 00 in place of the plus is refused with the right spelling",
        arguments: [
            ("0049 30 123456", "+4930123456"), ("0049 (0)30 123456", "+4930123456"),
            ("00359 888 123456", "+359888123456"),
        ])
    func internationalPrefix(typed: String, right: String) async throws {
        let (server, _, _) = try await setUp()
        let line = await Self.refusalLine(
            server, AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", typed]))
        #expect(line.hasSuffix("write it as \(right)."), "\(line)")
        try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", right]))
    }

    @Test(
        "A 0 after +1 and +7 is refused: no area code there begins with it",
        arguments: ["+1 0212 555 0100", "+1 (0) 212 555 0100", "+7 0495 1234567"])
    func noAreaCode(typed: String) async throws {
        let (server, _, _) = try await setUp()
        let line = await Self.refusalLine(
            server, AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", typed]))
        #expect(line.contains("no area code begins with it"), "\(line)")
    }

    @Test(
        "A number is taken with the marks that people write in it",
        arguments: ["+49 (30) 123456", "+49\u{A0}30\u{2013}123456", "\u{202A}+49.30/123456\u{202C}", "＋４９ 30 123456"])
    func written(typed: String) async throws {
        let (server, _, _) = try await setUp()
        try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", typed]))
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(shown["phone"]?.string == "+4930123456")
    }

    @Test("A 0 after the code is kept where numbers begin with it", arguments: ["+39 06 1234567", "+225 07 12345678"])
    func leadingZero(typed: String) async throws {
        let (server, _, _) = try await setUp()
        try await server.administer(
            AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", typed]))
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(shown["phone"]?.string == typed.filter { $0 != " " })
    }

    @Test("Of two changes at the same moment the later one is refused, and nothing is lost")
    func race() async throws {
        let (server, _, _) = try await setUp(phone: Self.phone)
        server.beforeNextWrite {
            try await server.administer(
                AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "first@example.com"]))
        }
        let email = try await Self.refusal(
            server,
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "second@example.com"]))
        #expect(email == "no_change")
        server.beforeNextWrite {
            try await server.administer(
                AdminRequest(["account", "update"] + Self.ada.words + ["--name", "Ada Lovelace"]))
        }
        let number = try await Self.refusal(
            server, AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", "+359888654321"]))
        #expect(number == "no_change")
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(shown["email"]?.string == "first@example.com")
        #expect(shown["phone"]?.string == Self.phone)
        #expect(shown["name"]?.string == "Ada Lovelace")
    }

    @Test("Race: a confirmation of the old number does not confirm the new one")
    func confirmationRace() async throws {
        let (server, _, _) = try await setUp(phone: Self.phone)
        server.beforeNextWrite {
            try await server.administer(
                AdminRequest(["account", "set-phone"] + Self.ada.words + ["--phone", "+359888654321"]))
        }
        let confirmed = try await Self.refusal(
            server, AdminRequest(["account", "update"] + Self.ada.words + ["--phone-verified"]))
        #expect(confirmed == "no_change")
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(shown["phoneState"]?.string == "unverified")
    }

    @Test("An erasure while the change waits leaves no address behind")
    func erasureMeanwhile() async throws {
        let (server, _, account) = try await setUp()
        server.beforeNextWrite {
            try await server.administer(AdminRequest(["account", "erase"] + Self.ada.words))
        }
        let refused = try await Self.refusal(
            server, AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com"]))
        #expect(refused == "no_change")
        let record = try await server.record(of: account)
        #expect(record?.email == nil)
        let messages = try await server.messages()
        #expect(messages.isEmpty)
    }

    @Test(
        "Without a confirmed address no recovery sends a code, and the operator reads that the person needs them",
        arguments: [nil, "new@example.com"] as [String?])
    func lastRecovery(_ address: String?) async throws {
        let (server, app, _) = try await setUp()
        let answer = await server.flows.administration.execute(
            AdminRequest(
                ["account", "set-email"] + Self.ada.words + (address.map { ["--email", $0] } ?? ["--remove"])))
        #expect(answer.status == .done)
        #expect(answer.lines.last?.contains("can no longer recover the account by e-mail") == true)
        _ = try await app.beginRecovery().recovery()
        let sent = try await server.recoveryCodesSent()
        #expect(sent == 0)
    }

    @Test("A recovery by a new address needs the second factor and starts a day's cooling period, as by the old one")
    func recoveryAfterwards() async throws {
        let (server, app, account) = try await setUp(phone: Self.phone)
        try await server.administer(
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com", "--verified"]))
        let asked = try await app.recoverByCode().asked()
        let code = try await server.messages().first { $0.kind == "password_recovery_code" }
        #expect(code?.content["to"]?.string == "new@example.com")
        #expect(asked.prompt.channel == "SMS")
        let session = try await app.answer(try await server.sentCode(), to: asked).passwordSession()
        _ = try await app.choose("another phrase 8", in: session).code()
        let record = try await server.record(of: account)
        #expect(record?.coolingUntil == server.clock.now() + .hours(24))
    }
}
