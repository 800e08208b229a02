import Core
import FlowSupport
import Foundation
import Loyalty
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Apple
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("What webhooks say", .covers("webhooks"))
struct WebhookBodyTests {
    /// What a receiver has of everything that is due.
    private func delivered(by server: TestServer) async throws -> ScriptedReceiver {
        let receiver = ScriptedReceiver()
        let delivery = server.delivery(to: receiver)
        while try await delivery.deliverAllDue() > 0 {}
        return receiver
    }

    @Test("A shop's backend hears of each step of its transaction in order, and of the signer")
    func transaction() async throws {
        let till = try await TestTill.open()
        try await till.server.addWebhook(client: "shop", kinds: [.transactions])
        let confirmed = try await till.confirmed()
        _ = try await till.sign(confirmed, till.byPIN(confirmed)).get()
        let receiver = try await delivered(by: till.server)
        #expect(
            receiver.types == [
                "transaction.created", "transaction.claimed", "transaction.confirmed", "transaction.signed",
            ])
        let signed = try #require(receiver.data.last)
        #expect(try signed.string("transactionId") == confirmed.transactionID.rawValue)
        #expect(try signed.string("status") == "SIGNED")
        #expect(try signed.string("secondFactor") == "PIN")
        #expect(try signed.string("sub") == till.account.rawValue)
        #expect(try signed.string("deviceId") == till.phone.id.rawValue)
        #expect(try signed.string("clientId") == "shop")
    }

    @Test("attack: a code on a wall tells by webhook nothing about a person who does not sign")
    func withheld() async throws {
        let till = try await TestTill.open(withoutAccount: true)
        try await till.server.addWebhook(client: "shop", kinds: [.transactions])
        try await till.server.addWebhook(brand: "default", kinds: [.transactions])
        let created = try await till.ask(till.purchase(for: nil)).get()
        _ = try await till.reject(till.claim(created.link).get()).get()
        let receiver = try await delivered(by: till.server)
        #expect(receiver.types.count == 6)
        for request in receiver.requests {
            let body = String(decoding: request.body, as: UTF8.self)
            for secret in [till.account.rawValue, till.phone.id.rawValue] { #expect(!body.contains(secret)) }
        }
    }

    @Test("A transaction that ends with its device is reported once, as cancelled")
    func removedDevice() async throws {
        let till = try await TestTill.open()
        _ = try await till.confirmed()
        try await till.server.addWebhook(client: "shop", kinds: [.transactions])
        try await till.server.administer(["device", "remove", till.phone.id.rawValue])
        let receiver = try await delivered(by: till.server)
        #expect(receiver.types == ["transaction.cancelled"])
        #expect(try receiver.data.first?.string("reason") == "DEVICE_REMOVED")
    }

    @Test("A sign-in is reported with the properties that its app gave, and without address or browser")
    func signIn() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        _ = try await server.publicClient()
        try await server.addWebhook(client: "app", kinds: [.signIns])
        let entry = try server.context.auditLog.entry(
            LoginEvent.signedIn, account: #require(UniqueID(uuid: account.rawValue)), client: "app",
            origin: RequestOrigin(address: "192.0.2.1", traceID: "00000000000000000000000000000001"),
            properties: ["campaign": "spring"], now: server.clock.now())
        _ = try await server.context.database.write { try entry.write(on: $0) }
        let receiver = try await delivered(by: server)
        #expect(receiver.types == ["account.signed_in"])
        let data = try #require(receiver.data.first)
        #expect(data["properties"]?.object == JSONObject(strings: ["campaign": "spring"]))
        #expect(Set(data.members.map(\.name)) == ["sub", "properties", "clientId"])
    }

    @Test("attack: an app's own property replaces no member of an event, and stays in the audit log")
    func reservedMembers() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        _ = try await server.publicClient()
        try await server.addWebhook(client: "app", kinds: [.identities])
        let entry = try server.context.auditLog.entry(
            IdentityEvent.linked, account: #require(UniqueID(uuid: account.rawValue)), client: "app",
            properties: ["provider": "shop"],
            appProperties: ["provider": "apple", "reason": "withdrawn", "terms": "1"],
            now: server.clock.now())
        _ = try await server.context.database.write { try entry.write(on: $0) }
        let data = try #require(try await delivered(by: server).data.first)
        #expect(try data.string("provider") == "shop")
        #expect(Set(data.members.map(\.name)) == ["sub", "provider", "clientId"])
        let logged = try await server.rows(
            of: "security_events WHERE details LIKE '%\"provider\":\"shop\"%' AND details LIKE '%withdrawn%'")
        #expect(logged == 1)
    }

    @Test("A receiver hears of its client or its brand only, and of the kinds it asked for")
    func subscriptions() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        try await server.administer(["brand", "create", "other", "--name", "Other"])
        try await server.addWebhook(client: "app")
        try await server.addWebhook(brand: "other")
        try await server.addWebhook(brand: "default", kinds: [.devices])
        try await server.addWebhook(brand: "default", kinds: [.accounts, .sessions])
        _ = try await server.account()
        let receiver = try await delivered(by: server)
        #expect(receiver.types == ["account.created"])
    }

    @Test("attack: a person whose number is another's now is not named to the client where that was proved")
    func releasedNumber() {
        #expect(AccountEvent.phoneReleased.webhookKind == nil)
    }

    @Test("An account's erasure is reported by its id alone")
    func erasure() async throws {
        let server = try await TestServer.start()
        let account = try await server.account { $0.email = "ada@example.com" }
        try await server.addWebhook(brand: "default", kinds: [.accounts])
        try await server.administer(["account", "erase", "ada"])
        let receiver = try await delivered(by: server)
        #expect(receiver.types == ["account.erased"])
        #expect(receiver.data.first == JSONObject(strings: ["sub": account.rawValue]))
    }

    @Test("A merge is reported once, with both accounts, and not as an erasure")
    func merge() async throws {
        let server = try await TestServer.start()
        let (guest, account) = (try await server.account("guest"), try await server.account("ada"))
        try await server.addWebhook(brand: "default", kinds: [.accounts])
        try await server.administer(["account", "merge", "guest", "--into", "ada"])
        let receiver = try await delivered(by: server)
        #expect(receiver.types == ["account.merged"])
        let data = try #require(receiver.data.first)
        #expect(data.names == ["sub", "mergedInto"])
        #expect(data["sub"]?.string == guest.rawValue && data["mergedInto"]?.string == account.rawValue)
    }

    @Test("attack: what an app said of a sign-in does not leave after the account's erasure, nor by a replay")
    func erasedProperties() async throws {
        let server = try await TestServer.start()
        let account = try await server.account { $0.email = "ada@example.com" }
        _ = try await server.publicClient()
        let id = try await server.addWebhook(brand: "default", kinds: [.signIns, .accounts])
        let entries = try [["campaign": "Ada's birthday"], [:], ["campaign": "Ada's wedding"]].map { properties in
            try server.context.auditLog.entry(
                LoginEvent.signedIn, account: #require(UniqueID(uuid: account.rawValue)), client: "app",
                properties: properties, now: server.clock.now())
        }
        _ = try await server.context.database.write { try entries[0].write(on: $0) }
        let before = try await delivered(by: server)
        #expect(before.types == ["account.signed_in"])
        try await server.context.database.write { connection in
            for entry in entries[1...] { try entry.write(on: connection) }
        }
        try await server.administer(["account", "erase", "ada"])
        try await server.administer(["webhook", "replay", id, "--since", "1h"])
        let after = try await delivered(by: server)
        #expect(after.types == ["account.signed_in", "account.erased"])
        #expect(!after.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("campaign") })
    }

    @Test("docs/webhooks.md names every type of event, in the row of its kind, and no other")
    func page() throws {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/webhooks.md"), encoding: .utf8)
        var listed: [String: Set<String>] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.split(separator: "`").filter { !$0.contains(" ") } }
            listed[String(cells[0].first ?? "")] = Set(cells[1].map(String.init))
        }
        let events: [any SecurityEventKind] =
            Administration.eventKinds + AppleFlows.eventKinds + LoyaltyFlows.eventKinds
        var sent = [WebhookKind.transactions.rawValue: Set(TransactionEvent.allCases.map(\.rawValue))]
        for event in events {
            if let kind = event.webhookKind { sent[kind.rawValue, default: []].insert(event.rawValue) }
        }
        #expect(listed == sent)
        #expect(Set(sent.keys) == Set(WebhookKind.allCases.map(\.rawValue)))
    }

    @Test("What is undone with its write is not reported")
    func undone() async throws {
        struct Undone: Error {}
        let server = try await TestServer.start()
        let account = try await server.account()
        try await server.addWebhook(brand: "default")
        let entry = try server.context.auditLog.entry(
            AccountEvent.deactivated, account: #require(UniqueID(uuid: account.rawValue)), now: server.clock.now())
        await #expect(throws: Undone.self) {
            try await server.context.database.write { connection -> Void in
                try entry.write(on: connection)
                throw Undone()
            }
        }
        let receiver = try await delivered(by: server)
        #expect(receiver.requests.isEmpty)
    }
}
