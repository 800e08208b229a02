import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks on sign-out by a client", .threat("open redirect: user information", "CSRF, a stolen page"))
struct LogoutAttackTests {
    /// URIs that resemble a registered one.
    private static func lookAlikes(of uri: String) -> [String] {
        let (host, path) = ("app.example.com", "/signed-out")
        let others = [
            "https://\(host)@evil.example\(path)", "https://evil.example\(path)", "https://evil.example/?\(uri)",
            "https://evil.example#\(uri)", "https://\(host).evil.example\(path)", "https://\(host).\(path)",
            "https://evil.\(host)\(path)", "https://\(host):443\(path)", "https://\(host):8443\(path)",
            "http://\(host)\(path)", "https:/\(host)\(path)", "https:\(host)\(path)", "//\(host)\(path)",
            "https:\\\\\(host)\(path)", "https://\(host)\\@evil.example\(path)", "javascript:alert(1)//\(uri)",
            "data:text/html,\(uri)", "https://*.example.com\(path)", path, "https://APP.example.com\(path)",
        ]
        let endings = [
            "/", "?", "#", "?next=https://evil.example", "#fragment", "/../evil", "/..;/evil", "%2f..%2fevil", "%00",
            "%0d%0aSet-Cookie:x=y", "\r\nLocation: https://evil.example", " ", "\t", "\u{202e}", ".evil",
        ]
        let cases = [uri.uppercased(), uri.replacing("signed", with: "%73igned"), uri.replacing("-", with: "%2d")]
        return others + cases + endings.map { uri + $0 } + ["", "https://", "about:blank"].filter { !$0.isEmpty }
    }

    @Test(
        "attack: no variant of the registered URI is followed, with a hint or without, and nothing ends",
        .conformance(
            "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
            "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri"))
    func openRedirect() async throws {
        let person = try await LeavingPerson()
        for uri in Self.lookAlikes(of: LeavingPerson.away) {
            for changes in [[:], ["id_token_hint": nil, "client_id": "app"]] as [[String: String?]] {
                let outcome = try await person.signOut(
                    changes.merging(["post_logout_redirect_uri": uri]) { _, new in new })
                guard case .unregisteredURI? = outcome.fault else {
                    Issue.record("\(uri): \(outcome)")
                    continue
                }
            }
            // Without a client, no URI is registered.
            let page = try await person.signOut(["id_token_hint": nil, "post_logout_redirect_uri": uri]).page()
            #expect(page.location == nil)
        }
        try await person.expectUnchanged()
    }

    @Test("attack: a redirect URI is no post-logout redirect URI, and neither is another client's")
    func otherRegistrations() async throws {
        let person = try await LeavingPerson()
        _ = try await person.server.bearerClient("other") {
            $0.postLogoutRedirectURIs = ["https://other.example.com/out"]
        }
        for uri in ["https://app.example.com/callback", "https://other.example.com/out"] {
            let fault = try await person.signOut(["post_logout_redirect_uri": uri]).fault
            #expect(fault != nil, "\(uri)")
        }
        try await person.expectUnchanged()
    }

    @Test("attack: a URI that was taken away while the page asked is not followed")
    func removedURI() async throws {
        let person = try await LeavingPerson()
        let page = try await person.signOut(["id_token_hint": nil, "client_id": "app"]).page()
        try await person.server.administer([
            "client", "update", "app", "--remove-post-logout-redirect-uri", LeavingPerson.away,
        ])
        #expect(try await person.browser.confirm(page).fault != nil)
    }

    @Test(
        "attack: a forged ID token asks first, and its button ends no client's session",
        .conformance("oidcc-rp-initiated-logout-modified-id-token-hint", "oidcc-rp-initiated-logout-bad-id-token-hint"))
    func forgedHint() async throws {
        let person = try await LeavingPerson { $0.idTokenAlgorithm = "ES256" }
        let genuine = try CompactJWS(person.hint)
        let parts = try person.hint.split(separator: ".").map(String.init)
        let kid = try #require(genuine.header.keyID)
        let claims = parts[1]
        func jws(_ header: String, _ sign: (String) -> [UInt8]) -> String {
            let input = Base64URL.encode(Array(header.utf8)) + "." + claims
            return input + "." + Base64URL.encode(sign(input))
        }
        func hmac(_ key: [UInt8]) -> (String) -> [UInt8] {
            { Array(HMAC<SHA256>.authenticationCode(for: Array($0.utf8), using: SymmetricKey(data: key))) }
        }
        let published = try #require(person.server.context.keyRing.signingKey(kid)).publicKey
        let stranger = P256.Signing.PrivateKey()
        let other = try await CompactJWSEncoder(signer: P256Signer(stranger, keyID: kid), type: .jwt)
            .encode(genuine.unverifiedPayload, signer: P256Signer(stranger, keyID: kid))
        let forged = [
            other,
            jws("{\"alg\":\"none\",\"typ\":\"JWT\"}") { _ in [] },
            jws("{\"alg\":\"none\",\"typ\":\"JWT\",\"kid\":\"\(kid)\"}") { _ in [] },
            jws("{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"\(kid)\"}", hmac(Array("secret".utf8))),
            jws("{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"\(kid)\"}", hmac(published.publicMembers.bytes)),
            jws("{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"unknown\"}") { _ in genuine.signature },
            jws("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"\(kid)\"}") { _ in genuine.signature },
            parts[0] + "." + claims + ".", parts[0] + "." + claims, claims, "x",
            parts[0] + "." + claims + "A." + parts[2],
            // Another kind of token of this server.
            person.tokens.accessToken.reveal(),
        ]
        for hint in forged {
            let page = try await person.signOut(["id_token_hint": hint, "client_id": "app"]).page()
            #expect(page.username == "ada", "\(hint)")
        }
        try await person.expectUnchanged()
        let page = try await person.signOut(["id_token_hint": other, "client_id": "app"]).page()
        _ = try await person.browser.confirm(page)
        #expect(try await person.session().ended == nil)
    }

    @Test("attack: with HS256 and a client's secret, a hint is no more than without")
    func clientSecret() async throws {
        let person = try await LeavingPerson()
        let backend = try await person.server.confidentialClient { $0.redirectURIs = ["https://b.example.com/cb"] }
        let claims = Base64URL.encode(try CompactJWS(person.hint).unverifiedPayload)
        let input = Base64URL.encode(Array("{\"alg\":\"HS256\",\"typ\":\"JWT\"}".utf8)) + "." + claims
        let key = SymmetricKey(data: Array(try #require(backend.secret).reveal().utf8))
        let mac = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: key)
        let hint = input + "." + Base64URL.encode(Array(mac))
        #expect(try await person.signOut(["id_token_hint": hint]).isAsking)
        try await person.expectUnchanged()
    }

    @Test("attack: an ID token of another issuer, though signed by this server's key, asks first")
    func otherIssuer() async throws {
        let person = try await LeavingPerson()
        var claims = try IDTokenClaims(JSONValue.object(parsing: CompactJWS(person.hint).unverifiedPayload))
        let signer = try person.server.context.keyRing.signer(.rs256)
        claims.issuer = "https://evil.example"
        #expect(try await person.signOut(["id_token_hint": signer.idToken(claims).reveal()]).isAsking)
        claims.issuer = "https://auth.example.com"
        claims.audience = ["app", "other"]
        #expect(try await person.signOut(["id_token_hint": signer.idToken(claims).reveal()]).isAsking)
        try await person.expectUnchanged()
    }

    @Test("attack: a client_id that is not the audience of the hint gets an error page, and nothing ends")
    func otherClient() async throws {
        let person = try await LeavingPerson()
        _ = try await person.server.bearerClient("other") { $0.postLogoutRedirectURIs = ["https://evil.example/out"] }
        let fault = try await person.signOut([
            "client_id": "other", "post_logout_redirect_uri": "https://evil.example/out",
        ]).fault
        #expect(fault == .otherClient)
        #expect(try await person.signOut(["id_token_hint": nil, "client_id": "nobody"]).fault == .unknownClient)
        try await person.expectUnchanged()
    }

    @Test("attack: another person's ID token asks first, and the button ends neither client's session")
    func otherPerson() async throws {
        let person = try await LeavingPerson()
        let grace = try await person.server.account("grace")
        let tokens = try await person.app.signIn(grace)
        let hint = try #require(tokens.idToken).reveal()
        let page = try await person.signOut(["id_token_hint": hint]).page()
        #expect(page.username == "ada")
        try await person.expectUnchanged()
        _ = try await person.browser.confirm(page)
        _ = try await person.app.refresh(#require(tokens.refreshToken)).tokens()
        #expect(try await person.session().ended == nil)
    }

    @Test("attack: an ID token of the person's sign-in elsewhere ends its own session, and asks about the browser's")
    func otherBrowser() async throws {
        let person = try await LeavingPerson()
        person.server.clock.advance(by: .seconds(1))
        let elsewhere = TestBrowser(person.server)
        let tokens = try await person.app.redeem(elsewhere.signIn(person.app.request()).code()).tokens()
        let hint = try #require(tokens.idToken).reveal()
        let page = try await person.signOut(["id_token_hint": hint]).page()
        #expect(page.username == "ada")
        try await person.expectUnchanged()
        #expect(try await person.app.refresh(#require(tokens.refreshToken)).refusal == .invalidGrant)
        // Nor does that of a television that the browser confirmed, which a stranger may hold.
        var claims = try IDTokenClaims(JSONValue.object(parsing: CompactJWS(person.hint).unverifiedPayload))
        claims.amr.append("user_code")
        let shown = try person.server.context.keyRing.signer(.rs256).idToken(claims).reveal()
        #expect(try await person.signOut(["id_token_hint": shown]).isAsking)
        #expect(try await person.isInBrowser())
        #expect(try await person.browser.confirm(page).destination != nil)
        #expect(try await !person.isInBrowser())
    }

    @Test("attack: an ID token whose session is another account's or another client's ends that one not")
    func foreignSession() async throws {
        let person = try await LeavingPerson()
        let grace = try await person.server.account("grace")
        let other = try await person.server.bearerClient("other")
        let signer = try person.server.context.keyRing.signer(.rs256)
        var claims = try IDTokenClaims(JSONValue.object(parsing: CompactJWS(person.hint).unverifiedPayload))
        for (account, client) in [(grace, person.app), (person.account, other)] {
            let tokens = try await client.signIn(account)
            let foreign = try #require(tokens.idToken).reveal()
            claims.sessionID = try IDTokenClaims(JSONValue.object(parsing: CompactJWS(foreign).unverifiedPayload))
                .sessionID
            let outcome = try await person.signOut(["id_token_hint": signer.idToken(claims).reveal()])
            #expect(outcome.destination != nil)
            _ = try await client.refresh(#require(tokens.refreshToken)).tokens()
        }
    }

    @Test("attack: a POST without the page's proof, or with another browser's, changes nothing")
    func forgedForm() async throws {
        let person = try await LeavingPerson()
        let page = try await person.signOut(["id_token_hint": nil]).page()
        #expect(try await person.browser.confirm(page, csrf: "forged").fault == .stalePage)
        // The attacker's own page, posted by the victim's browser.
        _ = try await person.server.account("eve")
        let eve = TestBrowser(person.server)
        _ = try await eve.signIn(person.app.request(), "eve").code()
        let own = try await eve.signOut(person.request(["id_token_hint": nil])).page()
        #expect(try await person.browser.confirm(own).fault == .stalePage)
        // The page of a sign-in is no page of a sign-out.
        var borrowed = page
        let signIn = try await TestBrowser(person.server).open(person.app.request()).page()
        (borrowed.request, borrowed.csrf) = (signIn.request, signIn.csrf)
        #expect(try await person.browser.confirm(borrowed).fault == .stalePage)
        try await person.expectUnchanged()
    }

    @Test("attack: the page of one person's sign-out does not sign out the next person in the browser")
    func nextPerson() async throws {
        let person = try await LeavingPerson()
        _ = try await person.server.account("grace")
        let page = try await person.signOut(["id_token_hint": nil]).page()
        _ = try await person.browser.signIn(person.app.request { $0["prompt"] = "login" }, "grace").code()
        #expect(try await person.browser.confirm(page).fault == .stalePage)
        #expect(try await person.isInBrowser())
    }

    @Test("attack: a page that was open too long signs no one out")
    func oldPage() async throws {
        let person = try await LeavingPerson()
        let page = try await person.signOut(["id_token_hint": nil]).page()
        person.server.clock.advance(by: .hours(1))
        #expect(try await person.browser.confirm(page).fault == .stalePage)
        try await person.expectUnchanged()
    }

    @Test("A renewal at the same time as a sign-out leaves nothing that could be renewed")
    func refreshRace() async throws {
        let person = try await LeavingPerson()
        let token = try #require(person.tokens.refreshToken)
        let (app, server, request) = (person.app, person.server, try person.request())
        let cookies = person.browser.cookies
        let renewed = try await withThrowingTaskGroup(of: RefreshToken?.self) { group in
            for _ in 0..<8 { group.addTask { try? await app.refresh(token).tokens().refreshToken } }
            group.addTask {
                _ = try await server.flows.signIn.logout.begin(request, cookies: cookies, origin: TestServer.origin)
                return nil
            }
            return try await group.reduce(into: [token]) { tokens, token in if let token { tokens.append(token) } }
        }
        #expect(try await person.session().ended?.why == .signedOut)
        for token in renewed { #expect(try await app.refresh(token).refusal == .invalidGrant) }
    }
}
