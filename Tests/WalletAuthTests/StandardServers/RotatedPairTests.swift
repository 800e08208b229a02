import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "A rotated pair is never thrown away, and never taken from another person", .covers("a rotated pair is discarded"))
struct RotatedPairTests {
    /// What is odd about an answer that is good all the same.
    private static let oddities: [(String, @Sendable (inout JSONObject) throws -> Void)] = [
        ("expires_in as text", { $0["expires_in"] = "3600" }),
        ("expires_in with a fraction", { $0["expires_in"] = .number(3600.0) }),
        ("a scope with two spaces", { $0["scope"] = "openid  profile" }),
        ("a scope as an array", { $0["scope"] = ["openid", "profile"] }),
        ("a scope that is none", { $0["scope"] = 7 }),
        ("no token_type", { $0["token_type"] = nil }),
        ("an empty id_token", { $0["id_token"] = "" }),
        ("a merchant_id of another kind", { $0["merchant_id"] = 7 }),
    ]

    @Test("An answer that is odd where nothing is decided is taken, at the sign-in and at a renewal")
    func oddAnswers() async throws {
        for (name, change) in Self.oddities {
            let standard = StandardWorld()
            if name != "an empty id_token" { standard.odd.changeGrants(change) }
            let wallet = try await standard.signedIn()
            standard.odd.changeGrants(change)
            for _ in 0..<2 {
                let former = try await wallet.accessToken()
                standard.world.clock.advance(by: .seconds(3601))
                #expect(try await wallet.accessToken() != former, "\(name)")
            }
            #expect(standard.world.living.first?.generation == 2, "\(name)")
        }
    }

    @Test("An ID token of a renewal that has expired, or is the sign-in's, voids nothing")
    func expiredIDToken() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        var claims = renewedClaims(at: standard.world.clock)
        claims["exp"] = 1
        claims["iat"] = 1
        claims["auth_time"] = "long ago"
        standard.odd.changeGrants { [claims] in $0["id_token"] = .string(idToken(claims)) }
        for _ in 0..<2 {
            standard.expireToken()
            _ = try await wallet.accessToken()
        }
        #expect(standard.world.living.first?.generation == 2)
    }

    @Test(
        "Whatever else is wrong with a response, its refresh token is what the next renewal sends, even after a restart",
        arguments: [
            #"{"expires_in":"soon"}"#, #"{"token_type":"mac"}"#, #"{"token_type":"DPoP"}"#, #"{"access_token":""}"#,
            #"{"access_token":7}"#, #"{"access_token":null}"#,
        ])
    func flawedAnswers(members: String) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        let wrong = try JSONValue.object(parsing: Array(members.utf8))
        standard.odd.changeGrants { object in for member in wrong.members { object[member.name] = member.value } }
        standard.expireToken()
        #expect(await failure { try await wallet.accessToken() }?.code == .malformedAnswer)
        #expect(wallet.isLoggedIn)
        standard.odd.rewrite(nil)
        standard.expireToken()
        let next = try standard.wallet()
        _ = try await next.accessToken()
        #expect(standard.world.living.first?.generation == 2)
        #expect(standard.world.userAgent.presented.count == 1)
    }

    @Test(
        "An ID token that cannot be read keeps the pair from use until an answer names the person",
        arguments: [
            "no jwt", idToken(JSONObject(strings: ["iss": "https://auth.example.com", "sub": "sub-alice"])), "none",
        ])
    func unreadableIDToken(text: String) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        let clock = standard.world.clock
        let unreadable = text == "none" ? idToken(renewedClaims(at: clock), algorithm: "none") : text
        standard.odd.changeGrants {
            $0["id_token"] = .string(unreadable)
            $0["access_token"] = "opaque"
        }
        standard.expireToken()
        #expect(await failure { try await wallet.accessToken() }?.code == .invalidIDToken)
        // An answer that says nothing of whose it is does not do now.
        standard.odd.changeGrants { $0["access_token"] = "opaque" }
        standard.expireToken()
        #expect(await failure { try await wallet.accessToken() }?.code == .invalidIDToken)
        let claims = renewedClaims(at: clock)
        standard.odd.changeGrants {
            $0["access_token"] = "opaque-2"
            $0["id_token"] = .string(idToken(claims))
        }
        standard.expireToken()
        let next = try standard.wallet()
        #expect(try await next.accessToken().reveal() == "opaque-2")
        #expect(standard.world.living.first?.generation == 3)
    }

    @Test(
        "Another person's pair is dropped and revoked, whatever else is wrong with the answer, and its tokens are never sent",
        arguments: [
            #"{"sub":"sub-bob"}"#, #"{"iss":"https://evil.example"}"#, #"{"aud":"another-app"}"#,
            #"{"azp":"another-app"}"#, #"{"aud":["com.example.wallet","b"],"azp":"b"}"#,
        ],
        [
            "{}", #"{"expires_in":"soon"}"#, #"{"token_type":"mac"}"#, #"{"access_token":7}"#, #"{"scope":7}"#,
        ])
    func anotherPerson(claims: String, members: String) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        var changed = renewedClaims(at: standard.world.clock)
        for member in try JSONValue.object(parsing: Array(claims.utf8)).members { changed[member.name] = member.value }
        let wrong = try JSONValue.object(parsing: Array(members.utf8))
        standard.odd.changeGrants { [changed] object in
            object["refresh_token"] = "bobs-refresh-token"
            object["access_token"] = "bobs-access-token"
            object["id_token"] = .string(idToken(changed))
            for member in wrong.members { object[member.name] = member.value }
        }
        standard.expireToken()
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.code == .malformedAnswer)
        #expect(wallet.identity?.subject == "sub-alice")
        standard.odd.rewrite(nil)
        _ = await wallet.sendQueuedRevocations()
        let revoked = standard.server.requests.filter { $0.path == Endpoints.revoke.path }
        #expect(revoked.map { $0.form["token"] } == ["bobs-refresh-token"])
        // The next renewal, by this process or another, sends what was this session's own.
        for process in [wallet, try standard.wallet()] {
            standard.expireToken()
            _ = await failure { try await process.accessToken() }
        }
        let sent = standard.server.requests.filter { $0.path == Endpoints.token.path }
        #expect(sent.allSatisfy { $0.form["refresh_token"] != "bobs-refresh-token" })
        for data in standard.world.store.items.values {
            #expect(!String(decoding: data, as: UTF8.self).contains("bobs-"))
        }
    }

    @Test("Nothing of another person's answer is kept where the process is killed at any moment of it")
    func killedWithAnotherPersonsAnswer() async throws {
        for point in [
            SimulatedProcess.KillPoint.afterSending(to: Endpoints.token.path),
            .beforeSending(to: Endpoints.revoke.path),
        ] {
            let standard = StandardWorld()
            _ = try await standard.signedIn()
            var claims = renewedClaims(at: standard.world.clock)
            claims["sub"] = "sub-bob"
            standard.odd.changeGrants { [claims] in
                $0["refresh_token"] = "bobs-refresh-token"
                $0["id_token"] = .string(idToken(claims))
            }
            standard.expireToken()
            let process = SimulatedProcess(standard.ports)
            let killed = try standard.world.wallet(ports: process.ports)
            process.kill(at: point)
            _ = await failure { try await killed.accessToken() }
            standard.odd.rewrite(nil)
            let next = try standard.wallet()
            _ = await failure { try await next.accessToken() }
            _ = await next.sendQueuedRevocations()
            let sent = standard.server.requests.filter { $0.path == Endpoints.token.path }
            #expect(sent.allSatisfy { $0.form["refresh_token"] != "bobs-refresh-token" })
        }
    }

    @Test("A person whom the ID token and the access token call by different names stays the same person")
    func pairwise() async throws {
        let standard = StandardWorld()
        standard.odd.changeGrants { object in
            guard let text = object["id_token"]?.string else { return }
            let payload = try JSONValue.object(
                parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            var claims = payload
            claims["sub"] = "pairwise-alice"
            object["id_token"] = .string(idToken(claims))
        }
        let wallet = try await standard.signedIn()
        #expect(wallet.identity?.subject == "pairwise-alice")
        standard.expireToken()
        _ = try await wallet.accessToken()
        #expect(wallet.identity?.subject == "pairwise-alice")
    }

    @Test("Tokens of 64 KiB and a code with a space in it serve")
    func largeTokens() async throws {
        let standard = StandardWorld()
        let large = String(repeating: "a", count: 65_536)
        standard.odd.changeGrants { object in
            object["access_token"] = .string(large)
            // The ID token of the sign-in names the access token that the server gave.
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims["at_hash"] = nil
            object["id_token"] = .string(idToken(claims))
        }
        let wallet = try await standard.signedIn()
        #expect(try await wallet.accessToken().reveal().utf8.count == 65_536)
        standard.expireToken()
        try await wallet.refresh()
        #expect(try await wallet.accessToken().reveal().utf8.count == 65_536)
        #expect(standard.world.living.first?.generation == 1)
        let callback = "https://app.example.com/callback?code=a%20b&state=s"
        let response = try AuthorizationResponse(
            callback: callback, redirectURI: try RedirectURI("https://app.example.com/callback"))
        #expect(response.outcome == .code(try AuthorizationCode("a b")))
    }

    @Test(
        "Optional claims of a wrong type do not keep anybody from signing in; those that decide something do",
        arguments: [
            (#"{"acr":1}"#, true), (#"{"amr":"pwd"}"#, true), (#"{"sid":7}"#, true), (#"{"auth_time":"now"}"#, true),
            (#"{"nonce":7}"#, false), (#"{"aud":7}"#, false), (#"{"iss":7}"#, false), (#"{"at_hash":7}"#, false),
        ])
    func optionalClaims(members: String, isTaken: Bool) async throws {
        let standard = StandardWorld()
        let odd = try JSONValue.object(parsing: Array(members.utf8))
        standard.odd.changeGrants { object in
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            for member in odd.members { claims[member.name] = member.value }
            object["id_token"] = .string(idToken(claims))
        }
        let wallet = try standard.wallet()
        let error = await failure { try await wallet.setUp() }
        #expect(error?.code == (isTaken ? nil : .invalidIDToken))
    }

    @Test("Tokens of a sign-in that is refused here are ended at the server")
    func refusedSignIn() async throws {
        for claim in ["nonce", "aud", "iss"] {
            let standard = StandardWorld()
            standard.odd.changeGrants { object in
                guard let text = object["id_token"]?.string else { return }
                var claims = try JSONValue.object(
                    parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
                claims[claim] = "another"
                object["id_token"] = .string(idToken(claims))
            }
            let wallet = try standard.wallet()
            let error = await failure { try await wallet.setUp() }
            #expect(error?.code == .invalidIDToken)
            #expect(error?.reason.contains("claim(") == false, "\(error?.reason ?? "")")
            _ = await wallet.sendQueuedRevocations()
            #expect(standard.world.living.isEmpty, "\(claim)")
            #expect(!wallet.isLoggedIn)
        }
    }
}
