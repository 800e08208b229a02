import HTTPTypes
import HummingbirdTesting
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Making an account with a passkey alone, in an app's own screens", .threat("Passkey attacks"))
struct NativeRegistrationByPasskeyTests {
    private static let issuer = "http://localhost:8700"
    private static let app = "https://shop.example.com"
    private static let site = SoftwarePasskey.Page(relyingParty: "localhost", origin: app)

    private func serve(
        registration: String = "passkey", origins: [String] = [app],
        _ body: @escaping @Sendable (TestServer, NewcomerOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.serve(issuer: Self.issuer) { server, client in
            try await server.makePublicClient { $0.passkeyOrigins = origins }
            try await server.execute(["brand", "update", "default", "--registration", registration])
            try await body(server, NewcomerOverHTTP(server: server, client: client, issuer: Self.issuer))
        }
    }

    private func asked(
        _ newcomer: NewcomerOverHTTP, _ session: String, name: String = "ada"
    ) async throws -> TestResponse {
        try await newcomer.post(
            "/v1/registrations/passkey", "\"authSession\":\"\(session)\",\"username\":\"\(name)\"")
    }

    private func options(_ newcomer: NewcomerOverHTTP, _ session: String) async throws -> PasskeyCreationOptions {
        let answer = try await asked(newcomer, session)
        try #require(answer.status == .ok, "\(answer.text)")
        return try PasskeyCreationOptions(JSONValue.object(parsing: Array(answer.text.utf8)))
    }

    private func finish(
        _ newcomer: NewcomerOverHTTP, _ session: String, name: String = "ada",
        _ passkey: PasskeyRegistrationResponse
    ) async throws -> TestResponse {
        try await newcomer.post(
            "/v1/registrations/finish",
            "\"authSession\":\"\(session)\",\"username\":\"\(name)\",\"passkey\":\(JSONValue.object(passkey.json).text)"
        )
    }

    private func count(_ table: String, _ server: TestServer) async throws -> Int {
        try await server.server.context.database.read { try $0.query("SELECT id FROM \(table)", []).count }
    }

    @Test("A newcomer creates a passkey, is signed in by two factors, and has no password")
    func whole() async throws {
        try await serve { server, newcomer in
            let confirmed = try await newcomer.confirmed()
            #expect(confirmed.text.contains("\"takesPasskey\":true"))
            let session = try #require(try confirmed.member("authSession"))
            let options = try await options(newcomer, session)
            #expect(options.relyingPartyID == "localhost")
            #expect(options.userName == "ada")
            #expect(try await count("accounts", server) == 0)
            var passkey = try SoftwarePasskey()
            passkey.userHandle = options.userHandle
            let made = try passkey.register(options.challenge, on: Self.site)
            let done = try await finish(newcomer, session, made)
            #expect(done.status == .ok, "\(done.text)")
            #expect(try done.member("authorization_code") != nil)
            let account = try #require(
                try await server.server.context.database.read {
                    try Accounts.find(named: "ada", brand: "default", on: $0)
                })
            #expect(account.password == nil && account.passwordState == .none)
            #expect(account.emailState == .verified)
            #expect(options.userHandle == account.id.bytes)
        }
    }

    @Test("The same request after a lost answer signs in to the account that it made; another passkey does not")
    func repeated() async throws {
        try await serve { server, newcomer in
            let session = try await newcomer.proved()
            let options = try await options(newcomer, session)
            let made = try SoftwarePasskey().register(options.challenge, on: Self.site)
            for _ in 0..<2 {
                let done = try await finish(newcomer, session, made)
                #expect(try done.member("authorization_code") != nil, "\(done.text)")
            }
            let other = try SoftwarePasskey().register(options.challenge, on: Self.site)
            let refused = try await finish(newcomer, session, other)
            #expect(try refused.member("error_code") == "address_taken", "\(refused.text)")
            #expect(try await count("accounts", server) == 1)
            #expect(try await count("passkeys", server) == 1)
        }
    }

    @Test("An app is offered a passkey where the brand takes it and the app is named", arguments: [true, false])
    func offered(brandTakesIt: Bool) async throws {
        try await serve(registration: brandTakesIt ? "passkey" : "on", origins: brandTakesIt ? [] : [Self.app]) {
            server, newcomer in
            let confirmed = try await newcomer.confirmed()
            #expect(confirmed.text.contains("\"takesPasskey\":false"))
            let session = try #require(try confirmed.member("authSession"))
            let refused = try await asked(newcomer, session)
            #expect(refused.status == .badRequest)
            #expect(try refused.member("code") == "passkey_not_taken")
            let made = try SoftwarePasskey().register([UInt8](repeating: 7, count: 64), on: Self.site)
            #expect(try await finish(newcomer, session, made).status == .badRequest)
            #expect(try await count("accounts", server) == 0)
            // A password is taken as before.
            #expect(try await newcomer.finish(session).status == .ok)
        }
    }

    @Test(
        "What keeps a newcomer from having a passkey is named as a whole before a code is sent",
        arguments: ["off", "on", "passkey"], [[], ["https://shop.example.com"]])
    func hindrances(registration: String, origins: [String]) async throws {
        try await serve(registration: registration, origins: origins) { server, newcomer in
            let isPossible = registration == "passkey" && !origins.isEmpty
            let answer = try await newcomer.begin(more: ",\"wantsPasskey\":true")
            #expect(answer.status == (isPossible ? .ok : .badRequest), "\(answer.text)")
            #expect(try await newcomer.messages.isEmpty != isPossible)
            guard !isPossible else { return }
            #expect(try answer.member("code") == "passkey_not_taken")
            let missing = try #require(try answer.member("detail"))
            let logged = try #require(server.log.lines.last { $0.contains("passkey_not_taken") })
            for text in [missing, logged] {
                let (brand, client) = (
                    text.contains("brand update default --registration passkey"),
                    text.contains("client update wallet --add-passkey-origin https://localhost (terminal wallet)")
                )
                #expect(brand == (registration != "passkey"), "\(text)")
                #expect(client == origins.isEmpty, "\(text)")
            }
        }
    }

    @Test("A taken name, a foreign address and an unproved one are refused before a passkey is asked for")
    func names() async throws {
        try await serve { server, newcomer in
            try await NewcomerOverHTTP.makeHolder(server)
            let begun = try await newcomer.begin("eve@example.com")
            let early = try await asked(newcomer, try #require(try begun.member("authSession")))
            #expect(try early.member("code") == "invalid_session")
            let session = try await newcomer.proved()
            let taken = try await asked(newcomer, session, name: "Maria")
            #expect(taken.status == .conflict)
            #expect(try taken.member("code") == "username_taken")
            let foreign = try await asked(newcomer, session, name: "maria@example.com")
            #expect(try foreign.member("code") == "bad_request")
            _ = try await options(newcomer, session)
        }
    }

    @Test("attack: a passkey of another newcomer, key, page or site, or without verification, makes no account")
    func refused() async throws {
        try await serve { server, newcomer in
            let session = try await newcomer.proved()
            let own = try await options(newcomer, session).challenge
            let other = NewcomerOverHTTP(server: server, client: newcomer.client, issuer: Self.issuer)
            let theirs = try await options(other, try await other.proved("eve@example.com")).challenge
            let passkey = try SoftwarePasskey()
            var (page, ceremony, unverified) = (Self.site, Self.site, passkey)
            page.origin = Self.issuer
            ceremony.type = "webauthn.get"
            unverified.flags = [.userPresent]
            let attempts = [
                try passkey.register(theirs, on: Self.site), try passkey.register(own, on: page),
                try passkey.register(own, on: ceremony), try unverified.register(own, on: Self.site),
                try passkey.register([UInt8](repeating: 7, count: 64), on: Self.site),
            ]
            for attempt in attempts {
                let refused = try await finish(newcomer, session, attempt)
                #expect(refused.status == .badRequest, "\(refused.text)")
            }
            let logged = try #require(server.log.lines.first { $0.contains("wrongOrigin") })
            #expect(logged.contains(Self.issuer) && logged.contains(Self.app), "\(logged)")
            #expect(logged.contains("--add-passkey-origin"), "\(logged)")
            // Another key than the one that began it.
            let stolen = try await finish(other, session, try passkey.register(own, on: Self.site))
            #expect(try stolen.member("error") == "invalid_session" || stolen.status == .badRequest, "\(stolen.text)")
            #expect(try await count("accounts", server) == 0)
            #expect(try await count("passkeys", server) == 0)
            let done = try await finish(newcomer, session, try passkey.register(own, on: Self.site))
            #expect(try done.member("authorization_code") != nil, "\(done.text)")
        }
    }

    @Test(
        "Either a password or a passkey is needed, and only one",
        arguments: [
            "", ",\"password\":\"a phrase of my own 7\",\"passkey\":{}", ",\"passkey\":\"x\"", ",\"passkey\":{}",
        ])
    func malformed(members: String) async throws {
        try await serve { server, newcomer in
            let session = try await newcomer.proved()
            let answer = try await newcomer.post(
                "/v1/registrations/finish", "\"authSession\":\"\(session)\",\"username\":\"ada\"\(members)")
            #expect(answer.status == .badRequest, "\(answer.text)")
            #expect(try await count("accounts", server) == 0)
        }
    }
}
