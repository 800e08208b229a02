import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("Delivery of pushes", .covers("pushes about approvals"))
struct PushDeliveryTests {
    @Test("A push goes to the address that its device has when it is sent")
    func changedAddress() async throws {
        let pushes = try await TestPushes.open()
        try await pushes.post()
        try await pushes.register(TestPushes.otherToken)
        try await pushes.deliver()
        #expect(pushes.transport.messages.map(\.recipient) == [TestPushes.otherToken])
    }

    @Test("A push whose device has no address any more is dropped")
    func removedAddress() async throws {
        let pushes = try await TestPushes.open()
        try await pushes.post()
        try await pushes.register(nil)
        try await pushes.deliver()
        #expect(pushes.transport.messages.isEmpty)
        #expect(try await pushes.rows().isEmpty)
    }

    @Test(
        "attack: another account's device, and another device's sealed address, are never used",
        .threat("Pushes that tire or mislead")
    )
    func foreignAddress() async throws {
        let pushes = try await TestPushes.open()
        let tablet = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
        let other = try await pushes.server.account("mallory")
        let mallory = try #require(UniqueID(bytes: other.bytes))
        let (sealing, now) = (pushes.server.context.sealing, pushes.server.clock.now())
        try await pushes.server.context.database.write { [phone = pushes.phone, account = pushes.account] connection in
            let values = [ApprovalMessage.device: phone.uuid]
            #expect(
                try PushedDevices().registration(
                    in: values, of: account, sealing: sealing, now: now, on: connection)?.token == TestPushes.token)
            #expect(
                try PushedDevices().registration(in: values, of: mallory, sealing: sealing, now: now, on: connection)
                    == nil)
            // The phone's bytes in the row of the tablet.
            let address = try Devices.find(phone, on: connection)?.pushAddress
            _ = try Devices.setPushAddress(of: tablet, of: account, to: address, on: connection)
            #expect(
                try PushedDevices().registration(
                    in: [ApprovalMessage.device: tablet.uuid], of: account, sealing: sealing, now: now,
                    on: connection) == nil)
        }
    }

    @Test("An address that no longer leads to the app is taken away, and the message is not sent again")
    func unregistered() async throws {
        let pushes = try await TestPushes.open([.unregistered("apns: BadDeviceToken")])
        try await pushes.post()
        try await pushes.deliver()
        #expect(try await pushes.registered() == nil)
        let row = try #require(try await pushes.rows().first)
        #expect(row.failure == "apns: BadDeviceToken" && row.failedAt != nil)
        #expect(try await pushes.post() == .noAddress)
        let metrics = try await pushes.server.flows.countOutbox()
        #expect(metrics.first { $0.channel == "push" }?.failed == 1)
        let events = try await pushes.server.context.database.read { [account = pushes.account] in
            try AuditChains.recent(account: account, kind: "device.push_removed", limit: 9, on: $0)
        }
        #expect(events.count == 1)
        let details = try #require(events.first).details
        #expect(details.contains("unregistered") && details.contains(pushes.phone.uuid))
        #expect(!details.contains(TestPushes.token))
    }

    @Test("An address that the app registered after Apple found it void stays, and so does one that replaced it")
    func registeredAgain() async throws {
        let void = Timestamp(seconds: 0)
        let pushes = try await TestPushes.open([.unregistered("apns: Unregistered", since: void)])
        let (sealing, now) = (pushes.server.context.sealing, pushes.server.clock.now())
        try await pushes.post()
        try await pushes.deliver()
        #expect(try await pushes.registered() == TestPushes.token)

        let auditLog = pushes.server.context.auditLog
        try await pushes.server.context.database.write { [phone = pushes.phone, account = pushes.account] connection in
            let sent = try PushedDevices().registration(
                in: [ApprovalMessage.device: phone.uuid], of: account, sealing: sealing, now: now, on: connection)
            let address = PushAddress(token: try PushToken(TestPushes.otherToken), environment: .production)
            let sealed = try DeviceVault(sealing).seal(
                RegisteredPushAddress(address, at: now).text, .pushAddress, of: phone)
            _ = try Devices.setPushAddress(of: phone, of: account, to: sealed, on: connection)
            try PushedDevices().remove(
                try #require(sent), of: account, since: nil, auditLog: auditLog, now: now, on: connection)
        }
        #expect(try await pushes.registered() == TestPushes.otherToken)
    }

    @Test("A push is postponed for as long as the service asks, and then sent under the same id")
    func postponed() async throws {
        let pushes = try await TestPushes.open([.postponed("apns: 429", retryAfter: .seconds(60))])
        try await pushes.post()
        try await pushes.deliver()
        #expect(try await pushes.rows().first?.failure == "apns: 429")
        pushes.server.clock.advance(by: .seconds(59))
        #expect(try await pushes.deliver() == 0)
        pushes.server.clock.advance(by: .seconds(1))
        #expect(try await pushes.deliver() == 1)
        #expect(Set(pushes.transport.messages.map(\.id)).count == 1)
        #expect(pushes.transport.messages.count == 2)
    }

    @Test("A push about a transaction that has ended is not sent")
    func ended() async throws {
        let pushes = try await TestPushes.open()
        let created = try await pushes.till.created()
        _ = try await pushes.till.cancel(created.transactionID).get()
        try await pushes.deliver()
        #expect(pushes.transport.messages.isEmpty)
        #expect(try await pushes.rows().isEmpty)
    }

    @Test(
        "An operation waits from its push until it is approved or expires or another way is challenged; an unknown one does not"
    )
    func operation() async throws {
        let phones = try await TestPhones.open()
        let shop = phones.shop
        let event = try await shop.required(TestShop.transfer())
        let id = try #require(UniqueID(uuid: event.rawValue))
        let unknown = try shop.server.context.random.timeOrderedID(shop.server.clock.now())
        func waits(_ kind: String, _ id: UniqueID, in time: Duration = .zero) async throws -> Bool? {
            let now = shop.server.clock.now() + time
            return try await shop.server.context.database.read { try ConsentRows().waits(kind, id, now: now, on: $0) }
        }
        #expect(try await waits("operation", id) == false)
        _ = try await shop.challenge(.push, of: event).get()
        #expect(try await waits("operation", id) == true)
        shop.server.clock.advance(by: SCALimits.interval)
        _ = try await shop.challenge(.email, of: event).get()
        #expect(try await waits("operation", id) == false)
        shop.server.clock.advance(by: SCALimits.interval)
        let challenge = try await shop.challenge(.push, of: event).get()
        #expect(try await waits("operation", id) == true)
        #expect(try await waits("operation", id, in: .days(1)) == false)
        #expect(try await waits("operation", unknown) == false)
        #expect(try await waits("transaction", id) == nil)
        _ = try await phones.approve(phones.assertion(challenge, on: phones.phone), at: event, on: phones.phone).get()
        #expect(try await waits("operation", id) == false)
    }

    @Test("A push that expired while it waited is not sent, and one that is opened late leads to no approval")
    func expired() async throws {
        let pushes = try await TestPushes.open([.postponed("apns: 503")])
        let created = try await pushes.till.created(expiresIn: 60)
        try await pushes.deliver()
        pushes.server.clock.advance(by: .seconds(60))
        #expect(try await pushes.deliver() == 0)
        #expect(pushes.transport.messages.count == 1)
        let opened = try await pushes.till.claim(created.link)
        guard case .failure(.refused(.over(.expired))) = opened else {
            Issue.record("\(opened)")
            return
        }
    }

    @Test("The topic of a push is that of the device's client")
    func topic() async throws {
        let pushes = try await TestPushes.open()
        try await pushes.server.administer(["client", "update", "app", "--push-topic", "com.example.other"])
        try await pushes.post()
        try await pushes.deliver()
        #expect(pushes.transport.messages.map(\.push?.topic) == ["com.example.other"])
        try await pushes.server.administer(["client", "update", "app", "--push-topic", ""])
        try await pushes.post()
        try await pushes.deliver()
        #expect(pushes.transport.messages.last?.push?.topic == nil)
        let refused = await pushes.server.flows.administration.execute(
            AdminRequest(["client", "update", "app", "--push-topic", "com example"]))
        #expect(refused.refusal?.code == "malformed")
        let backend = await pushes.server.flows.administration.execute(
            AdminRequest(["client", "update", "shop", "--push-topic", "com.example"]))
        #expect(backend.refusal?.code == "contradiction")
    }

    @Test("A hundred pushes of a moment are all sent, each once")
    func many() async throws {
        let pushes = try await TestPushes.open()
        try await pushes.post(uncounted: 100)
        while try await pushes.deliver() > 0 {}
        #expect(pushes.transport.messages.count == 100)
        #expect(Set(pushes.transport.messages.map(\.id)).count == 100)
    }
}
