import Core
import FlowSupport
import Outbound
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Delivery of webhooks", .covers("webhooks"))
struct WebhookDeliveryTests {
    private struct Setting {
        let server: TestServer
        let receiver: ScriptedReceiver
        let delivery: WebhookDelivery
        let id: String
        /// Two subjects.
        let ada: UniqueID
        let bob: UniqueID

        func deliverAll() async throws {
            while try await delivery.deliverAllDue() > 0 {}
        }

        /// The numbers of the events that were posted about a subject.
        func numbers(about subject: UniqueID) throws -> [String] {
            try receiver.data.filter { try $0.string("subject") == subject.uuid }.compactMap { try $0.string("number") }
        }
    }

    private func setUp(_ outcomes: [WebhookOutcome] = [], always: WebhookOutcome? = nil) async throws -> Setting {
        let server = try await TestServer.start()
        let receiver = ScriptedReceiver(outcomes, always: always)
        let id = try await server.addWebhook(brand: "default")
        let random = server.context.random
        return Setting(
            server: server, receiver: receiver, delivery: server.delivery(to: receiver), id: id,
            ada: try random.uniqueID(), bob: try random.uniqueID())
    }

    private func signature(_ secret: String, of request: WebhookRequest, at now: Timestamp) throws -> String {
        let signature = try #require(WebhookSignature(secret: secret))
        return signature.headers(id: request.id, time: now.seconds, body: request.body)[2].value
    }

    private func signatures(of request: WebhookRequest, at now: Timestamp) -> [String] {
        WebhookSignature.headers(id: request.id, time: now.seconds, body: request.body, by: request.signatures)[2].value
            .split(separator: " ").map(String.init)
    }

    @Test("What failed is posted again under the same id and with the same bytes, each time later, and not before")
    func repeated() async throws {
        let setting = try await setUp([.failed("status 500"), .failed("the other side took too long")])
        try await setting.server.tell(1, about: setting.ada)
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(try await setting.delivery.deliverAllDue() == 0)
        setting.server.clock.advance(by: .seconds(7))
        #expect(try await setting.delivery.deliverAllDue() == 1)
        setting.server.clock.advance(by: .seconds(7))
        #expect(try await setting.delivery.deliverAllDue() == 0)
        setting.server.clock.advance(by: .seconds(6))
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(setting.receiver.requests.count == 3)
        #expect(Set(setting.receiver.requests.map(\.id)).count == 1)
        #expect(Set(setting.receiver.requests.map(\.body)).count == 1)
        #expect(try await setting.server.webhook(setting.id).string("state") == "active")
        setting.server.clock.advance(by: .days(1))
        #expect(try await setting.delivery.deliverAllDue() == 0)
    }

    @Test("Of one subject, nothing overtakes an event that failed; events about others go on")
    func order() async throws {
        let setting = try await setUp([.failed("status 500")])
        for number in 1...3 { try await setting.server.tell(number, about: setting.ada) }
        try await setting.deliverAll()
        try await setting.server.tell(4, about: setting.ada)
        try await setting.server.tell(1, about: setting.bob)
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada) == ["1"])
        #expect(try setting.numbers(about: setting.bob) == ["1"])
        setting.server.clock.advance(by: .seconds(7))
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada) == ["1", "1", "2", "3", "4"])
    }

    @Test("Of one subject, an event is not posted while another process has not recorded the one before it")
    func orderAcrossProcesses() async throws {
        let setting = try await setUp()
        let other = setting.server.delivery(to: setting.receiver)
        try await setting.server.tell(1, about: setting.ada)
        try await setting.server.tell(2, about: setting.ada)
        let taken = Mutex<[Int]>([])
        setting.receiver.atEachPost { _ in
            let count = try await other.deliverAllDue()
            taken.withLock { $0.append(count) }
        }
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(taken.withLock { $0 } == [0])
        setting.receiver.atEachPost { _ in }
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada) == ["1", "2"])
    }

    @Test("Two processes never post the same event while both live; the second takes over when the first has died")
    func leases() async throws {
        let setting = try await setUp()
        let other = setting.server.delivery(to: setting.receiver)
        for _ in 0..<100 { try await setting.server.tell(1, about: setting.server.context.random.uniqueID()) }
        try await withThrowingTaskGroup { group in
            for delivery in [setting.delivery, other] {
                group.addTask { while try await delivery.deliverAllDue() > 0 {} }
            }
            try await group.waitForAll()
        }
        #expect(setting.receiver.requests.count == 100)
        #expect(Set(setting.receiver.requests.map(\.id)).count == 100)
    }

    @Test("A server killed between post and record posts again under the same id: none is lost, by count")
    func killed() async throws {
        let setting = try await setUp()
        for _ in 0..<50 { try await setting.server.tell(1, about: setting.server.context.random.uniqueID()) }
        struct Killed: Error {}
        // It dies in the middle of a lease: some events were accepted, and nothing was recorded.
        let receiver = ScriptedReceiver()
        let seen = Mutex(0)
        receiver.atEachPost { _ in
            let count = seen.withLock { count in
                count += 1
                return count
            }
            if count > 10 { throw Killed() }
            setting.server.beforeNextWrite { throw Killed() }
        }
        await #expect(throws: (any Error).self) { try await setting.server.delivery(to: receiver).deliverAllDue() }
        setting.server.beforeNextWrite {}
        setting.server.clock.advance(by: .minutes(2))
        try await setting.deliverAll()
        let (first, second) = (Set(receiver.requests.map(\.id)), Set(setting.receiver.requests.map(\.id)))
        #expect(first.union(second).count == 50)
        #expect(setting.receiver.requests.count == second.count)
    }

    @Test("During a rotation an event is signed by both secrets, afterwards by the new one; a third is refused")
    func rotation() async throws {
        let setting = try await setUp()
        let added = try await setting.server.administer(["webhook", "add", TestServer.hook, "--brand", "default"])
        let (id, former) = (try #require(try added.string("id")), try #require(try added.string("secret")))
        try await setting.server.administer(["webhook", "remove", setting.id])
        let rotated = try await setting.server.administer(["webhook", "rotate-secret", id, "--overlap", "1h"])
        let secret = try #require(try rotated.string("secret"))
        #expect(try rotated.string("formerSecretEndsAt") != nil)
        await #expect(throws: TestServer.Refused.self) {
            try await setting.server.administer(["webhook", "rotate-secret", id])
        }
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        let (first, now) = (try #require(setting.receiver.requests.last), setting.server.clock.now())
        let both = [try signature(secret, of: first, at: now), try signature(former, of: first, at: now)]
        #expect(signatures(of: first, at: now) == both)
        setting.server.clock.advance(by: .hours(1))
        try await setting.server.tell(2, about: setting.ada)
        try await setting.deliverAll()
        let (second, later) = (try #require(setting.receiver.requests.last), setting.server.clock.now())
        #expect(signatures(of: second, at: later) == [try signature(secret, of: second, at: later)])
    }

    @Test("A leaked secret ends at once, and a former one by its own option")
    func endedSecret() async throws {
        let setting = try await setUp()
        try await setting.server.administer(["webhook", "rotate-secret", setting.id])
        try await setting.server.administer(["webhook", "rotate-secret", setting.id, "--end-former"])
        try await setting.server.administer(["webhook", "rotate-secret", setting.id, "--overlap", "now"])
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        #expect(setting.receiver.requests.last?.signatures.count == 1)
        await #expect(throws: TestServer.Refused.self) {
            try await setting.server.administer(["webhook", "rotate-secret", setting.id, "--end-former"])
        }
    }

    @Test("A receiver that fails for three days is switched off; a replay switches it on, and nothing was lost")
    func switchedOff() async throws {
        let setting = try await setUp(always: .failed("status 500"))
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        #expect(try await setting.server.webhook(setting.id).string("state") == "webhook_unreachable")
        for _ in 0..<71 {
            setting.server.clock.advance(by: .hours(1))
            _ = try await setting.delivery.deliverAllDue()
        }
        #expect(try await setting.server.webhook(setting.id).string("state") == "webhook_unreachable")
        setting.server.clock.advance(by: .hours(2))
        _ = try await setting.delivery.deliverAllDue()
        let shown = try await setting.server.webhook(setting.id)
        #expect(try shown.string("state") == "webhook_disabled")
        #expect(try shown.string("failure") == "status 500")
        let recorded = try await setting.server.rows(of: "security_events WHERE kind = 'webhook.disabled'")
        #expect(recorded == 1)
        let posts = setting.receiver.requests.count
        try await setting.server.tell(2, about: setting.ada)
        setting.server.clock.advance(by: .hours(2))
        #expect(try await setting.delivery.deliverAllDue() == 0)
        #expect(setting.receiver.requests.count == posts)
        setting.receiver.answer(always: nil)
        let replayed = try await setting.server.administer(["webhook", "replay", setting.id])
        #expect(replayed["events"]?.integer == 2)
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada).suffix(2) == ["1", "2"])
        #expect(try await setting.server.webhook(setting.id).string("state") == "active")
    }

    @Test("One success in three days keeps a receiver on")
    func keptOn() async throws {
        let setting = try await setUp(always: .failed("status 500"))
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        setting.server.clock.advance(by: .days(2))
        setting.receiver.answer(always: nil)
        try await setting.deliverAll()
        setting.receiver.answer(always: .failed("status 500"))
        setting.server.clock.advance(by: .days(2))
        try await setting.server.tell(2, about: setting.ada)
        try await setting.deliverAll()
        #expect(try await setting.server.webhook(setting.id).string("state") == "webhook_unreachable")
    }

    @Test("After an outage, the first success has everything that failed delivered at once")
    func outage() async throws {
        let setting = try await setUp(always: .failed("nothing accepts connections there"))
        try await setting.server.tell(1, about: setting.ada)
        for _ in 0..<8 {
            _ = try await setting.delivery.deliverAllDue()
            setting.server.clock.advance(by: .minutes(10))
        }
        try await setting.server.tell(1, about: setting.bob)
        setting.receiver.answer(always: nil)
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.bob) == ["1"])
        #expect(try await setting.server.webhook(setting.id)["waiting"]?.integer == 0)
    }

    @Test("A receiver that answers 410 is switched off at once")
    func gone() async throws {
        let setting = try await setUp(always: .gone)
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        #expect(try await setting.server.webhook(setting.id).string("state") == "webhook_disabled")
    }

    @Test(
        "attack: webhook replay: an event that is delivered again has the id of the first time, for its receiver to recognize"
    )
    func replayed() async throws {
        let setting = try await setUp()
        try await setting.server.tell(1, about: setting.ada)
        setting.server.clock.advance(by: .hours(2))
        try await setting.server.tell(2, about: setting.ada)
        try await setting.deliverAll()
        let first = setting.receiver.requests.map(\.id)
        let answer = try await setting.server.administer(["webhook", "replay", setting.id, "--since", "1h"])
        #expect(answer["again"]?.integer == 1)
        try await setting.deliverAll()
        #expect(setting.receiver.requests.map(\.id) == first + [first[1]])
    }

    @Test("attack: hundreds of events of one person, behind one that failed, hold up no others")
    func manyFollowers() async throws {
        let setting = try await setUp([.failed("status 400")])
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        for number in 2...600 {
            setting.server.clock.advance(by: .milliseconds(1))
            try await setting.server.tell(number, about: setting.ada)
        }
        try await setting.server.tell(1, about: setting.bob)
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.bob) == ["1"])
        #expect(try setting.numbers(about: setting.ada) == ["1"])
        setting.server.clock.advance(by: .seconds(7))
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada) == ["1"] + (1...600).map(String.init))
    }

    @Test("attack: a thousand events of one person, behind one that is being delivered, hold up no others")
    func manyBehindOneInDelivery() async throws {
        let setting = try await setUp()
        let other = setting.server.delivery(to: setting.receiver)
        try await setting.server.context.database.write { connection in
            for number in 1...1_000 {
                let event = try setting.server.event(number, about: setting.ada)
                try event.write(sequence: 0, on: connection)
            }
        }
        setting.server.clock.advance(by: .milliseconds(1))
        let isFirst = Mutex(true)
        setting.receiver.atEachPost { _ in
            let isFirst = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            guard isFirst else { return }
            try await setting.server.tell(1, about: setting.bob)
            while try await other.deliverAllDue() > 0 {}
        }
        #expect(try await setting.delivery.deliverAllDue() == 1)
        #expect(try setting.numbers(about: setting.bob) == ["1"])
        #expect(try setting.numbers(about: setting.ada) == ["1"])
        // What waited for the first one need not wait for the end of a pause.
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada) == (1...1_000).map(String.init))
    }

    @Test("A thousand waiting events of one person let an event of another go before them, in a single process")
    func manyBeforeAnother() async throws {
        let setting = try await setUp()
        try await setting.server.context.database.write { connection in
            for number in 1...1_000 {
                let event = try setting.server.event(number, about: setting.ada)
                try event.write(sequence: 0, on: connection)
            }
        }
        setting.server.clock.advance(by: .milliseconds(1))
        try await setting.server.tell(1, about: setting.bob)
        #expect(try await setting.delivery.deliverAllDue() == 2)
        #expect(try setting.numbers(about: setting.bob) == ["1"])
    }

    @Test("An event that no one accepted expires after seven days, and holds up its followers no longer")
    func expired() async throws {
        let setting = try await setUp([.failed("status 500")])
        try await setting.server.tell(1, about: setting.ada)
        try await setting.deliverAll()
        setting.server.clock.advance(by: .days(7))
        try await setting.server.tell(2, about: setting.ada)
        try await setting.deliverAll()
        #expect(try setting.numbers(about: setting.ada) == ["1", "2"])
    }

    @Test("A clock that leaps lets no event expire: it is delivered when the clock is right again")
    func leapedClock() async throws {
        let setting = try await setUp()
        try await setting.server.tell(1, about: setting.ada)
        setting.server.clock.leap(by: .days(40))
        let early = try await setting.delivery.deliverAllDue()
        setting.server.clock.leap(by: .days(-40))
        let later = try await setting.delivery.deliverAllDue()
        #expect([early, later] == [0, 1])
    }

    @Test(
        "10,000 waiting deliveries: all are delivered, each once, and a failing receiver is not asked for each of them")
    func tenThousand() async throws {
        let setting = try await setUp(always: .failed("nothing accepts connections there"))
        try await setting.server.context.database.write { connection in
            for number in 0..<10_000 {
                var bytes = [UInt8](repeating: 0xA0, count: 16)
                for index in 0..<4 { bytes[15 - index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
                guard let id = UniqueID(bytes: bytes) else { continue }
                try BackendEvent(
                    id: id, kind: .devices, type: "test.event", clientID: nil, brandID: "default",
                    subject: number % 2 == 0 ? id : setting.ada, position: Int64(number),
                    occurredAt: setting.server.clock.now(), data: JSONObject()
                ).write(sequence: 0, on: connection)
            }
        }
        #expect(try await setting.delivery.deliverAllDue() <= 64)
        for _ in 0..<5 { #expect(try await setting.delivery.deliverAllDue() <= 16) }
        setting.receiver.answer(always: nil)
        try await setting.server.administer(["webhook", "replay", setting.id])
        // The events of one subject go one after the other, so half of them are enough here.
        while Set(setting.receiver.requests.map(\.id)).count < 5_000, try await setting.delivery.deliverAllDue() > 0 {}
        let waiting = try await setting.server.webhook(setting.id)["waiting"]?.integer ?? 0
        #expect(waiting < 5_100)
        #expect(try await setting.server.webhook(setting.id).string("state") == "active")
    }

    @Test(
        "While the server runs, an event leaves as soon as it is committed, and stopping waits for what is under way",
        .timeLimit(.minutes(5)))
    func service() async throws {
        let setting = try await setUp()
        let running = Task { await setting.delivery.run() }
        _ = try await setting.server.account()
        for await _ in setting.receiver.posts { break }
        setting.delivery.stop()
        await running.value
        #expect(setting.receiver.types == ["account.created"])
        #expect(try await setting.server.webhook(setting.id)["waiting"]?.integer == 0)
    }
}
