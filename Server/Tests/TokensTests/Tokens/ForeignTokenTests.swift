import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Exchanging refresh tokens of a former system", .covers("account import"))
struct ForeignTokenTests {
    private struct Setting {
        let old: FormerSystem
        let server: TestServer
        let client: TestClient
        let key = TestKey()

        func exchange(
            _ token: String = "foreign-token", by other: TestClient? = nil, proof: TestKey? = nil, scope: Scope? = nil
        ) async throws -> TokenOutcome {
            try await (other ?? client).token(
                .tokenExchange(try RefreshToken(token)), proof: proof ?? key, scope: scope)
        }

        func events(_ kind: String) async throws -> Int {
            try await server.context.database.read { connection in
                try connection.query("SELECT id FROM security_events WHERE kind = $1 LIMIT 99", [.text(kind)]).count
            }
        }

        func sessions() async throws -> Int64 { try await server.rows(of: "sessions") }
    }

    /// What the former system says of its refresh token of an imported account.
    private static func active(_ change: (inout JSONObject) -> Void = { _ in }) -> FormerSystem.Answering {
        var answer = JSONObject(strings: ["sub": "7", "client_id": "old-app", "typ": "Refresh"])
        answer["active"] = .bool(true)
        answer.set("auth_time", Int64(1_790_000_000))
        change(&answer)
        let bytes = answer.bytes
        return { _ in ProviderHTTP.Answer(status: 200, body: bytes) }
    }

    private func setUp(_ adjust: (inout ServerSettings) -> Void = { _ in }) async throws -> Setting {
        let old = FormerSystem()
        let server = try await TestServer.start(providers: old.http, adjust)
        let client = try await server.publicClient()
        let line = JSONObject(strings: ["username": "ada", "externalId": "7", "email": "ada@example.com"])
        #expect(try await server.importBatch([line], ["--first"]).importCounts() == [1, 0, 0])
        old.answer { _ in ProviderHTTP.Answer(status: 200, body: Array(#"{"active":false}"#.utf8)) }
        try await server.administer(
            AdminRequest(
                [
                    "provider", "add", "introspection", "old", "--endpoint", "https://old.example.com/introspect",
                    "--client-id", "wallet server", "--client-secret-stdin", "--client", "app", "--former-client",
                    "old-app",
                    "--until", "2027-01-20",
                ], input: "s3cret"))
        try await server.context.database.write {
            _ = try $0.execute("UPDATE accounts SET email_state = 'verified'", [])
        }
        old.forgetRequests()
        old.answer(by: Self.active())
        return Setting(old: old, server: server, client: client)
    }

    @Test("A foreign token opens one session, bound to the app's key, and its person gets a message")
    func exchanges() async throws {
        let setting = try await setUp()
        let tokens = try await setting.exchange().tokens()
        #expect(tokens.issuedTokenType == TokenResponse.accessTokenType)
        let claims = try await setting.server.claims(of: tokens)
        #expect(claims.amr == ["former_system"])
        #expect(claims.authenticatedAt?.secondsSince1970 == 0, "never a fresh sign-in")
        #expect(claims.keyThumbprint == setting.key.thumbprint)
        #expect(try await setting.events("session.foreign_token_exchanged") == 1)
        #expect(try await setting.events("account.signed_in") == 1)
        #expect(try await setting.server.messages().map(\.kind) == ["session_moved_in"])
        let request = try #require(setting.old.requests.first)
        #expect(request.headers.contains { $0.name == "Authorization" && $0.value.hasPrefix("Basic ") })
        #expect(String(decoding: request.body, as: UTF8.self).contains("token=foreign-token"))
        #expect(request.timeout == ForeignTokenIntrospection.timeout)
        _ = try await setting.client.refresh(try #require(tokens.refreshToken), proof: setting.key).tokens()
        let stored = try await setting.server.context.database.read { connection in
            try connection.row("SELECT digest FROM foreign_tokens", [])?.blob("digest")
        }
        #expect(stored?.count == 32, "the token itself is nowhere")
    }

    @Test("A lost answer comes again: the same refresh token, no second session, and no second question")
    func lost() async throws {
        let setting = try await setUp()
        let first = try await setting.exchange().tokens()
        let second = try await setting.exchange().tokens()
        #expect(first.refreshToken?.reveal() == second.refreshToken?.reveal())
        #expect(try await setting.sessions() == 1 && setting.old.requests.count == 1)
        #expect(try await setting.server.messages().count == 1)
        _ = try await setting.client.refresh(try #require(first.refreshToken), proof: setting.key).tokens()
        #expect(try await setting.exchange().refusal == .invalidGrant, "the app has the answer")
        #expect(try await setting.sessions() == 1)
    }

    @Test("attack: a foreign token that was exchanged opens nothing for another key or another client")
    func stolen() async throws {
        let setting = try await setUp()
        _ = try await setting.exchange().tokens()
        #expect(try await setting.exchange(proof: TestKey()).refusal == .invalidGrant)
        let other = try await setting.server.publicClient("other")
        #expect(try await setting.exchange(by: other).refusal == .unauthorizedClient)
        #expect(try await setting.sessions() == 1)
        #expect(setting.old.requests.count == 1)
    }

    @Test(
        "attack: another spelling of a token that was exchanged is no other token",
        arguments: [
            // 32 bytes end in a character of which two bits count for nothing.
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", ["l", "m", "n"]),
            ("eyJhbGciOiJkaXIifQ..AAAAAAAAAAAAAAAA.QUJD.", "XFBoMYUZodetZdvTiFvSkQ", ["R", "S", "f"]),
            ("ory_rt_", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", ["l", "m", "n"]),
        ])
    func spellings(start: String, end: String, last: [String]) async throws {
        let setting = try await setUp()
        _ = try await setting.exchange(start + end).tokens()
        let others = last.map { String(end.dropLast()) + $0 } + [end + "=", end + "=="]
        for other in others {
            #expect(try await setting.exchange(start + other, proof: TestKey()).refusal == .invalidGrant, "\(other)")
        }
        #expect(try await setting.sessions() == 1)
        #expect(setting.old.requests.count == 1, "it is known without a question")
    }

    @Test("attack: another signature over the same token, and a JWT in other characters, open nothing more")
    func signatures() async throws {
        let setting = try await setUp()
        let signed = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI3In0."
        for odd in [signed + "AA~A", signed + "AAAA=", "eyJhbGciOi JFUzI1NiJ9.e30.AAAA"] {
            #expect(try await setting.exchange(odd).refusal == .invalidGrant, "\(odd)")
        }
        #expect(setting.old.requests.isEmpty)
        _ = try await setting.exchange(signed + "AAAA").tokens()
        #expect(try await setting.exchange(signed + "BBBB", proof: TestKey()).refusal == .invalidGrant)
        #expect(try await setting.sessions() == 1)
    }

    @Test("attack: of sixteen exchanges of one token at once, one opens a session")
    func race() async throws {
        let setting = try await setUp()
        let outcomes = try await withThrowingTaskGroup(of: TokenOutcome.self) { group in
            for _ in 0..<16 { group.addTask { try await setting.exchange() } }
            return try await group.reduce(into: [TokenOutcome]()) { $0.append($1) }
        }
        let tokens = try outcomes.map { try $0.tokens().refreshToken?.reveal() }
        #expect(Set(tokens).count == 1)
        #expect(try await setting.sessions() == 1)
        #expect(try await setting.server.messages().count == 1)
    }

    @Test(
        "attack: a token that is inactive, expired, another client's, no refresh token or a stranger's opens nothing",
        arguments: [
            { $0["active"] = .bool(false) }, { $0.set("client_id", "crm") }, { $0["client_id"] = nil },
            { $0.set("sub", "8") }, { $0.set("exp", Int64(1_799_999_999)) },
        ] as [@Sendable (inout JSONObject) -> Void])
    func refused(change: @Sendable (inout JSONObject) -> Void) async throws {
        let setting = try await setUp()
        setting.old.answer(by: Self.active(change))
        #expect(try await setting.exchange().refusal == .invalidGrant)
        #expect(try await setting.sessions() == 0)
    }

    @Test(
        "attack: an answer that means nothing, or comes from an access token, is an outage and opens nothing",
        arguments: [
            { $0["typ"] = nil }, { $0.set("typ", "Bearer") }, { $0["sub"] = nil }, { $0.set("active", "true") },
            { $0["active"] = nil },
        ] as [@Sendable (inout JSONObject) -> Void])
    func nonsense(change: @Sendable (inout JSONObject) -> Void) async throws {
        let setting = try await setUp()
        setting.old.answer(by: Self.active(change))
        #expect(try await setting.exchange().refusal == .temporarilyUnavailable(retryAfter: 5))
        #expect(try await setting.sessions() == 0)
        for (status, body) in [(302, ""), (401, #"{"active":true}"#), (200, "no JSON")] {
            setting.old.answer { _ in ProviderHTTP.Answer(status: status, body: Array(body.utf8)) }
            #expect(try await setting.exchange().refusal == .temporarilyUnavailable(retryAfter: 5))
        }
        setting.old.answer(by: Self.active())
        _ = try await setting.exchange().tokens()
    }

    @Test("attack: a person whose name is an imported person's but for its case gets no session of theirs")
    func otherSpelling() async throws {
        let setting = try await setUp()
        let line = JSONObject(strings: ["username": "gus"])
        #expect(try await setting.server.importBatch([line], run: "b", ["--first"]).importCounts() == [1, 0, 0])
        for (subject, name) in [("8", "GUS"), ("8", "gus"), ("gus", "gus"), ("8", "ada")] {
            setting.old.answer(
                by: Self.active {
                    $0.set("sub", subject)
                    $0.set("username", name)
                })
            #expect(try await setting.exchange().refusal == .invalidGrant, "\(subject) \(name)")
        }
        #expect(try await setting.sessions() == 0)
    }

    @Test("attack: a client that was not allowed, or an end that has passed, asks the former system nothing")
    func notAllowed() async throws {
        let setting = try await setUp()
        let other = try await setting.server.publicClient("other")
        #expect(try await setting.exchange(by: other).refusal == .unauthorizedClient)
        setting.server.clock.advance(by: .days(6))
        #expect(try await setting.exchange().refusal == .unauthorizedClient)
        #expect(setting.old.requests.isEmpty)
        let examined = try await setting.server.administer(["provider", "examine"])
        #expect(examined["providers"]?.array?.first?.object?["adoptionEnded"]?.string == "2027-01-20")
    }

    @Test("attack: without a proof of a key, and beyond the client's scopes, nothing is exchanged")
    func bounds() async throws {
        let setting = try await setUp()
        let bare = try await setting.client.token(.tokenExchange(try RefreshToken("foreign-token")))
        #expect(bare.refusal?.code == "invalid_dpop_proof")
        let wide = try await setting.exchange(scope: try Scope("openid wallet_operations"))
        #expect(wide.refusal?.code == "invalid_scope")
        let narrow = try await setting.exchange(scope: try Scope("openid")).tokens()
        #expect(narrow.scope?.rawValue == "openid")
    }

    @Test("An exchange reads nothing of the brand's providers for a while, and a change of them applies at once")
    func remembered() async throws {
        let setting = try await setUp()
        let server = setting.server
        _ = try await setting.exchange("foreign-token-1").tokens()
        // Behind the server's back.
        let removed = try await server.context.database.write { connection in
            let record = try IdentityProviders.find("old", brand: "default", on: connection)
            _ = try IdentityProviders.remove("old", brand: "default", on: connection)
            return record
        }
        _ = try await setting.exchange("foreign-token-2").tokens()
        server.clock.advance(by: server.context.settings.clientCacheLifetime + .seconds(1))
        #expect(try await setting.exchange("foreign-token-3").refusal == .unauthorizedClient)
        let record = try #require(removed)
        try await server.context.database.write { _ = try IdentityProviders.add(record, on: $0) }
        #expect(try await setting.exchange("foreign-token-3").refusal == .unauthorizedClient)
        try await server.administer(["provider", "remove", "old"])
        #expect(try await setting.exchange("foreign-token-3").refusal == .unauthorizedClient)
    }

    @Test("attack: a closed or erased account stays closed, whatever the former system says")
    func closed() async throws {
        let setting = try await setUp()
        try await setting.server.administer(["account", "deactivate", "ada"])
        #expect(try await setting.exchange().refusal == .invalidGrant)
        let account = try #require(try await setting.server.accountID()).rawValue
        try await setting.server.administer(["account", "erase", "--account", account])
        #expect(try await setting.exchange().refusal == .invalidGrant)
        #expect(try await setting.sessions() == 0)
    }

    @Test("attack: a network that has presented too many bad tokens asks nothing for a while")
    func network() async throws {
        let setting = try await setUp { $0.lockout.network.failures = 3 }
        setting.old.answer { _ in ProviderHTTP.Answer(status: 200, body: Array(#"{"active":false}"#.utf8)) }
        for number in 0..<3 {
            #expect(try await setting.exchange("guess-\(number)").refusal == .invalidGrant)
        }
        setting.old.forgetRequests()
        #expect(try await setting.exchange().refusal?.code == "temporarily_unavailable")
        #expect(setting.old.requests.isEmpty)
    }

    @Test(
        "attack: the session changes nothing of the account, however fresh the former system says the sign-in is",
        arguments: [1_800_000_000, 1_800_000_000_000, 1_800_086_400] as [Int64], [true, false])
    func noStepUp(authTime: Int64, hasAddress: Bool) async throws {
        let setting = try await setUp()
        if !hasAddress {
            try await setting.server.context.database.write {
                _ = try $0.execute("UPDATE accounts SET email = NULL, email_state = 'none'", [])
            }
        }
        setting.old.answer(by: Self.active { $0.set("auth_time", authTime) })
        let device = TestDevice(
            app: TestApp(client: setting.client, key: setting.key), tokens: try await setting.exchange().tokens())
        let (account, flows) = (try #require(try await setting.server.accountID()), setting.server.flows.signIn)
        func call() async throws -> AppCaller { try await device.call(.post, Endpoints.accountFactors.path) }
        let contact = try await flows.ownAccount.contacts.begin(
            .email(EmailAddress("eve@example.com")), call: call())
        Self.expectSignIn(contact.ownRefusal, "address")
        Self.expectSignIn(try await flows.ownAccount.closing.close(call: call()).ownRefusal, "closing")
        Self.expectSignIn(try await flows.ownAccount.beginExport(call: call()), "export")
        let password = try await device.changePassword(from: nil, to: "a better horse battery").refusal
        Self.expectSignIn(password.map { .factor($0) }, "password")
        Self.expectSignIn(try await device.beginAuthenticator().refusal.map { .factor($0) }, "authenticator")
        let enrollment = try await device.enroll(device.enrollment(account, over: device.challenge()))
        guard case .strongerSignIn? = enrollment.refusal else {
            Issue.record("\(enrollment)")
            return
        }
    }

    private static func expectSignIn(_ refusal: OwnAccountRefusal?, _ what: Comment) {
        guard case .factor(.strongerSignIn)? = refusal else {
            Issue.record(what)
            return
        }
    }

    @Test("The session proves no second factor: a sign-in with its key is still one on a new device")
    func noTrust() async throws {
        let setting = try await setUp()
        _ = try await setting.exchange().tokens()
        try await setting.server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "correct horse battery"))
        let app = TestApp(client: setting.client, key: setting.key)
        #expect(try await app.signIn().refusal?.error == "insufficient_authorization")
    }

    @Test("No one signs in with such a provider")
    func noProvider() async throws {
        let setting = try await setUp()
        let login = FederatedLogin(
            provider: try ProviderID("old"), credential: .password(username: "ada", try Password("x")))
        let outcome = try await TestApp(client: setting.client).step(.begin(.federatedIdentity(login)))
        guard case .invalid(.invalidRequest) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(setting.old.requests.isEmpty)
    }
}

extension Result where Failure == OwnAccountRefusal {
    /// The refusal; `nil` where there is none.
    fileprivate var ownRefusal: OwnAccountRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
