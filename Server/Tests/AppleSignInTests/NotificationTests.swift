import Core
import Crypto
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Apple

@Suite(
    "Notifications of Apple's", .threat("Sign in with Apple at the server"),
    .covers("POST /v1/federation/apple/notifications"))
struct NotificationTests {
    private struct Setting {
        let server: AppleServer
        let account: UniqueID
        let byApple: UniqueID
        let byPassword: UniqueID

        func receive(_ claims: JSONObject) async throws -> AppleNotificationFlow.Outcome {
            try await server.flows.notifications.receive(server.apple.signed(claims))
        }
    }

    private func setUp() async throws -> Setting {
        let server = try await AppleServer.start()
        let account = try await server.person(password: "correct horse battery")
        let setting = Setting(
            server: server, account: account, byApple: try await server.openSession(of: account, methods: "fed"),
            byPassword: try await server.openSession(of: account, methods: "pwd"))
        server.clock.advance(by: .minutes(1))
        return setting
    }

    @Test(
        "consent-revoked ends the sessions that Apple opened, and suspends the link until the next sign-in with Apple")
    func consentRevoked() async throws {
        let setting = try await setUp()
        let server = setting.server
        #expect(try await setting.receive(server.apple.notification("consent-revoked", id: "j1")) == .taken)
        #expect(try await !server.isAlive(setting.byApple))
        #expect(try await server.isAlive(setting.byPassword))
        #expect(try await server.isLinked())
        #expect(try await server.grant()?.suspendedAt != nil)
        #expect(try await server.messages(to: setting.account) == ["identity_suspended"])
        // A token from before the end proves nothing; one from after it resumes the link.
        let before = try server.apple.token(nonce: "n") { $0.set("iat", server.clock.now().seconds - 1) }
        #expect(try await server.verify(before, nonce: "n") == nil)
        server.clock.advance(by: .seconds(5))
        let after = try #require(try await server.verify(server.apple.token(nonce: "n"), nonce: "n"))
        try await server.keep(after)
        #expect(try await server.grant()?.suspendedAt == nil)
    }

    @Test(
        "account-delete, in either spelling, removes the link; the account stays, and its holder is notified",
        arguments: ["account-delete", "account-deleted"])
    func accountDeleted(type: String) async throws {
        let setting = try await setUp()
        let server = setting.server
        #expect(try await setting.receive(server.apple.notification(type, id: "j1")) == .taken)
        #expect(try await !server.isLinked())
        #expect(try await server.grant() == nil)
        #expect(try await !server.isAlive(setting.byApple))
        #expect(try await server.isAlive(setting.byPassword))
        #expect(try await server.messages(to: setting.account) == ["identity_removed"])
        #expect(try await server.events(of: setting.account).first == "identity.unlinked")
        let shown = try await server.administer(["account", "show", "--account", setting.account.uuid])
        #expect(shown["state"]?.string == "active")
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 0)
    }

    @Test("account-delete takes the relay's dead address off the account, and the operator reads what is left to do")
    func deadAddress() async throws {
        let server = try await AppleServer.start()
        let relay = "relay@privaterelay.appleid.com"
        let account = try await server.person(email: relay)
        let other = try await server.person(
            "001.b", username: "grace", password: "correct horse battery", email: "other@privaterelay.appleid.com")
        server.clock.advance(by: .minutes(1))
        for (number, subject) in ["001.a", "001.b"].enumerated() {
            let claims = server.apple.notification("account-delete", of: subject, id: "j\(number)")
            #expect(try await server.flows.notifications.receive(server.apple.signed(claims)) == .taken)
        }
        for account in [account, other] {
            let record = try await server.context.database.read { try Accounts.find(account, on: $0) }
            #expect(record?.email == nil)
            #expect(record?.emailState == EmailState.none)
        }
        let shown = try await server.administer(["account", "show", "--account", account.uuid])
        #expect(shown["lostWayIn"]?.string?.contains("set-password") == true)
        let withPassword = try await server.administer(["account", "show", "--account", other.uuid])
        #expect(withPassword["lostWayIn"] == nil)
    }

    @Test("account-delete from before the link was made changes nothing, also where Apple gave no token")
    func deletedBefore() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person()
        _ = try await server.context.database.write { try $0.execute("DELETE FROM apple_grants", []) }
        let before = server.clock.now() - .seconds(1)
        let claims = server.apple.notification("account-delete", id: "j1", at: before)
        #expect(try await server.flows.notifications.receive(server.apple.signed(claims)) == .taken)
        #expect(try await server.isLinked())
    }

    @Test("email-disabled and email-enabled mark the address, the later one counting in whatever order they arrive")
    func address() async throws {
        let setting = try await setUp()
        let server = setting.server
        let now = server.clock.now()
        _ = try await setting.receive(server.apple.notification("email-disabled", id: "j1", at: now))
        #expect(try await server.grant()?.isAddressReachable == false)
        let shown = try await server.administer(["account", "show", "--account", setting.account.uuid])
        #expect(shown["appleAddress"]?.string?.contains("no longer forwards mail") == true)
        let exported = try await server.administer(["account", "export", "--account", setting.account.uuid])
        #expect(exported["apple"]?.array?.first?.object?["addressReachable"] == .bool(false))
        _ = try await setting.receive(server.apple.notification("email-enabled", id: "j2", at: now - .minutes(1)))
        #expect(try await server.grant()?.isAddressReachable == false)
        server.clock.advance(by: .minutes(1))
        _ = try await setting.receive(server.apple.notification("email-enabled", id: "j3"))
        #expect(try await server.grant()?.isAddressReachable == true)
        #expect(try await server.isAlive(setting.byApple))
    }

    @Test("A new address clears what Apple said about delivery to the old one")
    func addressReplaced() async throws {
        let setting = try await setUp()
        let server = setting.server
        _ = try await setting.receive(server.apple.notification("email-disabled", id: "j1"))
        let marked = try await server.grant()
        #expect(marked?.isAddressReachable == false)
        let shown = try await server.administer(
            ["account", "set-email", "--account", setting.account.uuid, "--email", "own@example.com"])
        #expect(shown["email"]?.string == "own@example.com")
        let grant = try #require(try await server.grant())
        #expect(grant.isAddressReachable == nil)
        let facts = try await server.administer(["account", "show", "--account", setting.account.uuid])
        #expect(facts["appleAddress"] == nil)
        #expect(try await server.isAlive(setting.byApple))
    }

    @Test("attack: a replayed notification changes nothing, even sixteen at once or after a later sign-in")
    func replayed() async throws {
        let setting = try await setUp()
        let server = setting.server
        let payload = try server.apple.signed(server.apple.notification("consent-revoked", id: "j1"))
        let outcomes = try await withThrowingTaskGroup(of: AppleNotificationFlow.Outcome.self) { group in
            for _ in 0..<16 { group.addTask { try await server.flows.notifications.receive(payload) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == [AppleNotificationFlow.Outcome](repeating: .taken, count: 16))
        #expect(try await server.messages(to: setting.account).count == 1)
        server.clock.advance(by: .minutes(1))
        try await server.signIn()
        let fresh = try await server.openSession(of: setting.account, methods: "fed")
        #expect(try await server.flows.notifications.receive(payload) == .taken)
        #expect(try await server.isAlive(fresh))
        #expect(try await server.grant()?.suspendedAt == nil)
    }

    @Test(
        "A notification about what happened before the last sign-in comes too late and changes nothing",
        arguments: ["consent-revoked", "account-delete"])
    func late(type: String) async throws {
        let setting = try await setUp()
        let server = setting.server
        let ended = server.clock.now()
        server.clock.advance(by: .minutes(1))
        try await server.signIn()
        #expect(try await setting.receive(server.apple.notification(type, id: "j1", at: ended)) == .taken)
        #expect(try await server.isLinked())
        #expect(try await server.isAlive(setting.byApple))
        #expect(try await server.messages(to: setting.account).isEmpty)
    }

    @Test(
        "attack: forged notifications change nothing: none, HS256, a stranger's key, another issuer, aud or time, an identity token"
    )
    func forged() async throws {
        let setting = try await setUp()
        let server = setting.server
        let claims = server.apple.notification("account-delete", id: "j1")
        let jwk = JSONValue.object(try #require(try await TestApple.signer(1).publicJWK).json).text
        var payloads: [String] = ["", "a.b.c", "not a JWS"]
        for (header, key) in [
            (#"{"alg":"none"}"#, nil), (#"{"alg":"HS256","kid":"rsa-1"}"#, Array(jwk.utf8)),
            (#"{"alg":"RS256","kid":"rsa-1"}"#, [1]),
        ] as [(String, [UInt8]?)] {
            let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.bytes)
            let signature = key.map {
                Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: $0)))
            }
            payloads.append(input + "." + Base64URL.encode(signature ?? []))
        }
        payloads.append(try server.apple.signed(claims, by: await TestApple.stranger(keyID: "rsa-1")))
        payloads.append(try server.apple.signed(claims, by: await TestApple.stranger(keyID: "made-up")))
        payloads.append(try server.apple.token(nonce: "n").reveal())
        let now = server.clock.now().seconds
        let changes: [@Sendable (inout JSONObject) -> Void] = [
            { $0.set("iss", "https://attacker.example") }, { $0.set("aud", "com.attacker.app") }, { $0["aud"] = nil },
            { $0.set("exp", now - 61) }, { $0["exp"] = nil }, { $0.set("iat", now + 120) }, { $0["iat"] = nil },
            { $0["jti"] = nil }, { $0.set("jti", "") }, { $0["events"] = nil }, { $0.set("events", "{") },
            { $0["events"] = .object(JSONObject(strings: ["type": "account-delete", "sub": "001.a"])) },
            { $0.set("events", #"{"type":"account-delete","event_time":1}"#) },
            { $0.set("events", #"{"type":"account-delete","sub":"001.a"}"#) },
        ]
        for change in changes {
            var changed = claims
            change(&changed)
            payloads.append(try server.apple.signed(changed))
        }
        for payload in payloads {
            #expect(try await server.flows.notifications.receive(payload) == .refused, "\(payload)")
        }
        #expect(try await server.isLinked())
        #expect(try await server.isAlive(setting.byApple))
        #expect(
            try await server.context.database.read { try $0.query("SELECT 1 FROM apple_notifications", []) }.isEmpty)
    }

    @Test("attack: notifications for unregistered clients fetch no keys, and made-up key ids fetch them once")
    func floods() async throws {
        let setting = try await setUp()
        let server = setting.server
        server.apple.forgetRequests()
        let stranger = try await TestApple.stranger(keyID: "made-up")
        let foreign = server.apple.notification("account-delete", id: "j") { _ in
        } claims: {
            $0.set("iss", "https://attacker.example")
        }
        for _ in 0..<20 {
            #expect(
                try await server.flows.notifications.receive(server.apple.signed(foreign, by: stranger)) == .refused)
        }
        #expect(server.apple.asked("/auth/keys") == 0)
        let claims = server.apple.notification("account-delete", id: "j")
        for number in 0..<20 {
            let outcome = try await server.flows.notifications.receive(server.apple.signed(claims, by: stranger))
            #expect(outcome == (number == 0 ? .refused : .unavailable(retryAfter: 60)))
        }
        #expect(server.apple.asked("/auth/keys") <= 1)
        #expect(try await server.isLinked())
    }

    @Test("attack: forged notifications, and identity tokens in their place, read the database once a second at most")
    func floodsOfReads() async throws {
        let setting = try await setUp()
        let server = setting.server
        let stranger = try await TestApple.stranger(keyID: "rsa-1")
        let claims = server.apple.notification("account-delete", id: "j")
        let foreign = server.apple.notification(
            "account-delete", id: "j", claims: { $0.set("aud", "com.attacker.app") })
        let before = server.reads
        func flood() async throws {
            for _ in 0..<20 {
                let payloads = [
                    try server.apple.signed(claims, by: stranger), try server.apple.signed(foreign, by: stranger),
                    try server.apple.signed(foreign), try server.apple.token(nonce: "n").reveal(),
                ]
                for payload in payloads {
                    #expect(try await server.flows.notifications.receive(payload) == .refused)
                }
            }
        }
        try await flood()
        #expect(server.reads == before + 1)
        server.clock.advance(by: .seconds(1))
        try await flood()
        #expect(server.reads == before + 2)
        // A request that arrived before the last read, and is served after it.
        server.clock.advance(by: .milliseconds(-1))
        try await flood()
        #expect(server.reads == before + 2)
    }

    @Test("A client counts a second after its provider was added, and no more once the provider was removed")
    func rememberedClients() async throws {
        let setting = try await setUp()
        let server = setting.server
        let other = server.apple.notification("account-delete", id: "j1", claims: { $0.set("aud", TestApple.otherApp) })
        #expect(try await setting.receive(other) == .refused)
        try await server.administer(["brand", "create", "second", "--name", "Second"])
        try await server.add {
            $0.brand = "second"
            $0.clientIDs = [TestApple.otherApp]
            $0.servicesID = nil
        }
        server.clock.advance(by: .seconds(1))
        #expect(try await setting.receive(other) == .taken)
        try await server.administer(["provider", "remove", "apple"])
        #expect(try await setting.receive(server.apple.notification("consent-revoked", id: "j2")) == .refused)
        #expect(try await server.isAlive(setting.byApple))
    }

    @Test("attack: made-up key ids of notifications hold back no sign-in by keys that Apple has just rolled")
    func floodsBeforeSignIn() async throws {
        let setting = try await setUp()
        let server = setting.server
        let stranger = try await TestApple.stranger(keyID: "made-up")
        let claims = server.apple.notification("account-delete", id: "j")
        #expect(try await server.flows.notifications.receive(server.apple.signed(claims, by: stranger)) == .refused)
        server.apple.roll(to: try await TestApple.signer(2))
        #expect(try await server.verify(server.apple.token(nonce: "n"), nonce: "n") != nil)
    }

    @Test(
        "A type that came after this program is acknowledged and changes nothing; so is a person who is unknown here"
    )
    func unknown() async throws {
        let setting = try await setUp()
        let server = setting.server
        #expect(try await setting.receive(server.apple.notification("something-new", id: "j1")) == .taken)
        #expect(try await setting.receive(server.apple.notification("account-delete", of: "001.z", id: "j2")) == .taken)
        #expect(try await server.isLinked())
        #expect(try await server.messages(to: setting.account).isEmpty)
    }

    @Test("While Apple's keys cannot be had, the notification is not taken, so that Apple sends it again")
    func outage() async throws {
        let setting = try await setUp()
        let server = setting.server
        server.clock.advance(by: .hours(2))
        server.apple.setDown(true)
        let claims = server.apple.notification("consent-revoked", id: "j1")
        #expect(try await setting.receive(claims) == .unavailable(retryAfter: 60))
        server.apple.setDown(false)
        server.clock.advance(by: .seconds(6))
        #expect(try await setting.receive(claims) == .taken)
        #expect(try await !server.isAlive(setting.byApple))
    }

    @Test("A notification reaches the person in every brand of the team")
    func brands() async throws {
        let setting = try await setUp()
        let server = setting.server
        try await server.administer(["brand", "create", "second", "--name", "Second"])
        try await server.add { $0.brand = "second" }
        _ = try await server.person(brand: "second")
        server.clock.advance(by: .minutes(1))
        _ = try await setting.receive(server.apple.notification("account-delete", id: "j1"))
        #expect(try await !server.isLinked())
        #expect(try await !server.isLinked(brand: "second"))
    }

    @Test("Seconds and milliseconds are both a time")
    func time() async throws {
        let setting = try await setUp()
        let server = setting.server
        let seconds = server.clock.now().seconds
        let claims = server.apple.notification("consent-revoked", id: "j1", events: { $0.set("event_time", seconds) })
        #expect(try await setting.receive(claims) == .taken)
        #expect(try await server.grant()?.suspendedAt == Timestamp(seconds: seconds))
    }

    @Test("What is remembered of notifications goes when they would be refused for their age")
    func swept() async throws {
        let setting = try await setUp()
        let server = setting.server
        let payload = try server.apple.signed(server.apple.notification("email-disabled", id: "j1"))
        _ = try await server.flows.notifications.receive(payload)
        server.clock.advance(by: .hours(25))
        #expect(try await server.flows.notifications.receive(payload) == .refused)
        try await server.administer(["database", "sweep"])
        #expect(
            try await server.context.database.read { try $0.query("SELECT 1 FROM apple_notifications", []) }.isEmpty)
    }
}
