import Core
import Crypto
import Kernel
import Testing
import WalletAuthWire

@testable import Apple

@Suite("Identity tokens of Apple's", .threat("Sign in with Apple at the server"))
struct IdentityTokenTests {
    @Test("A token for any of the operator's clients, with the server's nonce verbatim, says who the person is")
    func sound() async throws {
        let server = try await AppleServer.start()
        for client in [TestApple.app, TestApple.servicesID] {
            let token = try server.apple.token(clientID: client, nonce: "n-1")
            let identity = try #require(try await server.verify(token, nonce: "n-1"))
            #expect(identity.subject == "001.a")
            #expect(identity.email == "relay@privaterelay.appleid.com")
            #expect(identity.isEmailVerified)
        }
    }

    @Test("attack: a wrong aud, another merchant's, several, or none at all")
    func audience() async throws {
        let server = try await AppleServer.start()
        // The other merchant has an app of its own with the same team.
        try await server.add("other") {
            $0.clientIDs = ["com.example.other"]
            $0.servicesID = nil
        }
        let others = try server.apple.token(clientID: "com.example.other", nonce: "n")
        #expect(try await server.verify(others, nonce: "n", at: "other") != nil)
        #expect(try await server.verify(others, nonce: "n") == nil)
        let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
            ("unregistered", { $0.set("aud", "com.attacker.app") }),
            ("missing", { $0["aud"] = nil }),
            ("empty", { $0["aud"] = .strings([String]()) }),
            ("several", { $0["aud"] = .strings([TestApple.app, "com.attacker.app"]) }),
            ("a prefix", { $0.set("aud", String(TestApple.app.dropLast())) }),
        ]
        for (name, change) in changes {
            let token = try server.apple.token(nonce: "n", change)
            #expect(try await server.verify(token, nonce: "n") == nil, "\(name)")
        }
    }

    @Test("attack: a token that is expired, from the future, of another issuer, or without a person")
    func claims() async throws {
        let server = try await AppleServer.start()
        let now = server.clock.now().seconds
        let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
            ("expired", { $0.set("exp", now - 61) }),
            ("without exp", { $0["exp"] = nil }),
            ("from the future", { $0.set("iat", now + 120) }),
            ("without iat", { $0["iat"] = nil }),
            ("another issuer", { $0.set("iss", "https://appleid.apple.com.attacker.example") }),
            ("an issuer with a slash", { $0.set("iss", TestApple.base + "/") }),
            ("without sub", { $0["sub"] = nil }),
            ("an empty sub", { $0.set("sub", "") }),
            ("an endless sub", { $0.set("sub", String(repeating: "s", count: 256)) }),
        ]
        for (name, change) in changes {
            let token = try server.apple.token(nonce: "n", change)
            #expect(try await server.verify(token, nonce: "n") == nil, "\(name)")
        }
    }

    @Test(
        "attack: alg none, HS256 with public data as the secret, ES256 by a published key, and RS256 by a stranger's key"
    )
    func algorithms() async throws {
        let server = try await AppleServer.start()
        let claims = server.apple.claims(nonce: "n")
        let published = try await TestApple.signer(1)
        let jwk = JSONValue.object(try #require(published.publicJWK).json).text
        func forged(_ header: String, mac key: [UInt8]?) throws -> IDToken {
            let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.bytes)
            let signature = key.map {
                Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: $0)))
            }
            return try IDToken(input + "." + Base64URL.encode(signature ?? []))
        }
        for (header, key) in [
            (#"{"alg":"none"}"#, nil), (#"{"alg":"none","kid":"rsa-1"}"#, nil),
            (#"{"alg":"HS256","kid":"rsa-1"}"#, Array(jwk.utf8)),
            (#"{"alg":"HS256","kid":"rsa-1"}"#, server.apple.keyFile), (#"{"alg":"RS256","kid":"rsa-1"}"#, [1, 2, 3]),
        ] as [(String, [UInt8]?)] {
            #expect(try await server.verify(forged(header, mac: key), nonce: "n") == nil, "\(header)")
        }
        // A key that Apple publishes, of an algorithm that it does not sign identity tokens with.
        let elliptic = P256Signer(P256.Signing.PrivateKey(), keyID: "ec-1")
        let both = JWKSet([try #require(published.publicJWK), try #require(elliptic.publicJWK)])
        server.apple.answer("/auth/keys", 200, JSONValue.object(both.json).text)
        let es256 = try await CompactJWSEncoder(signer: elliptic, type: nil).encode(claims.bytes, signer: elliptic)
        #expect(try await server.verify(IDToken(es256), nonce: "n") == nil)
        let stranger = try await TestApple.stranger(keyID: "rsa-1")
        #expect(try await server.verify(IDToken(server.apple.signed(claims, by: stranger)), nonce: "n") == nil)
        #expect(try await server.verify(IDToken(server.apple.signed(claims)), nonce: "n") != nil)
    }

    @Test("attack: the nonce is missing, another's, hashed or in other letters; nonce_supported excuses nothing")
    func nonce() async throws {
        let server = try await AppleServer.start()
        let hashed = Array(SHA256.hash(data: Array("Nonce-1".utf8))).map { String($0, radix: 16) }.joined()
        for said in [nil, "another", "nonce-1", hashed] {
            for supported in [JSONValue.bool(true), .string("true"), .bool(false), nil] {
                let token = try server.apple.token(nonce: said) { $0["nonce_supported"] = supported }
                #expect(try await server.verify(token, nonce: "Nonce-1") == nil, "\(said ?? "none")")
            }
        }
        #expect(try await server.verify(server.apple.token(nonce: "Nonce-1"), nonce: "Nonce-1") != nil)
    }

    @Test("A token without a nonce counts for five minutes")
    func age() async throws {
        let server = try await AppleServer.start()
        let token = try server.apple.token(nonce: nil)
        server.clock.advance(by: .minutes(5))
        #expect(try await server.verify(token, nonce: nil) != nil)
        server.clock.advance(by: .seconds(1))
        #expect(try await server.verify(token, nonce: nil) == nil)
    }

    @Test("Truth is taken as a text and as itself, and everything else is no truth")
    func truth() async throws {
        let server = try await AppleServer.start()
        for (said, isVerified) in [
            (JSONValue.bool(true), true), (.string("true"), true), (.bool(false), false), (.string("false"), false),
            (.integer(1), false), (.string("True"), false), (nil, false),
        ] as [(JSONValue?, Bool)] {
            let token = try server.apple.token(nonce: "n") { $0["email_verified"] = said }
            #expect(
                try await server.verify(token, nonce: "n")?.isEmailVerified == isVerified, "\(String(describing: said))"
            )
        }
        let silent = try server.apple.token(nonce: "n") { $0["email"] = nil }
        #expect(try await server.verify(silent, nonce: "n")?.email == nil)
    }

    @Test("A hundred sign-ins on keys that Apple has just rolled fetch them once", .timeLimit(.minutes(5)))
    func rolledKeys() async throws {
        let server = try await AppleServer.start()
        #expect(try await server.verify(server.apple.token(nonce: "n"), nonce: "n") != nil)
        server.clock.advance(by: .minutes(1))
        server.apple.roll(to: try await TestApple.signer(2))
        server.apple.forgetRequests()
        let (provider, call, nonce) = (try await server.provider(), try await server.call(), try Nonce("n"))
        let token = try server.apple.token(nonce: "n")
        let known = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { try await provider.verify(token, nonce: nonce, call: call) != nil }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(known == 100)
        #expect(server.apple.asked("/auth/keys") == 1)
    }

    @Test("Keys that Apple rolls right after they were first fetched are fetched again at once, then after ten seconds")
    func rolledAtOnce() async throws {
        let server = try await AppleServer.start()
        #expect(try await server.verify(server.apple.token(nonce: "n"), nonce: "n") != nil)
        #expect(server.apple.asked("/auth/keys") == 1)
        server.apple.roll(to: try await TestApple.signer(2))
        let second = try server.apple.token(nonce: "n")
        #expect(try await server.verify(second, nonce: "n") != nil)
        #expect(server.apple.asked("/auth/keys") == 2)

        server.apple.roll(to: try await TestApple.signer(3))
        server.clock.advance(by: .seconds(9))
        let third = try server.apple.token(nonce: "n")
        await #expect(throws: ProviderFailure.self) { try await server.verify(third, nonce: "n") }
        #expect(try await server.verify(second, nonce: "n") != nil)
        #expect(server.apple.asked("/auth/keys") == 2)
        server.clock.advance(by: .seconds(1))
        #expect(try await server.verify(third, nonce: "n") != nil)
        #expect(server.apple.asked("/auth/keys") == 3)
    }

    @Test(
        "attack: keys that roll during a flood of made-up key ids cost no code: a token that Apple answered is verified"
    )
    func rolledAfterRedemption() async throws {
        let server = try await AppleServer.start()
        let stranger = try await TestApple.stranger(keyID: "made-up")
        let forged = try IDToken(server.apple.signed(server.apple.claims(nonce: "n"), by: stranger))
        #expect(try await server.verify(forged, nonce: "n") == nil)
        server.apple.roll(to: try await TestApple.signer(2))
        // The token of the app says to try again before its code is looked at.
        let code = try server.apple.code(nonce: "n")
        let token = try server.apple.token(nonce: "n")
        await #expect(throws: ProviderFailure.self) { try await server.redeem(code, idToken: token, nonce: "n") }
        #expect(server.apple.asked("/auth/token") == 0)
        #expect(try await server.redeem(code, nonce: "n")?.subject == "001.a")
        #expect(try await server.redeem(server.apple.code(nonce: "n"), idToken: token, nonce: "n") != nil)
    }

    @Test("attack: a flood of made-up key ids fetches the keys once in ten seconds, and genuine tokens go on")
    func unknownKeys() async throws {
        let server = try await AppleServer.start()
        let stranger = try await TestApple.stranger(keyID: "made-up")
        let forged = try IDToken(server.apple.signed(server.apple.claims(nonce: "n"), by: stranger))
        #expect(try await server.verify(server.apple.token(nonce: "n"), nonce: "n") != nil)
        server.clock.advance(by: .minutes(1))
        server.apple.forgetRequests()
        for round in 1...3 {
            #expect(try await server.verify(forged, nonce: "n") == nil)
            for _ in 0..<19 {
                await #expect(throws: ProviderFailure.self) { try await server.verify(forged, nonce: "n") }
            }
            #expect(server.apple.asked("/auth/keys") == round)
            #expect(try await server.verify(server.apple.token(nonce: "n"), nonce: "n") != nil)
            server.clock.advance(by: .seconds(10))
        }
    }

    @Test(
        "Where Apple's keys cannot be had, Apple cannot be asked; it is left alone for a moment, and known keys go on for an hour"
    )
    func outage() async throws {
        let server = try await AppleServer.start()
        server.apple.setDown(true)
        let token = try server.apple.token(nonce: "n")
        for _ in 0..<5 {
            await #expect(throws: ProviderFailure.self) { try await server.verify(token, nonce: "n") }
        }
        #expect(server.apple.asked("/auth/keys") == 1)
        server.apple.setDown(false)
        server.clock.advance(by: .seconds(6))
        #expect(try await server.verify(token, nonce: "n") != nil)
        server.apple.setDown(true)
        server.clock.advance(by: .minutes(50))
        #expect(try await server.verify(token, nonce: "n") != nil)
    }
}
