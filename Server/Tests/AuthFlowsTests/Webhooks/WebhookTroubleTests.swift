import Core
import Outbound
import Store
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
}
