import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// A holder changes in one app what belongs to another.
@Suite("Whose backend hears of a device or a session", .covers("webhooks"))
struct WebhookOwnerTests {
    private static let (owners, others, brands) = (
        TestServer.hook + "/owner", TestServer.hook + "/other", TestServer.hook + "/brand"
    )

    /// Adds a receiver for the client whose device or session it is, one for another client, and one for the brand.
    private func addWebhooks(_ owner: String, _ other: String, _ kind: WebhookKind, on server: TestServer) async throws
    {
        try await server.addWebhook(client: owner, kinds: [kind], at: Self.owners)
        try await server.addWebhook(client: other, kinds: [kind], at: Self.others)
        try await server.addWebhook(brand: "default", kinds: [kind], at: Self.brands)
    }

    /// Delivers everything, and checks that one event of a type reached the owner's and the brand's receiver.
    private func expectOnlyOwner(_ owner: String, hears type: String, from server: TestServer) async throws {
        let receiver = ScriptedReceiver()
        let delivery = server.delivery(to: receiver)
        while try await delivery.deliverAllDue() > 0 {}
        #expect(receiver.types == [type, type])
        #expect(receiver.requests.map(\.url).sorted() == [Self.brands, Self.owners])
        #expect(try receiver.data.map { try $0.string("clientId") } == [owner, owner])
    }

    @Test("A PIN that is forgotten from another app is reported to the device's app, and not to the other")
    func forgottenPIN() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let (owner, other) = (pin.device.app.client.id.rawValue, try await server.publicClient("other"))
        let device = try await TestDevice.signedIn(pin.account, other)
        try await addWebhooks(owner, "other", .devices, on: server)
        try await server.flows.signIn.pins.forget(
            on: pin.id, call: device.call(.delete, Endpoints.devicePIN.path(pin.id))
        ).get()
        try await expectOnlyOwner(owner, hears: "pin.forgotten", from: server)
    }

    @Test("A session that the holder ends on the account's page is reported to the app whose session it was")
    func endedSession() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let app = try await server.bearerClient()
        _ = try await server.publicClient("other")
        _ = try await app.signIn(account)
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        let sessions = try #require(page.overview).sessions.map(\.session)
        let session = try #require(sessions.last)
        try await addWebhooks(app.id.rawValue, "other", .sessions, on: server)
        _ = try await browser.press(.endSession(id: session.id), on: page).accountPage()
        try await expectOnlyOwner(app.id.rawValue, hears: "session.ended_by_holder", from: server)
    }
    @Test("The end of all other sessions is reported once to each app that had one, and to no other app")
    func endedOthers() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let (first, second) = (try await server.bearerClient("first"), try await server.bearerClient("second"))
        _ = try await server.publicClient("other")
        for client in [first, second, first] {
            server.clock.advance(by: .milliseconds(1))
            _ = try await client.signIn(account)
        }
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        for client in ["first", "second", "other"] {
            try await server.addWebhook(client: client, kinds: [.sessions], at: "\(TestServer.hook)/\(client)")
        }
        try await server.addWebhook(brand: "default", kinds: [.sessions], at: Self.brands)
        let ended = try await browser.press(.endOtherSessions, on: page).accountPage()
        #expect(ended.notice == .otherSessionsEnded)
        let receiver = ScriptedReceiver()
        let delivery = server.delivery(to: receiver)
        while try await delivery.deliverAllDue() > 0 {}
        #expect(receiver.types == Array(repeating: "session.others_ended_by_holder", count: 3))
        let clients = try receiver.data.map { try #require(try $0.string("clientId")) }
        let heard = zip(receiver.requests, clients).map { "\($0.url) \($1)" }
        #expect(
            heard.sorted() == [
                "\(Self.brands) account-security", "\(TestServer.hook)/first first", "\(TestServer.hook)/second second",
            ])
        for data in receiver.data {
            #expect(Set(data.members.map(\.name)) == ["sub", "clientId"])
        }
    }
}
