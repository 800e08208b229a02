import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Second factors whose codes nothing delivers", .threat("A service that cannot send codes"))
struct UndeliverableFactorTests {
    private func setUp(
        _ undeliverable: Set<FactorKind> = [.email, .sms]
    ) async throws -> (server: TestServer, account: AccountID, app: TestApp) {
        let server = try await TestServer.start { $0.undeliverableFactors = undeliverable }
        let account = try await server.reachableAccount("ada")
        return (server, account, TestApp(client: try await server.publicClient()))
    }

    @Test("A new device is not let in by the password alone, nor asked for a code that never comes")
    func unmet() async throws {
        let (server, _, app) = try await setUp()
        let outcome = try await app.signIn()
        #expect(outcome.refusal?.error == "access_denied")
        #expect(outcome.errorCode == "delivery_unavailable")
        let sent = try await server.messages().filter { $0.kind == "second_factor_code" }
        #expect(sent.isEmpty)
    }

    @Test("A passkey is asked for in place of such a code")
    func passkey() async throws {
        let delivering = try await TestServer.start()
        _ = try await delivering.settledPasskey()
        let server = try await delivering.restarted { $0.undeliverableFactors = [.email, .sms] }
        let app = TestApp(client: try await server.passkeyClient())
        guard case .mfaRequired(_, let prompt) = try await app.signIn().refusal else {
            Issue.record("not asked for a second factor")
            return
        }
        #expect(prompt.method == "passkey")
    }

    @Test("account show names the missing transport and the settings that mend it, the audit log each refusal")
    func reported() async throws {
        let (server, _, app) = try await setUp()
        _ = try await app.signIn()
        let shown = await server.flows.administration.execute(["account", "show", "ada"])
        let text = shown.lines.joined(separator: " ")
        #expect(text.contains("need a code by e-mail, which this server cannot send"), "\(text)")
        #expect(text.contains("configure email.smtp.host and email.from."))
        let refusals = try await server.rows(of: "security_events WHERE kind = 'account.code_undeliverable'")
        #expect(refusals == 1)
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let allowed = await server.flows.administration.execute(["account", "show", "ada"])
        #expect(!allowed.lines.joined().contains("cannot send"))
    }

    @Test(
        "What would keep a person out is refused with the settings, unless the operator insists",
        arguments: [
            (["set-phone", "bob", "--phone", "+359888123456"], "sms.webhook.url"),
            (["set-email", "bob", "--email", "bob@example.com", "--verified"], "email.smtp.host"),
            (["set-email", "bob", "--email", "bob@example.com"], "email.smtp.host"),
            (["create", "cyd", "--phone", "+359888123456"], "sms.webhook.url"),
            (["create", "cyd", "--email", "cyd@example.com"], "email.smtp.host"),
        ])
    func refused(command: [String], setting: String) async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.email, .sms] }
        _ = try await server.account("bob")
        let words = ["account"] + command
        let refusal = await server.flows.administration.execute(AdminRequest(words)).refusal
        #expect(refusal?.code == "undeliverable")
        #expect(refusal?.hint?.contains(setting) == true && refusal?.hint?.contains("--even-undeliverable") == true)
        try await server.administer(AdminRequest(words + ["--even-undeliverable"]))
    }

    @Test("An imported line with such an address or number is a fault, unless the operator insists")
    func imported() async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.sms] }
        let lines = [
            JSONObject(strings: ["username": "ada", "phone": "+35921234567"]),
            JSONObject(strings: ["username": "bob", "email": "bob@example.com"]),
        ]
        let dry = await server.importBatch(lines, ["--first", "--dry-run"])
        #expect(try dry.importCounts() == [1, 0, 1])
        #expect(try dry.importFaults().first?.contains("sms.webhook.url") == true)
        #expect(try await server.importBatch(lines, ["--first", "--even-undeliverable"]).importCounts() == [2, 0, 0])
    }

    @Test("A number that nothing reaches can be removed: account explain says how, and the person signs in")
    func removable() async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.sms] }
        _ = try await server.account("ada") { $0.phone = "+359888123456" }
        let app = TestApp(client: try await server.publicClient())
        #expect(try await app.signIn().errorCode == "delivery_unavailable")
        let explained = await server.flows.administration.execute(["account", "explain", "ada"])
        let remedy = "walletauth account set-phone ada --remove"
        #expect(explained.lines.joined().contains(remedy), "\(explained.lines)")
        try await server.administer(["account", "set-phone", "ada", "--remove"])
        _ = try await app.signIn().code()
    }

    @Test("With mail and SMS, account show names no missing transport")
    func deliverable() async throws {
        let (server, _, _) = try await setUp([])
        let shown = await server.flows.administration.execute(["account", "show", "ada"])
        #expect(!shown.lines.joined().contains("cannot send"))
    }

    @Test("On the account page a person without a device learns that no code can be sent, and is sent to no app")
    func accountPage() async throws {
        let (server, _, _) = try await setUp()
        let browser = TestBrowser(server)
        let refused = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        guard case .codeUndeliverable = refused.step else {
            Issue.record("another page: \(refused.step)")
            return
        }
        #expect(refused.appearance != nil)
    }

    @Test("They are not listed, and another factor is asked for in their place")
    func another() async throws {
        let (server, account, app) = try await setUp()
        let device = TestDevice(
            app: app, tokens: try await app.client.signIn(account, proof: app.key, methods: ["pwd", "otp"]))
        _ = try await device.authenticator()
        let listed = try await device.list(factors: ())
        #expect(listed.factors.map(\.method) == ["totp"])
        let stranger = TestApp(client: app.client)
        let asked = try await stranger.signIn()
        #expect(asked.errorCode == "mfa_required")
        _ = server
    }

    @Test("attack: they still count: a stolen password changes nothing in the meantime")
    func changes() async throws {
        let (_, account, app) = try await setUp()
        let thief = TestDevice(
            app: app, tokens: try await app.client.signIn(account, proof: app.key, methods: ["pwd"]))
        let refused = try await thief.beginAuthenticator()
        #expect(refused.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
    }

    /// Gives the account a password that could not be chosen, as if it had it from the beginning.
    private func give(_ password: String, to account: AccountID, on server: TestServer) async throws {
        let record = try #require(try await server.record(of: account))
        let slot = try #require(server.context.passwords.slot(for: .administrator))
        let hash = try await server.context.passwords.hash(Password(password), in: slot)
        let sealed = try AccountVault(server.context.sealing).seal(hash, .password, of: record.id)
        let old = try #require(record.password)
        _ = try await server.context.database.write {
            try Accounts.upgradePassword(of: record.id, from: old, to: sealed, on: $0)
        }
    }

    @Test(
        "What a common password costs an account with only an address: linked devices too, until mail works or the brand allows it"
    )
    func commonPassword() async throws {
        let (server, account, app) = try await setUp()
        let phone = try await TestDevice.signedIn(account, app.client)
        _ = try await phone.app.signIn().code()
        try await give("starwars1977", to: account, on: server)
        #expect(try await phone.app.signIn(password: "starwars1977").errorCode == "delivery_unavailable")
        let ended = try await app.client.refresh(try #require(phone.tokens.refreshToken), proof: phone.app.key)
        #expect(ended.refusal == .invalidGrant)
        #expect(try await server.record(of: account)?.passwordState == .expired)
        let ada = AccountReference.username("ada", brand: nil)
        try await server.administer(
            AdminRequest(["account", "set-password"] + ada.words, input: "another phrase 8"))
        #expect(try await phone.app.signIn(password: "another phrase 8").errorCode == "delivery_unavailable")
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        _ = try await phone.app.signIn(password: "another phrase 8").code()
    }

    @Test("On an enrolled device a common password costs a new one, and nothing that has to be sent")
    func commonPasswordOnDevice() async throws {
        let (server, account, app) = try await setUp()
        let phone = try await TestDevice.signedIn(account, app.client)
        let id = try await phone.enrolled(account).id
        try await give("starwars1977", to: account, on: server)
        let refusal = try #require(try await phone.signIn(as: id, password: "starwars1977").refusal)
        #expect(refusal.errorCode == "password_change_required")
        _ = try await phone.app.choose("another phrase 8", in: try #require(refusal.session)).code()
    }

    @Test("A channel that delivers is asked for as ever")
    func delivered() async throws {
        let (_, _, app) = try await setUp([.sms])
        let outcome = try await app.signIn()
        #expect(outcome.errorCode == "mfa_required")
    }
}
