import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Back-channel logout", .covers("back-channel logout"))
struct BackchannelLogoutTests {
    private static let receiver = TestServer.hook + "/logout?token=hidden"

    /// The claims of a logout token, verified with the published key that it names.
    private func claims(of request: WebhookRequest, at server: TestServer) throws -> (CompactJWS, JSONObject) {
        let form = try FormParameters(parsing: request.body)
        #expect(form.parameters.map(\.name) == ["logout_token"])
        let jws = try CompactJWS(#require(form["logout_token"]))
        let keyID = try #require(jws.header.keyID)
        let key = try #require(server.context.keyRing.signingKey(keyID))
        return (jws, try jws.verified(by: key.verifier, type: JWSType("logout+jwt")).claims().object)
    }

    private func deliver(to receiver: ScriptedReceiver, from server: TestServer) async throws {
        let delivery = server.delivery(to: receiver)
        while try await delivery.deliverAllDue() > 0 {}
    }

    @Test(
        "The client hears of the end of a session by a token that is signed as its ID tokens are, with sub and sid",
        .conformance("oidcc-backchannel-rp-initiated-logout"),
        arguments: ["RS256", "ES256", "EdDSA"])
    func token(_ algorithm: String) async throws {
        let person = try await LeavingPerson {
            $0.idTokenAlgorithm = algorithm
            $0.backchannelLogoutURI = Self.receiver
        }
        let receiver = ScriptedReceiver()
        _ = try await person.signOut()
        try await deliver(to: receiver, from: person.server)
        let request = try #require(receiver.requests.first)
        #expect(receiver.requests.count == 1)
        #expect(request.url == Self.receiver)
        #expect(request.contentType == "application/x-www-form-urlencoded")
        #expect(request.signatures.isEmpty)
        let (jws, claims) = try claims(of: request, at: person.server)
        #expect(jws.header.algorithm.rawValue == algorithm)
        let identity = try IDTokenClaims(JSONValue.object(parsing: CompactJWS(person.hint).unverifiedPayload))
        #expect(claims["iss"]?.string == identity.issuer)
        #expect(claims["aud"]?.string == "app")
        #expect(claims["sub"]?.string == identity.subject)
        #expect(claims["sid"]?.string == identity.sessionID)
        #expect(claims["jti"]?.string?.isEmpty == false)
        #expect(claims["nonce"] == nil)
        let now = person.server.clock.now().seconds
        #expect(claims["iat"]?.integer == now)
        #expect(claims["exp"]?.integer == now + 120)
        let events = try #require(claims["events"]?.object)
        #expect(events.members.map(\.name) == ["http://schemas.openid.net/event/backchannel-logout"])
        #expect(events.members.first?.value == .object(JSONObject()))
    }

    @Test("A token that was not accepted comes again, with the same jti and the time of the attempt")
    func again() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let receiver = ScriptedReceiver([.failed("status 503"), .rejected("status 400")])
        _ = try await person.signOut()
        for _ in 0..<3 {
            try await deliver(to: receiver, from: person.server)
            person.server.clock.advance(by: .minutes(3))
        }
        let tokens = try receiver.requests.map { try claims(of: $0, at: person.server).1 }
        #expect(tokens.count == 3)
        #expect(Set(tokens.map { $0["jti"]?.string }).count == 1)
        #expect(Set(tokens.map { $0["iat"]?.integer }).count == 3)
    }

    @Test(
        "Whatever ends a session, its client hears of it exactly once",
        arguments: [
            ["session", "end", "ada"], ["account", "deactivate", "ada"],
            ["account", "erase", "ada", "--yes"], ["account", "expire-password", "ada"],
        ])
    func operators(_ words: [String]) async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        _ = try await person.server.bearerClient("other") { $0.backchannelLogoutURI = TestServer.hook + "/other" }
        _ = await person.server.flows.administration.execute(AdminRequest(words))
        _ = await person.server.flows.administration.execute(AdminRequest(words))
        let receiver = ScriptedReceiver()
        try await deliver(to: receiver, from: person.server)
        #expect(receiver.requests.map(\.url) == [Self.receiver], "\(words)")
    }

    @Test("A revocation that the client repeats, and a spent refresh token that comes twice, send one token each")
    func revocation() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let receiver = ScriptedReceiver()
        let token = try #require(person.tokens.refreshToken)
        for _ in 0..<2 {
            _ = try await person.server.flows.tokens.revocation.revoke(
                TokenStateRequest(client: person.app.authentication, token: PresentedToken(token.reveal())),
                proof: .none, origin: TestServer.origin)
        }
        try await deliver(to: receiver, from: person.server)
        #expect(receiver.requests.count == 1)
        let next = try #require(try await person.app.signIn(person.account).refreshToken)
        let renewed = try #require(try await person.app.refresh(next).tokens().refreshToken)
        _ = try await person.app.refresh(renewed).tokens()
        for _ in 0..<2 { #expect(try await person.app.refresh(next).refusal == .invalidGrant) }
        try await deliver(to: receiver, from: person.server)
        #expect(receiver.requests.count == 2)
    }

    @Test("Ends of the same session at the same time send one token")
    func race() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let (server, app, request) = (person.server, person.app, try person.request())
        let token = try PresentedToken(#require(person.tokens.refreshToken).reveal())
        await withTaskGroup { group in
            for number in 0..<16 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        _ = try? await server.flows.signIn.logout.begin(
                            request, cookies: BrowserCookies(), origin: TestServer.origin)
                    } else {
                        _ = try? await server.flows.tokens.revocation.revoke(
                            TokenStateRequest(client: app.authentication, token: token), proof: .none,
                            origin: TestServer.origin)
                    }
                }
            }
        }
        let receiver = ScriptedReceiver()
        try await deliver(to: receiver, from: server)
        #expect(receiver.requests.count == 1)
    }

    @Test("When the holder ends sessions on the account's page, the client of each hears of it")
    func holder() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let app = try await server.bearerClient { $0.backchannelLogoutURI = Self.receiver }
        for _ in 0..<3 { _ = try await app.signIn(account) }
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        let sessions = try #require(page.overview).sessions.map(\.session)
        let receiver = ScriptedReceiver()
        let next = try await browser.press(.endSession(id: try #require(sessions.last).id), on: page).accountPage()
        try await deliver(to: receiver, from: server)
        #expect(receiver.requests.count == 1)
        _ = try await browser.press(.endOtherSessions, on: next).accountPage()
        try await deliver(to: receiver, from: server)
        #expect(receiver.requests.count == 3)
        let ended = try receiver.requests.map { try claims(of: $0, at: server).1["sid"]?.string }
        #expect(Set(ended).count == 3)
    }

    @Test("An end that is not committed sends nothing")
    func rolledBack() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        struct Undone: Error {}
        let session = try await person.session().id
        let now = person.server.clock.now()
        await #expect(throws: Undone.self) {
            try await person.server.context.database.write { connection in
                _ = try Sessions.end(session, because: .signedOut, now: now, on: connection)
                throw Undone()
            }
        }
        let receiver = ScriptedReceiver()
        try await deliver(to: receiver, from: person.server)
        #expect(receiver.requests.isEmpty)
    }

    @Test("Receivers of webhooks get no logout tokens, and a back-channel logout URI gets no events")
    func apart() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        try await person.server.addWebhook(client: "app", at: TestServer.hook + "/events")
        let receiver = ScriptedReceiver()
        _ = try await person.signOut()
        try await deliver(to: receiver, from: person.server)
        let byURL = Dictionary(grouping: receiver.requests, by: \.url).mapValues { $0.map(\.contentType) }
        #expect(byURL[Self.receiver] == ["application/x-www-form-urlencoded"])
        #expect(byURL[TestServer.hook + "/events"]?.allSatisfy { $0 == "application/json" } == true)
    }

    @Test("attack: many sessions of one person, whose ends the client refuses, hold up no one else's")
    func refusals() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let (server, app) = (person.server, person.app)
        for _ in 0..<12 { _ = try await app.signIn(person.account) }
        try await server.administer(["session", "end", "ada"])
        let receiver = ScriptedReceiver(always: .rejected("status 400"))
        let delivery = server.delivery(to: receiver)
        while try await delivery.deliverAllDue() > 0 {}
        #expect(receiver.requests.count == 13)
        receiver.answer(always: nil)
        _ = try await endSession(of: "grace", person)
        while try await delivery.deliverAllDue() > 0 {}
        #expect(receiver.requests.count == 14)
    }

    /// Has a person sign in to the app, and an operator end that.
    private func endSession(of name: String, _ person: LeavingPerson) async throws -> String {
        let account = try await person.server.account(name)
        _ = try await person.app.signIn(account)
        try await person.server.administer(["session", "end", name])
        return try #require(UniqueID(bytes: account.bytes)).uuid
    }

    private func state(_ server: TestServer) async throws -> String? {
        try await server.administer(["webhook", "list"])["webhooks"]?.array?.first?.object?["state"]?.string
    }

    @Test("An endpoint that fails for days is switched off without a test event, and a new URI switches it on")
    func failing() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let receiver = ScriptedReceiver(always: .failed("status 500"))
        _ = try await person.signOut()
        _ = try await endSession(of: "grace", person)
        let delivery = person.server.delivery(to: receiver)
        for _ in 0..<100 {
            while try await delivery.deliverAllDue() > 0 {}
            person.server.clock.advance(by: .hours(1))
        }
        for request in receiver.requests { _ = try claims(of: request, at: person.server) }
        #expect(try await state(person.server) == "webhook_disabled")
        let moved = TestServer.hook + "/moved"
        try await person.server.administer(["client", "update", "app", "--backchannel-logout-uri", moved])
        #expect(try await state(person.server) == "active")
        let other = ScriptedReceiver()
        person.server.clock.advance(by: .hours(2))
        try await deliver(to: other, from: person.server)
        #expect(other.requests.map(\.url) == [moved, moved])
    }

    @Test("attack: one person's sign-out, at which the client fails for three quiet days, leaves the endpoint on")
    func poisoned() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let receiver = ScriptedReceiver(always: .failed("status 500"))
        _ = try await person.signOut()
        let delivery = person.server.delivery(to: receiver)
        for _ in 0..<100 {
            while try await delivery.deliverAllDue() > 0 {}
            person.server.clock.advance(by: .hours(1))
        }
        #expect(try await state(person.server) == "webhook_unreachable")
        receiver.answer(always: nil)
        let grace = try await endSession(of: "grace", person)
        while try await delivery.deliverAllDue() > 0 {}
        let heard = try receiver.requests.map { try claims(of: $0, at: person.server).1["sub"]?.string }
        #expect(heard.contains(grace))
        #expect(try await state(person.server) == "active")
    }

    // MARK: - Registration

    @Test("A client shows its URI without the query; an empty one takes it away, and then nothing is written")
    func registered() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let server = person.server
        func shown() async throws -> String? {
            try await server.administer(["client", "show", "app"]).string("backchannelLogoutUri")
        }
        #expect(try await shown() == TestServer.hook + "/logout")
        let listed = try await server.administer(["webhook", "list"])["webhooks"]?.array?.first?.object
        #expect(listed?["kinds"]?.strings == ["logout"])
        #expect(listed?["clientId"]?.string == "app")
        try await server.administer(["client", "update", "app", "--backchannel-logout-uri", ""])
        #expect(try await shown() == nil)
        _ = try await person.signOut()
        #expect(try await server.rows(of: "webhook_deliveries") == 0)
    }

    @Test(
        "SSRF: a back-channel logout URI in a private or reserved network, or without TLS, is refused",
        .threat("Server-side request forgery"),
        arguments: [
            "https://10.0.0.1/out", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/",
            "https://[fd00:ec2::254]/", "https://127.0.0.1/", "https://[::1]/", "https://192.0.2.1/", "http://1.1.1.1/",
            "ftp://1.1.1.1/", "https://user:pass@1.1.1.1/", "https://1.1.1.1/#part", "not a URL",
        ])
    func forbidden(_ uri: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.bearerClient()
        for words in [
            ["client", "update", "app", "--backchannel-logout-uri", uri],
            [
                "client", "create", "new", "--name", "New", "--redirect-uri", "com.example.new:/cb",
                "--backchannel-logout-uri", uri,
            ],
        ] {
            let answer = await server.flows.administration.execute(AdminRequest(words))
            #expect(answer.status == .refused, "\(words)")
        }
        #expect(try await server.rows(of: "webhook_endpoints") == 0)
        #expect(try await server.rows(of: "clients WHERE id = 'new'") == 0)
    }

    @Test("The commands for events refuse a back-channel logout URI")
    func refused() async throws {
        let person = try await LeavingPerson { $0.backchannelLogoutURI = Self.receiver }
        let listed = try await person.server.administer(["webhook", "list"])["webhooks"]?.array?.first?.object
        let id = try #require(listed?["id"]?.string)
        for command in ["test", "rotate-secret"] {
            let answer = await person.server.flows.administration.execute(AdminRequest(["webhook", command, id]))
            #expect(answer.refusal?.code == "contradiction", "\(command)")
        }
        try await person.server.administer(["webhook", "remove", id])
        let shown = try await person.server.administer(["client", "show", "app"])
        #expect(shown["backchannelLogoutUri"] == nil)
    }
}
