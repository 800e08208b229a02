import Core
import Crypto
import Kernel
import Testing
import WalletAuthWire

@testable import Apple

@Suite("Authorization codes of Apple's", .covers("\"an authentication error code\" when Apple fails"))
struct RedemptionTests {
    private func hash(of code: AuthorizationCode) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(code.reveal().utf8))).prefix(16))
    }

    @Test("A native code is redeemed for the client that its token names, with a secret made for minutes")
    func native() async throws {
        let server = try await AppleServer.start()
        try await server.add("two") { $0.clientIDs = ["com.example.other", TestApple.app] }
        let code = try server.apple.code(nonce: "n")
        let token = try server.apple.token(nonce: "n") { $0.set("c_hash", hash(of: code)) }
        let provider = try await server.provider("two")
        let identity = try await provider.redeem(
            VendorCode(code: code, redirectURI: nil, verifier: nil, idToken: token), nonce: Nonce("n"),
            call: server.call("two")
        ).identity
        #expect(identity?.subject == "001.a")
        let form = try #require(try server.apple.forms().first)
        #expect(form["client_id"] == TestApple.app)
        #expect(form["redirect_uri"] == nil)
        let secret = try CompactJWS(form["client_secret"] ?? "")
        #expect(secret.header.algorithm == .es256)
        #expect(secret.header.keyID == TestApple.keyID)
        #expect(secret.signature.count == 64)
        let claims = try secret.verified(by: P256Verifier(server.apple.key.publicKey)).claims()
        #expect(claims.object.names == ["iss", "iat", "exp", "aud", "sub"])
        let lifetime = try claims.requiredDate("exp").secondsSince1970 - claims.requiredDate("iat").secondsSince1970
        #expect(lifetime == 300)
    }

    @Test("Without a token a native code is for the first bundle id, and a page's code for the Services ID")
    func clients() async throws {
        let server = try await AppleServer.start()
        #expect(try await server.redeem(server.apple.code(nonce: nil)) != nil)
        let page = "https://auth.example.com/sign-in/provider/default/apple"
        let code = try server.apple.code(clientID: TestApple.servicesID, redirectURI: page, nonce: "n")
        #expect(try await server.redeem(code, redirectURI: page, nonce: "n") != nil)
        let forms = try server.apple.forms()
        #expect(forms.map { $0["client_id"] } == [TestApple.app, TestApple.servicesID])
        #expect(forms.map { $0["redirect_uri"] } == [nil, page])
        // A page's code with a token for the app is a mix-up.
        let mixed = try server.apple.code(clientID: TestApple.servicesID, redirectURI: page, nonce: "n")
        let token = try server.apple.token(clientID: TestApple.app, nonce: "n")
        #expect(try await server.redeem(mixed, redirectURI: page, idToken: token, nonce: "n") == nil)
        #expect(try server.apple.forms().count == 2)
    }

    @Test("When the person signed in at Apple is known where the identity token tells it, and nowhere else")
    func authTime() async throws {
        let server = try await AppleServer.start()
        for (value, time) in [
            (nil, nil), (.integer(1_700_000_000), Timestamp(seconds: 1_700_000_000)),
        ] as [(JSONValue?, Timestamp?)] {
            let token = try server.apple.token(nonce: "n") { $0["auth_time"] = value }
            let identity = try #require(try await server.verify(token, nonce: "n"))
            #expect(identity.authTime == time)
        }
        let malformed = try server.apple.token(nonce: "n") { $0["auth_time"] = .string("now") }
        #expect(try await server.verify(malformed, nonce: "n") == nil)
    }

    @Test("attack: a code replayed in parallel lets one in", .threat("Sign in with Apple at the server"))
    func replay() async throws {
        let server = try await AppleServer.start()
        let code = try server.apple.code(nonce: nil)
        let identities = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { try await server.redeem(code) != nil } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(identities == 1)
        #expect(try await server.redeem(code) == nil)
    }

    @Test("attack: the token of one person with the code of another is a mismatch, also without a hash of the code")
    func twoPeople() async throws {
        let server = try await AppleServer.start()
        for hasHash in [true, false] {
            let own = try server.apple.code(for: "001.victim", nonce: "n")
            let token = try server.apple.token("001.victim", nonce: "n") {
                if hasHash { $0.set("c_hash", hash(of: own)) }
            }
            let outcome = try await server.redemption(
                of: server.apple.code(for: "001.attacker", nonce: "n"), idToken: token, nonce: "n")
            guard case .mismatched = outcome else {
                Issue.record("\(hasHash): \(outcome)")
                continue
            }
        }
        guard case .refused = try await server.redemption(of: AuthorizationCode("wrong")) else {
            Issue.record("A code that Apple refuses is no mismatch")
            return
        }
    }

    @Test(
        "attack: a swapped sub, a code that the token was not made with, a token without the nonce: nothing is redeemed"
    )
    func nothingRedeemed() async throws {
        let server = try await AppleServer.start()
        let (code, another) = (try server.apple.code(nonce: "n"), try AuthorizationCode("another"))
        let genuine = try server.apple.token(nonce: "n").reveal().split(separator: ".")
        var swapped = server.apple.claims("001.victim", nonce: "n")
        swapped.set("sub", "001.victim")
        let tampered = try IDToken("\(genuine[0]).\(Base64URL.encode(swapped.bytes)).\(genuine[2])")
        let tokens = [
            tampered,
            try server.apple.token(nonce: "n") { $0.set("c_hash", hash(of: another)) },
            try server.apple.token(nonce: nil),
            try server.apple.token(nonce: "another"),
        ]
        for token in tokens { #expect(try await server.redeem(code, idToken: token, nonce: "n") == nil) }
        #expect(server.apple.asked("/auth/token") == 0)
        #expect(try await server.redeem(code, idToken: server.apple.token(nonce: "n"), nonce: "n") != nil)
    }

    @Test("attack: Apple's answer for another client, person, nonce or access token is a wrong credential")
    func answers() async throws {
        let server = try await AppleServer.start()
        let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
            ("aud", { $0.set("aud", TestApple.servicesID) }), ("sub", { $0.set("sub", "001.b") }),
            ("nonce", { $0.set("nonce", "another") }), ("no nonce", { $0["nonce"] = nil }),
            ("at_hash", { $0.set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA") }),
        ]
        for (name, change) in changes {
            server.apple.changeAnswer(change)
            let identity = try await server.redeem(
                server.apple.code(nonce: "n"), idToken: server.apple.token(nonce: "n"), nonce: "n")
            #expect(identity == nil, "\(name)")
        }
        // An old phone, which says so, has no nonce in the answered token; the token that came with the code has shown it.
        server.apple.changeAnswer {
            $0["nonce"] = nil
            $0["nonce_supported"] = .bool(false)
        }
        let old = try await server.redeem(
            server.apple.code(nonce: "n"), idToken: server.apple.token(nonce: "n"), nonce: "n")
        #expect(old != nil)
        // Without that token nothing has.
        #expect(try await server.redeem(server.apple.code(nonce: "n"), nonce: "n") == nil)
    }

    @Test("invalid_grant is a wrong credential; any other error or response means that Apple cannot be asked")
    func errors() async throws {
        let server = try await AppleServer.start()
        server.apple.answer(
            "/auth/token", 400,
            #"{"error":"invalid_grant","error_description":"The code has expired or has been revoked."}"#)
        #expect(try await server.redeem(server.apple.code(nonce: nil)) == nil)
        for (status, body) in [
            (400, #"{"error":"invalid_client"}"#), (400, #"{"error":"invalid_request"}"#),
            (400, #"{"error":"unauthorized_client"}"#), (400, #"{"error":"unsupported_grant_type"}"#),
            (400, #"{"error":"invalid_scope"}"#), (400, #"{"error":"something new"}"#), (400, "<html>"),
            (401, #"{"error":"invalid_grant"}"#), (429, ""), (500, "{}"), (503, ""), (302, ""), (200, "<html>"),
            (200, #"{"access_token":"a"}"#), (200, #"{"id_token":"not.a.token"}"#),
        ] {
            server.apple.answer("/auth/token", status, body)
            await #expect(throws: ProviderFailure.self, "\(status) \(body)") {
                try await server.redeem(server.apple.code(nonce: nil))
            }
        }
    }

    @Test(
        "attack: a code of another client, for which Apple calls the client invalid, is a wrong credential and no outage"
    )
    func otherClient() async throws {
        let server = try await AppleServer.start()
        let code = try server.apple.code(clientID: TestApple.servicesID, nonce: nil)
        #expect(try await server.redeem(code) == nil)
        // A key that Apple does not know is an outage still.
        server.apple.move(to: "TEAM000009")
        await #expect(throws: ProviderFailure.self) { try await server.redeem(server.apple.code(nonce: nil)) }
    }

    @Test("What Apple answers goes into no message for the log but its own errors")
    func quiet() async throws {
        let server = try await AppleServer.start()
        server.apple.answer("/auth/token", 400, #"{"error":"mallory\u001b[2J"}"#)
        do {
            _ = try await server.redeem(server.apple.code(nonce: nil))
            Issue.record("it was redeemed")
        } catch let failure as ProviderFailure {
            #expect(!failure.reason.contains("mallory"))
        }
    }

    @Test("The authorization URL of a page asks for a form, with state and nonce; without a Services ID there is none")
    func page() async throws {
        let server = try await AppleServer.start()
        try await server.add("native") { $0.servicesID = nil }
        let request = VendorAuthorization(
            redirectURI: "https://auth.example.com/sign-in/provider/default/apple", state: try OAuthState("s t"),
            nonce: try Nonce("n"),
            challenge: CodeChallenge(verifier: try CodeVerifier(String(repeating: "v", count: 43))))
        let url = try #require(try await server.provider().authorizationURL(for: request))
        let query = try FormParameters(parsing: try #require(url.split(separator: "?").last))
        #expect(url.hasPrefix("https://appleid.apple.com/auth/authorize?"))
        #expect(!url.contains("+"))
        #expect(query["response_mode"] == "form_post")
        #expect(query["response_type"] == "code")
        #expect(query["client_id"] == TestApple.servicesID)
        #expect(query["scope"] == "name email")
        #expect(query["state"] == "s t")
        #expect(query["nonce"] == "n")
        #expect(try await server.provider().pageName == "Apple")
        #expect(try await server.provider("native").authorizationURL(for: request) == nil)
        #expect(try await server.provider("native").pageName == nil)
    }
}
