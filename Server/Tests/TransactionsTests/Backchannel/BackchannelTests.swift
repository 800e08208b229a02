import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("Sign-in on the phone for a client that names the person", .covers("sign-in on the phone for a client"))
struct BackchannelTests {
    @Test(
        "The client polls until the person has signed on the phone, and gets one session, which counts as from elsewhere"
    )
    func wholeJourney() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        #expect(answer.expiresIn == 300)
        #expect(answer.interval == 5)
        #expect(try await desk.poll(answer).refusal == .authorizationPending)
        let signed = try await desk.approve()
        let tokens = try await desk.wait(answer).get()
        #expect(tokens.idToken != nil)
        // It is not a session of the phone, whose approvals are not the desk's to see.
        let session = try await desk.server.context.database.read { connection in
            try connection.query("SELECT acr, amr FROM sessions WHERE client_id = 'desk' AND device_id IS NULL", [])
                .map { try $0.text("acr") + " " + $0.text("amr") }
        }
        let methods = try #require(session.first).split(separator: " ")
        #expect(session.count == 1)
        #expect(methods.prefix(2) == ["urn:wallet-auth:acr:1fa", "bio"])
        #expect(methods.suffix(2) == ["cross_device", "backchannel"])
        // From the session to the signature.
        let entries = try await desk.server.context.database.read { connection in
            try connection.query(
                "SELECT kind FROM security_events WHERE kind = 'backchannel_sign_in.redeemed'", []
            ).count
        }
        #expect(entries == 1)
        #expect(try await desk.till.flows.evidence(named: signed.transactionID.rawValue).count == 1)
    }

    @Test(
        "The phone shows who asks, the message and the scopes, in the person's language, and signs the rest by its hash",
        .conformance("fapi-ciba-id1-ensure-authorization-request-with-binding-message-succeeds")
    )
    func shown() async throws {
        let desk = try await TestDesk.open()
        _ = try await desk.ask(message: "K7QX").get()
        let payload = try TransactionPayload(parsing: await desk.claimed().payload)
        #expect(payload.content.type == .backchannelSignIn)
        #expect(payload.content.lines.map(\.label) == ["Sign in to", "Message", "Access to"])
        #expect(payload.content.lines.map(\.value) == ["Desk", "K7QX", "profile"])
        #expect(payload.content.dataHash != nil)
    }

    @Test(
        "A refusal on the phone is access_denied, and so is a lost phone",
        .conformance("fapi-ciba-id1-user-rejects-authentication"))
    func refused() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        try await desk.refuse()
        #expect(try await desk.wait(answer).refusal == .accessDenied)
        #expect(try await desk.poll(answer).refusal == .accessDenied)
        let next = try await desk.ask().get()
        _ = try await desk.claimed()
        try await desk.server.administer(["device", "remove", desk.till.phone.id.rawValue])
        #expect(try await desk.wait(next).refusal == .accessDenied)
    }

    @Test(
        "The time is the client's wish, within what transactions may have", arguments: [(1, 30), (60, 60), (9999, 900)])
    func expiry(asked: Int64, given: Int64) async throws {
        let desk = try await TestDesk.open()
        #expect(try await desk.ask(expiry: asked).get().expiresIn == given)
    }

    @Test(
        "Each poll before its time adds five seconds",
        .conformance("fapi-ciba-id1-multiple-call-to-token-endpoint"))
    func slowDown() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        #expect(try await desk.poll(answer).refusal == .authorizationPending)
        desk.server.clock.advance(by: .seconds(2))
        #expect(try await desk.poll(answer).refusal == .slowDown)
        #expect(try await desk.wait(answer).refusal == .slowDown)
        desk.server.clock.advance(by: .seconds(15))
        #expect(try await desk.poll(answer).refusal == .authorizationPending)
    }

    @Test("An ID token names the person to the client that it was issued to, and to no other")
    func idTokenHint() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        try await desk.approve()
        let token = try #require(try await desk.wait(answer).get().idToken)
        _ = try await desk.ask(.idToken(token)).get()
        let other = try await TestDesk.register("other", at: desk.server)
        for hint in [token, try IDToken("a.b.c")] {
            guard case .invalidRequest = try await desk.ask(.idToken(hint), as: other).refusal else {
                Issue.record("the hint was taken")
                continue
            }
        }
    }

    @Test("A client in ping mode is notified once of each decision, with its own token, and then gets the tokens")
    func ping() async throws {
        let desk = try await TestDesk.open(.ping) { $0.notificationEndpoint = TestServer.hook + "/ping" }
        guard case .invalidRequest = try await desk.ask().refusal else {
            Issue.record("a request without a token was accepted")
            return
        }
        let token = try ClientNotificationToken("8d67dc78-7faa-4d41-aabd-67707b374255")
        let receiver = ScriptedReceiver()
        let delivery = desk.server.delivery(to: receiver)
        let answer = try await desk.ask(token: token).get()
        while try await delivery.deliverAllDue() > 0 {}
        #expect(receiver.requests.isEmpty)
        try await desk.approve()
        while try await delivery.deliverAllDue() > 0 {}
        let request = try #require(receiver.requests.first)
        #expect(receiver.requests.count == 1)
        #expect(request.url == TestServer.hook + "/ping")
        #expect(request.bearer == token)
        #expect(request.signatures.isEmpty)
        let body = try JSONValue.object(parsing: request.body)
        #expect(body.members.map(\.name) == ["auth_req_id"])
        #expect(try body.string("auth_req_id") == answer.requestID.reveal())
        _ = try await desk.wait(answer).get()
        _ = try await desk.ask(token: token).get()
        try await desk.refuse()
        while try await delivery.deliverAllDue() > 0 {}
        #expect(receiver.requests.count == 2)
        let stored = try await desk.server.context.database.read { connection in
            try connection.query("SELECT body FROM webhook_deliveries WHERE type = 'ping'", []).map {
                try $0.text("body")
            }
        }
        #expect(stored == ["{}", "{}"], "neither the id nor the token is kept in the clear")
    }

    @Test("It is off until the operator turns it on, and for confidential clients alone")
    func offByDefault() async throws {
        let server = try await TestServer.start()
        _ = try await TestDesk.register("desk", nil, at: server)
        func shown(_ member: String) async throws -> String? {
            try await server.administer(["client", "show", "desk"]).string(member)
        }
        #expect(try await shown("ciba") == nil)
        try await server.administer(["client", "update", "desk", "--ciba", "poll"])
        #expect(try await shown("ciba") == "poll")
        for words in [
            ["client", "update", "desk", "--ciba", "push"], ["client", "update", "desk", "--ciba", "ping"],
            ["client", "update", "desk", "--ciba-notification-endpoint", TestServer.hook],
            [
                "client", "create", "app", "--name", "App", "--public", "--first-party", "--scope", "openid", "--ciba",
                "poll",
            ],
        ] {
            let answer = await server.flows.administration.execute(AdminRequest(words))
            #expect(answer.status == .refused, "\(words)")
        }
        let hook = TestServer.hook + "/ping?token=hidden"
        try await server.administer([
            "client", "update", "desk", "--ciba", "ping", "--ciba-notification-endpoint", hook,
        ])
        #expect(try await shown("backchannelNotificationEndpoint") == TestServer.hook + "/ping")
        try await server.administer(["client", "update", "desk", "--ciba", ""])
        #expect(try await shown("ciba") == nil)
        #expect(try await server.rows(of: "webhook_endpoints") == 0)
    }
}
