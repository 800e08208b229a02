import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Outages of message services")
struct OutageTests {
    /// Two people with mailboxes, and a mail server that is down.
    private struct Mail {
        let server: TestServer
        let service = ServiceTransport()
        let delivery: MessageDelivery

        static func setUp() async throws -> Mail {
            let server = try await TestServer.start()
            for name in ["ada", "grace"] {
                _ = try await server.account(name) {
                    $0.email = "\(name)@example.com"
                    $0.emailVerified = true
                }
            }
            return Mail(server)
        }

        private init(_ server: TestServer) {
            self.server = server
            delivery = server.context.delivery(by: MessageTransports(email: service, timeout: .seconds(10)))
        }

        /// Something that the holder is notified of.
        func tell(_ name: String, times: Int = 1) async throws {
            for _ in 0..<times {
                let password = "another phrase \(UInt64.random(in: 0 ... .max))"
                try await server.administer(AdminRequest(["account", "set-password", name], input: password))
            }
        }

        /// Sends what is due, as the server does in a moment.
        func send() async throws { while try await delivery.deliverDue(.email) > 0 {} }

        /// Goes on for a time, and looks each second as the server does.
        func pass(_ seconds: Int) async throws {
            for _ in 0..<seconds {
                server.clock.advance(by: .seconds(1))
                try await send()
            }
        }
    }

    /// Ada's phone and tablet, both with addresses of Apple's, and a service that is down.
    private struct Pushes {
        let pushes: TestPushes
        let service: ServiceTransport
        let delivery: MessageDelivery
        let tablet: UniqueID

        static func open(_ service: ServiceTransport = ServiceTransport()) async throws -> Pushes {
            let pushes = try await TestPushes.open()
            let tablet = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
            try await pushes.register(TestPushes.otherToken, on: tablet)
            let delivery = pushes.server.context.delivery(by: MessageTransports(push: service, timeout: .seconds(10)))
            return Pushes(pushes: pushes, service: service, delivery: delivery, tablet: tablet)
        }

        /// Another device.
        func device(_ token: String, _ service: PushAddress.Service = .apns) async throws -> UniqueID {
            let device = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
            try await pushes.register(token, service, on: device)
            return device
        }

        /// Posts one to the tablet, and then the others to the phone.
        func post(_ number: Int) async throws {
            try await pushes.post(uncounted: 1, to: tablet)
            pushes.server.clock.advance(by: .milliseconds(1))
            try await pushes.post(uncounted: number - 1)
        }

        func send() async throws { while try await delivery.deliverDue(.push) > 0 {} }

        func pass(_ seconds: Int) async throws {
            for _ in 0..<seconds {
                pushes.server.clock.advance(by: .seconds(1))
                try await send()
            }
        }
    }

    @Test("A thousand pushes cost a dead service one batch and a few attempts, and each goes out once when it returns")
    func count() async throws {
        let pushes = try await Pushes.open()
        let (service, server) = (pushes.service, pushes.pushes.server)
        try await pushes.post(1000)
        try await pushes.send()
        try await pushes.pass(60)
        // Four after 1, 3, 7, 15, 31 and 56 seconds.
        #expect(service.attempts.count == 64 + 6 * 4)
        let untouched = "outbox WHERE channel = 'push' AND attempts = 0 AND failure IS NULL"
        #expect(try await server.rows(of: untouched) == 1000 - 88)
        let waiting = try await server.flows.countOutbox().first { $0.channel == "push" }
        #expect(waiting?.waiting == 1000)

        service.become(ServiceTransport.up)
        try await pushes.pass(60)
        #expect(service.accepted.count == 1000)
        #expect(Set(service.accepted.map(\.id)).count == 1000)
    }

    @Test("Firebase's pushes go out at once while Apple's service is down, however many wait for that")
    func otherService() async throws {
        let service = ServiceTransport { $0.push?.service == .fcm ? .delivered : .unavailable("apns: 503") }
        let pushes = try await Pushes.open(service)
        let android = try await pushes.device(Self.thirdToken, .fcm)
        try await pushes.post(300)
        try await pushes.send()
        #expect(service.attempts.count == 64)
        try await pushes.pushes.post(uncounted: 1, to: android)
        try await pushes.send()
        #expect(service.accepted.count == 1)
        try await pushes.pushes.post(uncounted: 100, to: android)
        try await pushes.send()
        #expect(Set(service.accepted.map(\.id)).count == 101)
        #expect(service.accepted.count == 101)
        #expect(service.attempts.count == 64 + 101)
        try await pushes.pass(3)
        // Four each after one second and after three.
        #expect(service.attempts.count == 173)
    }

    @Test("A single device at whose pushes the service fails holds up no other")
    func singleDevice() async throws {
        let pushes = try await Pushes.open(
            ServiceTransport { $0.recipient == TestPushes.token ? .unavailable("apns: 500") : .delivered })
        try await pushes.pushes.post(uncounted: 20)
        try await pushes.send()
        try await pushes.pushes.post(uncounted: 1, to: pushes.tablet)
        try await pushes.send()
        #expect(pushes.service.accepted.count == 1)
    }

    @Test("attack: fresh pushes to two devices that always fail keep no older push waiting; the queue drains at once")
    func freshPoison() async throws {
        let pushes = try await Pushes.open(
            ServiceTransport { $0.recipient == Self.thirdToken ? .delivered : .unavailable("apns: 500") })
        let honest = try await pushes.device(Self.thirdToken)
        try await pushes.post(2)
        try await pushes.send()
        try await pushes.pushes.post(uncounted: 100, to: honest)
        try await pushes.send()
        #expect(pushes.service.accepted.isEmpty)
        pushes.pushes.server.clock.advance(by: .milliseconds(1))
        try await pushes.post(10)
        try await pushes.pass(1)
        #expect(pushes.service.accepted.count == 100)
    }

    private static let thirdToken = String(repeating: "cc", count: 32)

    @Test("A mailbox that is refused for now holds up no other")
    func greylisted() async throws {
        let mail = try await Mail.setUp()
        mail.service.become { $0.recipient.hasPrefix("ada") ? .postponed("smtp: 450 to RCPT") : .delivered }
        try await mail.tell("ada", times: 20)
        try await mail.send()
        try await mail.tell("grace")
        try await mail.send()
        #expect(mail.service.accepted.map(\.recipient) == ["grace@example.com"])
    }

    @Test("attack: recipients that always meet 451 4.3.0, a new one each 3 s, delay no other person's code")
    func poison() async throws {
        let mail = try await Mail.setUp()
        for number in 0..<24 {
            _ = try await mail.server.account("mallory\(number)") {
                $0.email = "mallory\(number)@example.com"
                $0.emailVerified = true
            }
        }
        let isPoison: @Sendable (OutgoingMessage) -> Bool = { $0.recipient.hasPrefix("mallory") }
        // As a relay that cannot be reached would be reported.
        mail.service.become { isPoison($0) ? .unavailable("smtp: 451 4.3.0 to RCPT") : .delivered }
        let app = TestApp(client: try await mail.server.publicClient())
        var honest = 0
        for second in 0..<180 {
            if second.isMultiple(of: 3) { try await mail.tell("mallory\(second / 3 % 24)") }
            if second % 30 == 29 {
                try await mail.tell("grace")
                honest += 1
            }
            if second == 100 {
                _ = try await app.signIn().asked()
                honest += 1
            }
            try await mail.pass(1)
            #expect(mail.service.accepted.count == honest)
        }
        #expect(mail.service.accepted.contains { $0.kind == "second_factor_code" })

        mail.service.become(ServiceTransport.up)
        try await mail.tell("mallory0")
        try await mail.tell("grace")
        try await mail.send()
        #expect(mail.service.accepted.count == honest + 2)
    }

    @Test("A code that was written during an outage goes out within half a minute of its end")
    func code() async throws {
        let mail = try await Mail.setUp()
        try await mail.tell("grace", times: 20)
        try await mail.send()
        try await mail.pass(120)
        let app = TestApp(client: try await mail.server.publicClient())
        _ = try await app.signIn().asked()
        // It is the first to be tried, and fails as well.
        try await mail.pass(45)
        mail.service.become(ServiceTransport.up)
        try await mail.pass(30)
        #expect(mail.service.accepted.contains { $0.kind == "second_factor_code" })
        #expect(Set(mail.service.accepted.map(\.id)).count == mail.service.accepted.count)
    }

    @Test("A push that an operator retries ends the wait for a service that is back")
    func retried() async throws {
        let pushes = try await Pushes.open()
        try await pushes.post(20)
        try await pushes.send()
        try await pushes.pass(40)
        pushes.service.become(ServiceTransport.up)
        try await pushes.send()
        #expect(pushes.service.accepted.isEmpty)
        let id = try #require(pushes.service.attempts.first?.id)
        try await pushes.pushes.server.administer(["outbox", "retry", id])
        try await pushes.send()
        #expect(pushes.service.accepted.contains { $0.id == id })
    }

    @Test(
        "While one recipient's mail server is slow, the mails of others leave one after the other",
        .timeLimit(.minutes(5)))
    func slow() async throws {
        let mail = try await Mail.setUp()
        let transport = HangingTransport { $0.recipient.hasPrefix("grace") }
        let delivery = mail.server.context.delivery(by: MessageTransports(email: transport, timeout: .seconds(10)))
        let running = Task { await delivery.run() }
        try await mail.tell("grace")
        var held = transport.held.makeAsyncIterator()
        _ = await held.next()
        try await mail.tell("ada", times: 12)
        var accepted = transport.accepted.makeAsyncIterator()
        for _ in 0..<12 {
            let message = await accepted.next()
            #expect(message?.recipient == "ada@example.com")
        }
        delivery.stop()
        transport.release()
        // Stopping waits for what is under way.
        await running.value
        let last = await accepted.next()
        #expect(last?.recipient == "grace@example.com")
    }

    @Test("Mails that failed before have half of the connections, so a new one leaves at once", .timeLimit(.minutes(5)))
    func slowAgain() async throws {
        let mail = try await Mail.setUp()
        try await mail.tell("grace", times: 20)
        try await mail.send()
        mail.server.clock.advance(by: .seconds(30))
        let transport = HangingTransport { $0.recipient.hasPrefix("grace") }
        let delivery = mail.server.context.delivery(by: MessageTransports(email: transport, timeout: .seconds(10)))
        let running = Task { await delivery.run() }
        var held = transport.held.makeAsyncIterator()
        for _ in 0..<4 { _ = await held.next() }
        var accepted = transport.accepted.makeAsyncIterator()
        for _ in 0..<12 {
            try await mail.tell("ada")
            let message = await accepted.next()
            #expect(message?.recipient == "ada@example.com")
        }
        #expect(transport.heldCount == 4)
        delivery.stop()
        transport.release()
        await running.value
    }
}
