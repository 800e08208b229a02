import Core
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
        func pass(_ seconds: Int, until condition: () -> Bool = { false }) async throws {
            for _ in 0..<seconds where !condition() {
                server.clock.advance(by: .seconds(1))
                try await send()
            }
        }
    }

    private func pass(_ seconds: Int, at pushes: TestPushes, _ delivery: MessageDelivery) async throws {
        for _ in 0..<seconds {
            pushes.server.clock.advance(by: .seconds(1))
            while try await delivery.deliverDue(.push) > 0 {}
        }
    }

    @Test("A thousand pushes cost a dead service one batch and a few attempts, and each goes out once when it returns")
    func count() async throws {
        let pushes = try await TestPushes.open()
        let service = ServiceTransport()
        let delivery = pushes.server.context.delivery(by: MessageTransports(push: service, timeout: .seconds(10)))
        try await pushes.post(uncounted: 1000)
        while try await delivery.deliverDue(.push) > 0 {}
        try await pass(60, at: pushes, delivery)
        // After 1, 3, 7, 15, 31 and 56 seconds.
        #expect(service.attempts.count == 64 + 6)
        let untouched = "outbox WHERE channel = 'push' AND attempts = 0 AND failure IS NULL"
        #expect(try await pushes.server.rows(of: untouched) == 1000 - 70)
        let waiting = try await pushes.server.flows.countOutbox().first { $0.channel == "push" }
        #expect(waiting?.waiting == 1000)

        service.become(ServiceTransport.up)
        try await pass(60, at: pushes, delivery)
        #expect(service.accepted.count == 1000)
        #expect(Set(service.accepted.map(\.id)).count == 1000)
    }

    @Test("Firebase's pushes go out at once while Apple's service is down, however many wait for that")
    func otherService() async throws {
        let pushes = try await TestPushes.open()
        let tablet = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
        try await pushes.register(TestPushes.otherToken, .fcm, on: tablet)
        let service = ServiceTransport { $0.push?.service == .fcm ? .delivered : .unavailable("apns: 503") }
        let delivery = pushes.server.context.delivery(by: MessageTransports(push: service, timeout: .seconds(10)))
        try await pushes.post(uncounted: 300)
        while try await delivery.deliverDue(.push) > 0 {}
        #expect(service.attempts.count == 64)
        try await pushes.post(uncounted: 1, to: tablet)
        while try await delivery.deliverDue(.push) > 0 {}
        #expect(service.accepted.count == 1)
        try await pushes.post(uncounted: 100, to: tablet)
        while try await delivery.deliverDue(.push) > 0 {}
        #expect(Set(service.accepted.map(\.id)).count == 101)
        #expect(service.accepted.count == 101)
        #expect(service.attempts.count == 64 + 101)
        try await pass(3, at: pushes, delivery)
        #expect(service.attempts.count == 64 + 101 + 2)
    }

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

    @Test("One mail that never gets through holds up no other, and several do so for less than half a minute")
    func poison() async throws {
        let mail = try await Mail.setUp()
        mail.service.become { $0.recipient.hasPrefix("ada") ? .unavailable("smtp: timeout") : .delivered }
        try await mail.tell("ada")
        try await mail.send()
        try await mail.tell("grace")
        try await mail.send()
        #expect(mail.service.accepted.count == 1)

        try await mail.tell("ada", times: 20)
        try await mail.send()
        try await mail.pass(60)
        for number in 2...4 {
            try await mail.tell("grace")
            try await mail.pass(30) { mail.service.accepted.count == number }
            #expect(mail.service.accepted.count == number)
            try await mail.pass(20)
        }
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
        #expect(mail.service.accepted.count == 21)
        #expect(Set(mail.service.accepted.map(\.id)).count == 21)
    }

    @Test("A message that an operator retries ends the wait for a service that is back")
    func retried() async throws {
        let mail = try await Mail.setUp()
        try await mail.tell("grace", times: 20)
        try await mail.send()
        try await mail.pass(40)
        mail.service.become(ServiceTransport.up)
        try await mail.send()
        #expect(mail.service.accepted.isEmpty)
        let id = try #require(mail.service.attempts.first?.id)
        try await mail.server.administer(["outbox", "retry", id])
        try await mail.send()
        #expect(mail.service.accepted.contains { $0.id == id })
    }
}
