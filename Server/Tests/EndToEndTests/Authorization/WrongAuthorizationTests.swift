import Foundation
import Testing

/// Attacks on the authorization endpoint and its page, over real HTTP.
@Suite(
    "Attacks on authorization", .threat("open redirect: user information", "PKCE missing, plain or without its method"))
struct WrongAuthorizationTests {
    @Test(
        "Open redirect: a redirect URI that is not registered to the letter gets an error page and no redirect",
        .onceForAllEngines,
        arguments: [
            "https://app.example.com@evil.example/callback", "https://app.example.com/callback/..;/evil",
            "https://APP.example.com/callback", "https://app.example.com/%63allback",
            "https://app.example.com./callback", "https://app.example.com/callback#fragment",
            "https://*.example.com/callback", "http://app.example.com/callback", "javascript:alert(1)",
            "https://app.example.com/callback?more=1", "https://app.example.com:8443/callback", "//evil.example",
        ])
    func openRedirect(attack: String) async throws {
        try await SharedServer.use { server, _ in
            let id = "redirects"
            let registered = RegisteredClient(id: id, secret: nil, redirectURI: SharedServer.webRedirect)
            let client = StandardClient(registered, at: server)
            let journey = await client.beginAuthorization(changes: ["redirect_uri": attack])
            let answer = try await client.web.get(journey.url)
            #expect((400..<500).contains(answer.status))
            #expect(answer.header("location") == nil)
            #expect(!answer.text.contains("evil.example\""), "the page offers no link there either")
        }
    }

    @Test("An unknown client gets an error page and no redirect", .onceForAllEngines)
    func unknownClient() async throws {
        try await SharedServer.use { server, client in
            let journey = await client.beginAuthorization(changes: ["client_id": "nobody"])
            let answer = try await client.web.get(journey.url)
            #expect((400..<500).contains(answer.status))
            #expect(answer.header("location") == nil)
        }
    }

    @Test(
        "PKCE downgrade: plain, missing or without its method is refused, with state and issuer in the response",
        .onceForAllEngines,
        arguments: [
            ["code_challenge_method": "plain"], ["code_challenge": nil, "code_challenge_method": nil],
            ["code_challenge": nil], ["code_challenge": "short"],
        ] as [[String: String?]])
    func pkceDowngrade(changes: [String: String?]) async throws {
        try await SharedServer.use { server, client in
            let journey = await client.beginAuthorization(changes: changes)
            let answer = try await client.web.get(journey.url)
            let items = queryItems(of: try #require(answer.header("location")))
            #expect(items["error"] == "invalid_request")
            #expect(items["state"] == journey.state)
            let issuer = await server.issuer.absoluteString
            #expect(items["iss"] == issuer)
            #expect(items["code"] == nil)
        }
    }

    @Test(
        "A doubled parameter is refused", .onceForAllEngines,
        arguments: ["state", "redirect_uri", "client_id", "code_challenge"])
    func doubledParameter(name: String) async throws {
        try await SharedServer.use { _, client in
            let journey = await client.beginAuthorization()
            let doubled = try #require(URL(string: journey.url.absoluteString + "&\(name)=other"))
            let answer = try await client.web.get(doubled)
            let refusal = answer.header("location").map { queryItems(of: $0)["error"] }
            #expect(answer.status == 400 || refusal == "invalid_request")
            #expect(!answer.text.contains("<input"), "no sign-in form")
        }
    }

    @Test("Code replay: the second use is refused, and ends the session that the first one opened")
    func codeReplay() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("replayed-\(randomText(4).lowercased())")
            let journey = await client.beginAuthorization()
            let code = try await client.authorizationCode(for: person, journey)
            let tokens = try client.tokens(await client.redeem(code, verifier: journey.verifier))
            let replay = try await client.redeem(code, verifier: journey.verifier)
            #expect(replay.status == 400)
            #expect(replay.members["error"] == "invalid_grant")
            #expect(try await client.refresh(tokens.refresh).members["error"] == "invalid_grant")
        }
    }

    @Test("A stolen code without its verifier, or shown by another client, is refused and does no harm")
    func stolenCode() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("stolen-\(randomText(4).lowercased())")
            let journey = await client.beginAuthorization()
            let code = try await client.authorizationCode(for: person, journey)
            let thief = StandardClient(
                RegisteredClient(id: "other", secret: nil, redirectURI: client.client.redirectURI), at: server)
            #expect(try await thief.redeem(code, verifier: journey.verifier).members["error"] == "invalid_grant")
            #expect(try await client.redeem(code, verifier: randomText(32)).members["error"] == "invalid_grant")
            #expect(try await client.redeem(String(code.dropLast()), verifier: journey.verifier).status == 400)
            _ = try client.tokens(await client.redeem(code, verifier: journey.verifier))
        }
    }

    @Test("CSRF: the form sent from another browser, or without its token, does not sign in", .onceForAllEngines)
    func crossSiteForm() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("csrf-\(randomText(4).lowercased())")
            let typed = ["username": person.username, "password": person.password]
            let journey = await client.beginAuthorization()
            let victim = HeadlessBrowser(ledger: server.ledger)
            guard case .page(let url, let page) = try await victim.open(journey.url, until: client.client.redirectURI)
            else { throw HeadlessBrowser.Stuck(description: "no page") }
            let form = try await victim.form(on: page, at: url)

            let stranger = HeadlessBrowser(ledger: server.ledger)
            let elsewhere = try await stranger.submit(form, typing: typed, until: client.client.redirectURI)
            guard case .page = elsewhere else {
                Issue.record("another browser's form signed in: \(String(describing: elsewhere))")
                return
            }
            let bare = HTMLForm(action: form.action, fields: form.fields.filter { $0.name != "csrf" })
            let withoutToken = try await victim.submit(bare, typing: typed, until: client.client.redirectURI)
            guard case .page = withoutToken else {
                Issue.record("a form without its token signed in: \(String(describing: withoutToken))")
                return
            }
        }
    }

    @Test("Host and Forwarded injection: no link, form or metadata ever names what a header said", .onceForAllEngines)
    func hostInjection() async throws {
        try await SharedServer.use { server, client in
            let journey = await client.beginAuthorization()
            let path = try #require(journey.url.absoluteString.split(separator: "/", maxSplits: 2).last)
            for target in ["/.well-known/openid-configuration", "/" + path.drop { $0 != "/" }.dropFirst()] {
                let reply = try await RawConnection.exchange(
                    port: await server.port,
                    "GET \(target) HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n"
                        + "X-Forwarded-Proto: gopher\r\nForwarded: host=evil.example\r\nConnection: close\r\n\r\n")
                #expect(reply.status != nil, "the server answers")
                #expect(!reply.text.contains("evil.example"))
                #expect(!reply.text.contains("gopher"))
            }
        }
    }

    @Test("Enumeration: an unknown name and a wrong password get the same page", .onceForAllEngines)
    func enumeration() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("known-\(randomText(4).lowercased())")
            var pages: [String] = []
            for name in [person.username, "unknown-\(randomText(4).lowercased())"] {
                let browser = HeadlessBrowser(ledger: server.ledger)
                let journey = await client.beginAuthorization()
                let arrival = try await browser.open(journey.url, until: client.client.redirectURI)
                guard case .page(let url, let page) = arrival else { continue }
                let form = try await browser.form(on: page, at: url)
                let answer = try await browser.submit(
                    form, typing: ["username": name, "password": "wrong-password-1"], until: client.client.redirectURI)
                guard case .page(_, let refused) = answer else { continue }
                // What differs by chance or by what was typed is taken out: hidden values and the name itself.
                let text = refused.text.replacing(name, with: "NAME").replacing(/value="[^"]*"/, with: "value")
                pages.append("\(refused.status) " + text.replacing(/nonce-[A-Za-z0-9_\-+\/=]+/, with: "nonce"))
            }
            #expect(pages.count == 2)
            #expect(pages.first == pages.last)
        }
    }

    @Test(
        "The sign-in page carries a strict content policy, cannot be framed or cached, and has no inline script",
        .onceForAllEngines)
    func pageHeaders() async throws {
        try await SharedServer.use { _, client in
            let journey = await client.beginAuthorization()
            let answer = try await client.web.get(journey.url)
            let policy = try #require(answer.header("content-security-policy"))
            #expect(policy.contains("default-src 'none'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe-inline"))
            #expect(answer.header("cache-control")?.contains("no-store") == true)
            #expect(answer.header("x-content-type-options") == "nosniff")
            // Only the server's own script files. The page works without them: the other tests run none.
            #expect(!answer.text.contains(/<script(?! src="\/assets\/[a-z0-9\-]+\.js"><\/script>)/.ignoresCase()))
        }
    }
}
