import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Delivery of messages")
struct MessageDeliveryTests {
    private struct Setting {
        let server: TestServer
        let transport: ScriptedTransport
        let delivery: MessageDelivery
        let account: AccountID

        /// The newest row.
        func record() async throws -> OutboxRecord? {
            try await server.context.database.read { try Outbox.recent(limit: 1, on: $0).first }
        }

        /// Something that the holder is notified of.
        func changePassword() async throws {
            try await server.administer(
                AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        }
    }

    private func setUp(
        _ outcomes: [DeliveryOutcome] = [], email: String? = "ada@example.com", phone: String? = nil,
        environment: ServerSettings.Environment = .production
    ) async throws -> Setting {
        let server = try await TestServer.start { $0.environment = environment }
        let account = try await server.account {
            $0.email = email
            $0.emailVerified = email != nil
            $0.phone = phone
        }
        let transport = ScriptedTransport(outcomes)
        let delivery = server.context.delivery(
            by: MessageTransports(email: transport, sms: transport, timeout: .seconds(10)))
        return Setting(server: server, transport: transport, delivery: delivery, account: account)
    }

    @Test("A clock that leaps gives up no message: it is delivered when the clock is right again")
    func leapedClock() async throws {
        let setting = try await setUp()
        try await setting.changePassword()
        setting.server.clock.leap(by: .days(40))
        let early = try await setting.delivery.deliverDue(.email)
        setting.server.clock.leap(by: .days(-40))
        let later = try await setting.delivery.deliverDue(.email)
        #expect([early, later] == [0, 1])
    }

    @Test("A message is delivered once, and nothing of its content is kept")
    func delivered() async throws {
        let setting = try await setUp()
        try await setting.changePassword()
        let first = try await setting.delivery.deliverDue(.email)
        let second = try await setting.delivery.deliverDue(.email)
        #expect([first, second] == [1, 0])
        let message = try #require(setting.transport.messages.first)
        #expect(message.recipient == "ada@example.com")
        #expect(message.kind == "password_changed")
        let record = try #require(try await setting.record())
        #expect(message.id == record.id.uuid)
        #expect(record.sealed.isEmpty)
        #expect(record.deliveredAt == setting.server.clock.now())
        let metrics = try await setting.server.flows.countOutbox()
        #expect(metrics.first { $0.channel == "email" }?.delivered == 1)
    }

    @Test("In the sandbox a delivered message can still be looked at")
    func sandbox() async throws {
        let setting = try await setUp(environment: .sandbox)
        try await setting.changePassword()
        try await setting.delivery.deliverDue(.email)
        let message = try #require(try await setting.server.flows.messages?.recent(limit: 1).first)
        #expect(message.delivery == .delivered)
        #expect(message.text.contains("The password for your Wallet account was changed."))
    }

    @Test("What failed is tried again under the same id, each time later, and not before")
    func postponed() async throws {
        let setting = try await setUp([.postponed("smtp: 451 to RCPT"), .postponed("smtp: timeout")])
        try await setting.changePassword()
        try await setting.delivery.deliverDue(.email)
        let record = try #require(try await setting.record())
        #expect(record.failure == "smtp: 451 to RCPT")
        #expect(record.failedAt == nil)
        let again = try await setting.delivery.deliverDue(.email)
        #expect(again == 0)
        setting.server.clock.advance(by: .seconds(7))
        try await setting.delivery.deliverDue(.email)
        let waiting = try await setting.record()
        let wait = try #require(waiting).dueAt - setting.server.clock.now()
        #expect((Duration.milliseconds(7500) ... .milliseconds(12_500)).contains(wait))
        setting.server.clock.advance(by: .seconds(13))
        try await setting.delivery.deliverDue(.email)
        #expect(Set(setting.transport.messages.map(\.id)).count == 1)
        #expect(setting.transport.messages.count == 3)
        let delivered = try await setting.record()
        #expect(delivered?.deliveredAt != nil)
        #expect(delivered?.failure == nil)
    }

    @Test(
        "What was refused for good is not tried again, is seen by the operator, and is tried when the operator says so")
    func refused() async throws {
        let setting = try await setUp([.refused("smtp: 550 5.1.1 to RCPT")])
        try await setting.changePassword()
        try await setting.delivery.deliverDue(.email)
        setting.server.clock.advance(by: .hours(2))
        let again = try await setting.delivery.deliverDue(.email)
        #expect(again == 0)
        let record = try #require(try await setting.record())
        #expect(record.failedAt != nil)
        let list = await setting.server.flows.administration.execute(["outbox", "list"])
        let shown = list.lines.joined(separator: "\n")
        #expect(shown.contains("550 5.1.1"))
        #expect(!shown.contains("ada@example.com"))
        let account = try #require(record.accountID?.uuid)
        #expect(shown.contains(account))
        let listed = try await setting.server.administer(["outbox", "list"])
        #expect(listed["messages"]?.array?.first?.object?["accountId"]?.string == account)
        try await setting.server.administer(["outbox", "retry", record.id.uuid])
        let retried = try await setting.delivery.deliverDue(.email)
        #expect(retried == 1)
        let twice = await setting.server.flows.administration.execute(["outbox", "retry", record.id.uuid])
        #expect(twice.status == .refused)
        let recorded = try await setting.server.rows(of: "security_events WHERE kind = 'message.retried'")
        #expect(recorded == 1)
    }

    @Test("A code that is void is not sent, however long its attempts were in coming")
    func expired() async throws {
        let setting = try await setUp([.postponed("smtp: 451 to RCPT")])
        let app = TestApp(client: try await setting.server.publicClient())
        _ = try await app.signIn().asked()
        try await setting.delivery.deliverDue(.email)
        #expect(setting.transport.messages.map(\.kind) == ["second_factor_code"])
        setting.server.clock.advance(by: .minutes(6))
        let late = try await setting.delivery.deliverDue(.email)
        #expect(late == 0)
        #expect(setting.transport.messages.count == 1)
    }

    @Test("Two processes never send the same message while both live; the second takes over when the first has died")
    func leases() async throws {
        let setting = try await setUp()
        for number in 0..<20 {
            try await setting.server.administer(
                AdminRequest(["account", "set-password", "ada"], input: "another phrase \(number)"))
        }
        let other = setting.server.context.delivery(
            by: MessageTransports(email: setting.transport, timeout: .seconds(10)))
        try await withThrowingTaskGroup { group in
            for delivery in [setting.delivery, other] {
                group.addTask { while try await delivery.deliverDue(.email) > 0 {} }
            }
            try await group.waitForAll()
        }
        #expect(setting.transport.messages.count == 20)
        #expect(Set(setting.transport.messages.map(\.id)).count == 20)

        // One that took a message and never came back.
        try await setting.changePassword()
        let now = setting.server.clock.now()
        let lost = try await setting.server.context.database.write {
            try Outbox.take(.email, now: now, until: now + .seconds(20), limit: 1, on: $0)
        }
        let early = try await setting.delivery.deliverDue(.email)
        #expect(early == 0)
        setting.server.clock.advance(by: .seconds(20))
        let taken = try await setting.delivery.deliverDue(.email)
        #expect(taken == 1)
        #expect(setting.transport.messages.last?.id == lost.first?.id.uuid)
    }

    @Test("Erasing an account takes its waiting messages along")
    func erasure() async throws {
        let setting = try await setUp()
        try await setting.changePassword()
        try await setting.server.administer(["account", "erase", "ada"])
        let taken = try await setting.delivery.deliverDue(.email)
        #expect(taken == 0)
        #expect(setting.transport.messages.isEmpty)
    }

    @Test("A notice goes by e-mail, by SMS to a person without a mailbox, and is kept where there is neither")
    func channels() async throws {
        let phone = try await setUp(email: nil, phone: "+359888123456")
        try await phone.changePassword()
        try await phone.delivery.deliverDue(.sms)
        #expect(phone.transport.messages.map(\.recipient) == ["+359888123456"])

        let none = try await setUp(email: nil)
        try await none.changePassword()
        let record = try #require(try await none.record())
        #expect(record.channel == OutboxChannel.none)
        let taken = try await none.delivery.deliverDue(.email)
        #expect(taken == 0)
    }

    @Test("A code by SMS goes by SMS, and ends with the line that binds it to this server")
    func codeBySMS() async throws {
        let setting = try await setUp(phone: "+359888123456", environment: .sandbox)
        let app = TestApp(client: try await setting.server.publicClient())
        let asked = try await app.signIn().asked()
        #expect(asked.prompt.channel == "EMAIL")
        _ = try await app.proceed(asked.session, .chooseFactor(.sms))
        try await setting.delivery.deliverDue(.sms)
        let message = try #require(setting.transport.messages.first)
        let sent = try await setting.server.messages().first { try $0.content.string("channel") == "SMS" }
        let code = try #require(try sent?.content.string("code"))
        #expect(message.recipient == "+359888123456")
        #expect(message.text.hasSuffix("\n@auth.example.com #\(code)"))
    }

    @Test(
        "While the server runs, a message leaves at once, and stopping waits for what is under way",
        .timeLimit(.minutes(5)))
    func service() async throws {
        let setting = try await setUp()
        let running = Task { await setting.delivery.run() }
        try await setting.changePassword()
        for await _ in setting.transport.deliveries { break }
        setting.delivery.stop()
        await running.value
        let record = try await setting.record()
        #expect(record?.deliveredAt != nil)
    }
}
