import Core
import FlowSupport
import Outbound
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// Failures that are not the receiver's, and receivers that are slow.
@Suite("Receivers and events in trouble", .covers("webhooks"))
struct WebhookTroubleTests {
    /// A server with a receiver of the brand's.
    private struct Setting {
        let server: TestServer
        let receiver: ScriptedReceiver
        let delivery: WebhookDelivery
        let id: String

        func deliverAll() async throws {
            while try await delivery.deliverAllDue() > 0 {}
        }

        func newSubject() throws -> UniqueID { try server.context.random.uniqueID() }

        func state() async throws -> String? { try await server.webhook(id).string("state") }
    }

    private func setUp(_ outcomes: [WebhookOutcome] = [], always: WebhookOutcome? = nil) async throws -> Setting {
        let server = try await TestServer.start()
        let receiver = ScriptedReceiver(outcomes, always: always)
        let id = try await server.addWebhook(brand: "default")
        return Setting(server: server, receiver: receiver, delivery: server.delivery(to: receiver), id: id)
    }

    @Test("What this server could not send is no failure of the receiver, and waits no longer than its turn")
    func notSent() async throws {
        let setting = try await setUp([.notSent("too many host names are being looked up")])
        try await setting.server.tell(1, about: setting.newSubject())
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(try await setting.state() == "active")
        #expect(setting.server.context.webhooks.counts.failed == 0)
        let attempts = try await setting.server.context.database.read {
            try $0.row("SELECT attempts FROM webhook_deliveries", [])?.integer("attempts")
        }
        #expect(attempts == 0)
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(setting.receiver.requests.count == 2)
        #expect(try await setting.server.webhook(setting.id)["waiting"]?.integer == 0)
    }

    @Test("A post that is cancelled while the server runs on is not the receiver's failure either")
    func cancelled() async throws {
        let setting = try await setUp()
        setting.receiver.atEachPost { _ in throw CancellationError() }
        try await setting.server.tell(1, about: setting.newSubject())
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(try await setting.state() == "active")
        setting.receiver.atEachPost { _ in }
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(setting.receiver.types == ["test.event"])
    }

    @Test("One event that the receiver refuses for a week switches nothing off and holds up only what follows it")
    func refusedEvent() async throws {
        let setting = try await setUp(always: .rejected("status 422"))
        let (poisoned, other) = (try setting.newSubject(), try setting.newSubject())
        try await setting.server.tell(1, about: poisoned)
        try await setting.server.tell(2, about: poisoned)
        for _ in 0..<(6 * 24) {
            _ = try await setting.delivery.deliverAllDue()
            setting.server.clock.advance(by: .hours(1))
        }
        #expect(try await setting.state() == "active")
        #expect(try await setting.server.rows(of: "security_events WHERE kind = 'webhook.disabled'") == 0)
        // Each attempt was of the first, and as late as its own failures demand.
        #expect(setting.receiver.requests.count <= 6 * 24)
        #expect(try Set(setting.receiver.data.map { try $0.string("number") }) == ["1"])
        setting.receiver.answer(always: nil)
        try await setting.server.tell(1, about: other)
        #expect(try await setting.delivery.deliverAllDue() >= 1)
        #expect(try setting.receiver.data.contains { try $0.string("subject") == other.uuid })
        setting.server.clock.advance(by: .hours(2))
        try await setting.deliverAll()
        let numbers = try setting.receiver.data.filter { try $0.string("subject") == poisoned.uuid }
            .map { try $0.string("number") }
        #expect(numbers.suffix(2) == ["1", "2"])
    }

    @Test("A refused event is tried later each time, also while others succeed, and takes no lane from them")
    func ownSchedule() async throws {
        let setting = try await setUp()
        let refused = try setting.newSubject()
        setting.receiver.answer { request in
            let data = try JSONValue.object(parsing: request.body)["data"]?.object
            return try data?.string("subject") == refused.uuid ? .rejected("status 400") : nil
        }
        try await setting.server.tell(1, about: refused)
        for second in 0..<120 {
            if second % 10 == 5 { try await setting.server.tell(1, about: setting.newSubject()) }
            _ = try await setting.delivery.deliverAllDue()
            setting.server.clock.advance(by: .seconds(1))
        }
        let posts = try setting.receiver.data.map { try $0.string("subject") == refused.uuid }
        #expect(posts.filter { !$0 }.count == 12)
        // After 5, 10, 20 and 40 seconds, give or take a quarter.
        #expect((5...6).contains(posts.filter(\.self).count))
        #expect(!setting.delivery.lanes.isFailing(try #require(UniqueID(uuid: setting.id))))
        #expect(try await setting.state() == "active")
    }

    @Test("A receiver that refuses every event, as one with another secret does, counts as failing and is switched off")
    func refusesAll() async throws {
        let setting = try await setUp(always: .rejected("status 400"))
        for _ in 0..<10 { try await setting.server.tell(1, about: setting.newSubject()) }
        _ = try await setting.delivery.deliverAllDue()
        let shown = try await setting.server.webhook(setting.id)
        #expect(try shown.string("state") == "webhook_unreachable")
        #expect(try shown.string("failure") == "status 400")
        setting.server.clock.advance(by: .days(3))
        _ = try await setting.delivery.deliverAllDue()
        #expect(try await setting.state() == "webhook_disabled")
    }

    @Test("attack: one poisoned event and three quiet days leave the receiver on")
    func poisonedAndQuiet() async throws {
        let setting = try await setUp()
        let poisoned = try setting.newSubject()
        setting.receiver.answer { request in
            let data = try JSONValue.object(parsing: request.body)["data"]?.object
            return try data?.string("subject") == poisoned.uuid ? .failed("status 500") : nil
        }
        try await setting.server.tell(1, about: poisoned)
        for _ in 0..<80 {
            _ = try await setting.delivery.deliverAllDue()
            setting.server.clock.advance(by: .hours(1))
        }
        #expect(setting.receiver.types.filter { $0 == "webhook.test" }.count == 1)
        #expect(try await setting.state() != "webhook_disabled")
        #expect(try await setting.server.rows(of: "security_events WHERE kind = 'webhook.disabled'") == 0)
        let other = try setting.newSubject()
        try await setting.server.tell(1, about: other)
        _ = try await setting.delivery.deliverAllDue()
        #expect(try setting.receiver.data.contains { try $0.string("subject") == other.uuid })
    }

    @Test("A receiver is left on if this server could not send the event that decides")
    func undecided() async throws {
        let setting = try await setUp(always: .failed("status 500"))
        setting.receiver.answer { request in
            try JSONValue.object(parsing: request.body).string("type") == "webhook.test" ? .notSent("busy") : nil
        }
        try await setting.server.tell(1, about: setting.newSubject())
        _ = try await setting.delivery.deliverAllDue()
        setting.server.clock.advance(by: .days(3))
        _ = try await setting.delivery.deliverAllDue()
        #expect(setting.receiver.types.last == "webhook.test")
        #expect(try await setting.state() == "webhook_unreachable")
    }

    @Test(
        "attack: the events of forty people at which a receiver fails, or which it refuses, hold up no one else's for long",
        arguments: [WebhookOutcome.failed("status 500"), .rejected("status 422")])
    func poisoned(outcome: WebhookOutcome) async throws {
        let setting = try await setUp()
        let id = try #require(UniqueID(uuid: setting.id))
        let subjects = try (0..<40).map { _ in try setting.newSubject() }
        let poisoned = Set(subjects.map(\.uuid))
        setting.receiver.answer { request in
            let data = try JSONValue.object(parsing: request.body)["data"]?.object
            return try poisoned.contains(data?.string("subject") ?? "") ? outcome : nil
        }
        func passSecond() async throws {
            if setting.delivery.lanes.isOpen(id, now: setting.server.clock.now()) {
                _ = try await setting.delivery.deliverAllDue()
            }
            setting.server.clock.advance(by: .seconds(1))
        }
        for subject in subjects {
            try await setting.server.tell(1, about: subject)
            setting.server.clock.advance(by: .milliseconds(1))
        }
        // In which nothing is accepted.
        for _ in 0..<600 { try await passSecond() }
        #expect(try await setting.state() == "webhook_unreachable")
        for _ in 0..<3 {
            let other = try setting.newSubject()
            try await setting.server.tell(1, about: other)
            var waited = 0
            while waited < 600, try !setting.receiver.data.contains(where: { try $0.string("subject") == other.uuid }) {
                try await passSecond()
                waited += 1
            }
            // The longest pause.
            #expect(waited <= 301)
        }
    }

    @Test(
        "A dead receiver is probed with the eight oldest and the eight newest events, and each probe doubles the pause once"
    )
    func probes() async throws {
        let setting = try await setUp(always: .failed("nothing accepts connections there"))
        let id = try #require(UniqueID(uuid: setting.id))
        let subjects = try (0..<100).map { _ in try setting.newSubject() }
        for subject in subjects {
            try await setting.server.tell(1, about: subject)
            setting.server.clock.advance(by: .milliseconds(1))
        }
        _ = try await setting.delivery.deliverAllDue()
        #expect(setting.receiver.requests.count == 16)
        setting.server.clock.advance(by: .seconds(5))
        #expect(try await setting.delivery.deliverAllDue() == 16)
        let probed = try setting.receiver.data.suffix(16).compactMap { try $0.string("subject") }
        #expect(Set(probed) == Set((subjects[64..<72] + subjects[92...]).map(\.uuid)))
        let now = setting.server.clock.now()
        #expect(!setting.delivery.lanes.isOpen(id, now: now + .seconds(9)))
        #expect(setting.delivery.lanes.isOpen(id, now: now + .seconds(10)))
    }

    @Test("One event of a probe that is accepted ends the failure, whatever becomes of the others")
    func backAgain() async throws {
        let setting = try await setUp(always: .failed("status 500"))
        let id = try #require(UniqueID(uuid: setting.id))
        for _ in 0..<20 { try await setting.server.tell(1, about: setting.newSubject()) }
        _ = try await setting.delivery.deliverAllDue()
        let other = try setting.newSubject()
        setting.receiver.answer(always: nil)
        setting.receiver.answer { request in
            let data = try JSONValue.object(parsing: request.body)["data"]?.object
            return try data?.string("subject") == other.uuid ? nil : .failed("status 500")
        }
        setting.server.clock.advance(by: .seconds(10))
        try await setting.server.tell(1, about: other)
        _ = try await setting.delivery.deliverAllDue()
        #expect(try await setting.state() == "active")
        #expect(!setting.delivery.lanes.isFailing(id))
    }

    @Test(
        "attack: of the events that wait for a dead receiver the oldest are dropped, and the operator learns how many")
    func surplus() async throws {
        let setting = try await setUp(always: .failed("nothing accepts connections there"))
        let subject = try setting.newSubject()
        let healthy = try await setting.server.addWebhook(brand: "default", kinds: [.sessions])
        for number in 1...30 {
            try await setting.server.tell(number, about: subject)
            setting.server.clock.advance(by: .milliseconds(1))
        }
        let context = setting.server.context
        var surplus = WebhookSurplus(database: context.database, webhooks: context.webhooks, logger: context.logger)
        #expect(try await surplus.drop(now: setting.server.clock.now()) == 0)
        (surplus.limit, surplus.page) = (20, 4)
        #expect(try await surplus.drop(now: setting.server.clock.now()) == 12)
        #expect(try await surplus.drop(now: setting.server.clock.now()) == 0)
        let shown = try await setting.server.webhook(setting.id)
        #expect(shown["waiting"]?.integer == 18)
        #expect(shown["dropped"]?.integer == 12)
        #expect(context.webhooks.counts.dropped == 12)
        #expect(try await setting.server.webhook(healthy)["dropped"] == nil)
        setting.receiver.answer(always: nil)
        try await setting.server.administer(["webhook", "replay", setting.id])
        try await setting.deliverAll()
        #expect(try setting.receiver.data.map { try $0.string("number") } == (13...30).map(String.init))
        #expect(try await setting.server.webhook(setting.id)["dropped"] == nil)
    }

    @Test("attack: a secret that leaked and was ended signs no further post, not even of a lease that began before")
    func leakedSecret() async throws {
        let setting = try await setUp()
        let server = setting.server
        for _ in 0..<40 { try await server.tell(1, about: setting.newSubject()) }
        // It happens once the first sixteen are under way.
        let rotation = Mutex<Task<Void, any Error>?>(nil)
        setting.receiver.atEachPost { _ in
            let rotation = rotation.withLock { rotation -> Task<Void, any Error> in
                if let rotation { return rotation }
                let begun = Task {
                    try await server.administer(["webhook", "rotate-secret", setting.id, "--overlap", "now"])
                    server.clock.advance(by: .seconds(2))
                }
                rotation = begun
                return begun
            }
            try await rotation.value
        }
        #expect(try await setting.delivery.deliverAllDue() == 40)
        let signatures = setting.receiver.requests.map { request in
            WebhookSignature.headers(id: "evt_1", time: 0, body: [], by: request.signatures)[2].value
        }
        let counts = Dictionary(grouping: signatures) { $0 }.values.map(\.count).sorted()
        #expect(counts == [16, 24])
    }
}
