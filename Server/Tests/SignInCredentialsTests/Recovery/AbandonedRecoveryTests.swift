import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "The warning of a recovery that stops", .threat("A forgotten password and a stolen mailbox"),
    .covers("a stronger sign-in for what a recovery's cooling period forbids anyway"))
struct AbandonedRecoveryTests {
    private static let phone = "+359888123456"

    private struct Setting {
        let server: TestServer
        let holder: TestDevice
        let setup: AuthenticatorSetup
        /// The attacker with the mailbox.
        let thief: TestApp

        func warnings() async throws -> [OutboxRecord] {
            try await server.context.database.read { try Outbox.recent(limit: 100, on: $0) }
                .filter { $0.kind == "recovery_stopped" }
        }
    }

    /// A person with an authenticator app, and perhaps a telephone.
    private func setUp(
        phone: String? = phone, _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> Setting {
        let server = try await TestServer.start(adjust)
        let account = try await server.reachableAccount(phone: phone)
        let client = try await server.publicClient()
        let holder = try await TestDevice.signedIn(account, client)
        let setup = try await holder.authenticator()
        server.clock.advance(by: .minutes(1))
        return Setting(server: server, holder: holder, setup: setup, thief: TestApp(client: client))
    }

    @Test(
        "attack: a recovery that stops at the second factor notifies the holder on every channel when it expires, and not before"
    )
    func stopped() async throws {
        let setting = try await setUp()
        let begun = setting.server.clock.now()
        _ = try await setting.thief.recoverByCode().asked()
        let warnings = try await setting.warnings()
        #expect(Set(warnings.map(\.channel)) == [.sms, .email])
        #expect(warnings.map(\.dueAt) == [begun + .minutes(10), begun + .minutes(10)])
        let transport = ScriptedTransport()
        let delivery = setting.server.context.delivery(by: MessageTransports(email: transport, sms: transport))
        try await delivery.deliverDue(.sms)
        #expect(transport.messages.isEmpty)
        setting.server.clock.advance(by: .minutes(10))
        try await delivery.deliverDue(.sms)
        #expect(transport.messages.map(\.kind) == ["recovery_stopped"])
        #expect(transport.messages.map(\.recipient) == [Self.phone])
        #expect(transport.messages.first?.text.contains("they can read your e-mail") ?? false)
        try await delivery.deliverDue(.email)
        let last = try #require(transport.messages.last { $0.kind == "recovery_stopped" })
        #expect(last.recipient.contains("@"))
    }

    @Test("The right answer cancels it: the holder is notified of the recovery, and of nothing else")
    func takenBack() async throws {
        let setting = try await setUp()
        let asked = try await setting.thief.recoverByCode().asked()
        let session = try await setting.thief.answer(setting.holder.code(of: setting.setup), to: asked)
            .passwordSession()
        #expect(try await setting.warnings().isEmpty)
        _ = try await setting.thief.choose("another phrase 8", in: session).code()
        let kinds = try await setting.server.messages().map(\.kind)
        #expect(kinds.count { $0 == "password_recovered" } == 2)
        // It does not use up the warning of a thief who comes within the hour.
        setting.server.clock.advance(by: .minutes(2))
        _ = try await TestApp(client: setting.thief.client).recoverByCode().asked()
        #expect(try await setting.warnings().count == 2)
    }

    @Test("The last wrong answer sends it at once, and mentions no password, since none was given")
    func lastWrong() async throws {
        let setting = try await setUp()
        var asked = try await setting.thief.recoverByCode().asked()
        let now = setting.server.clock.now()
        for _ in 0..<5 {
            let due = try await setting.warnings().map(\.dueAt)
            #expect(due == [now + .minutes(10), now + .minutes(10)])
            let wrong = try await setting.thief.answer("000000", to: asked)
            if let session = wrong.refusal?.session { asked = AskedFactor(session: session, prompt: asked.prompt) }
        }
        let due = try await setting.warnings().map(\.dueAt)
        #expect(due == [now, now])
        let kinds = try await setting.server.messages().map(\.kind)
        #expect(!kinds.contains("second_factor_failed"))
        #expect(try await setting.server.rows(of: "security_events WHERE kind = 'factor.failed'") == 1)
    }

    @Test("attack: it does not flood the holder: one in an hour by each way, however many recoveries stop")
    func limited() async throws {
        let setting = try await setUp()
        for _ in 0..<3 {
            _ = try await setting.thief.recoverByCode().asked()
            setting.server.clock.advance(by: .minutes(5))
        }
        #expect(try await setting.warnings().count == 2)
        setting.server.clock.advance(by: .hours(1))
        _ = try await setting.thief.recoverByCode().asked()
        #expect(try await setting.warnings().count == 4)
    }

    @Test("Where only an enrolled device would do, it is sent at once; without a telephone, or a way to it, by e-mail")
    func unavailable() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        _ = try await TestDevice.signedIn(account, client).enrolled(account)
        let thief = TestApp(client: client)
        #expect(try await thief.recoverByCode().errorCode == "recovery_unavailable")
        let record = try #require(
            try await server.context.database.read {
                try Outbox.recent(limit: 9, on: $0).first { $0.kind == "recovery_stopped" }
            })
        #expect(record.channel == .email)
        #expect(record.dueAt == server.clock.now())

        let mute = try await setUp { $0.undeliverableFactors = [.sms] }
        #expect(try await mute.thief.recoverByCode().errorCode == "mfa_required")
        #expect(try await mute.warnings().map(\.channel) == [.email])
    }

    @Test("On the hosted page it is the same: written when the factor is asked for, taken back by the right answer")
    func page() async throws {
        let setting = try await setUp()
        let browser = TestBrowser(setting.server)
        var page = try await browser.open(setting.thief.client.request()).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        let code = try OneTimeCode(try await setting.server.recoveryCode())
        page = try await browser.submit(page, .checkRecoveryCode(code)).page()
        #expect(try await Set(setting.warnings().map(\.channel)) == [.sms, .email])
        let answer = try Password(setting.holder.code(of: setting.setup))
        page = try await browser.submit(page, .answerFactor(answer)).page()
        #expect(page.step == .recoveredPassword)
        #expect(try await setting.warnings().isEmpty)
    }

    @Test(
        "A warning that is not due yet does not count as stuck, neither in the metrics nor in the operator's list")
    func metrics() async throws {
        let setting = try await setUp()
        _ = try await setting.thief.recoverByCode().asked()
        func sms() async throws -> OutboxMetrics {
            try #require(try await setting.server.flows.countOutbox().first { $0.channel == "sms" })
        }
        func states() async -> [String] {
            let answer = await setting.server.flows.administration.execute(["outbox", "list"])
            let messages = (try? JSONValue.object(parsing: Array(answer.json.utf8)))?["messages"]?.array ?? []
            return messages.compactMap(\.object).filter { $0["channel"]?.string == "sms" }
                .compactMap { $0["state"]?.string }
        }
        let early = try await sms()
        #expect([early.waiting, early.scheduled] == [0, 1])
        #expect(early.oldest == .zero)
        #expect(await states() == ["not due"])
        setting.server.clock.advance(by: .minutes(13))
        let late = try await sms()
        #expect([late.waiting, late.scheduled] == [1, 0])
        #expect(late.oldest == .minutes(3))
        #expect(await states() == ["waiting"])
    }
}
