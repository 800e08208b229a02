import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite(
    "Attacks on the authorization endpoint and its page",
    .threat(
        "framing, script", "CSRF, a stolen page", "Host and X-Forwarded-Host injection",
        "open redirect: user information", "PKCE missing, plain or without its method"))
struct PageAttackTests {
    @Test("Open redirect: a redirect URI that is not registered to the letter gets a page and no redirect")
    func openRedirect() async throws {
        let attacks = [
            "https://app.example.com@evil.example/callback", "https://app.example.com/callback/..;/evil",
            "https://APP.example.com/callback", "https://app.example.com/%63allback",
            "https://app.example.com./callback",
            "https://app.example.com/callback#fragment", "https://*.example.com/callback", "javascript:alert(1)",
            "http://localhost/callback", "https://app.example.com/callback?more", "//evil.example", "",
            "http://app.example.com/callback", "https://app.example.com:8443/callback",
        ]
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for attack in attacks {
                let answer = try await Journey.open(client, ["redirect_uri": attack])
                #expect(answer.status == .badRequest, "\(attack)")
                #expect(answer.headers[.location] == nil)
                // The sandbox shows it to the developer, as text.
                #expect(answer.text.firstMatch(of: /="[^"]*evil[^"]*"/) == nil)
                #expect(answer.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
            }
        }
    }

    @Test("Doubled parameters are refused with a page, whichever they are")
    func doubledParameters() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for name in ["client_id", "redirect_uri", "state", "code_challenge", "scope"] {
                let answer = try await client.get("/oauth2/authorize?" + Journey.query() + "&\(name)=x")
                #expect(answer.status == .badRequest)
                #expect(answer.headers[.location] == nil)
            }
        }
    }

    @Test("PKCE downgrade: plain, missing or without its method goes back with an error, state and issuer")
    func pkceDowngrade() async throws {
        let attacks: [[String: String?]] = [
            ["code_challenge_method": "plain"], ["code_challenge": nil, "code_challenge_method": nil],
            ["code_challenge_method": nil], ["code_challenge": "short"],
        ]
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for attack in attacks {
                let answer = try await Journey.open(client, attack)
                #expect(answer.status == .seeOther)
                #expect(try answer.redirectParameters["error"] == "invalid_request")
                #expect(try answer.redirectParameters["state"] == "state-1")
                #expect(try answer.redirectParameters["iss"] == TestServer.issuer)
            }
        }
    }

    @Test("CSRF: the form without its cookie, with another page's token, or sent by another site does not sign in")
    func crossSiteForm() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let page = try await Journey.open(client)
            let other = try await Journey.open(client)
            func send(csrf: String, _ headers: HTTPFields) async throws -> Bool {
                let answer = try await client.post(
                    "/sign-in",
                    [
                        "request": page.field("request"), "csrf": csrf, "action": "sign_in", "username": "maria",
                        "password": "correct horse battery",
                    ], headers)
                let leadsBack = answer.headers[.location]?.hasPrefix(Journey.redirectURI) == true
                return leadsBack || !answer.headers[values: .setCookie].isEmpty
            }
            let token = try page.field("csrf")
            let cookie = page.cookieHeader
            let attacks: [(String, HTTPFields)] = [
                (token, [:]), (token, [.cookie: other.cookieHeader]), ("forged", [.cookie: cookie]),
                (token, [.cookie: cookie, .secFetchSite: "cross-site"]),
                (token, [.cookie: cookie, .secFetchSite: "same-site"]),
            ]
            for (csrf, headers) in attacks {
                let signedIn = try await send(csrf: csrf, headers)
                #expect(!signedIn, "\(headers)")
            }
            let signedIn = try await send(csrf: token, [.cookie: cookie, .secFetchSite: "same-origin"])
            #expect(signedIn)
        }
    }

    @Test("A sealed request that was changed by one character is refused with a page")
    func tamperedRequest() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let page = try await Journey.open(client)
            var sealed = Array(try page.field("request"))
            sealed[sealed.count / 2] = sealed[sealed.count / 2] == "A" ? "B" : "A"
            let answer = try await client.post(
                "/sign-in",
                ["request": String(sealed), "csrf": page.field("csrf"), "action": "cancel"],
                [.cookie: page.cookieHeader])
            #expect(answer.status == .badRequest)
            #expect(answer.headers[.location] == nil)
        }
    }

    @Test("Host and X-Forwarded-Host injection: no page, redirect or metadata ever contains what a header said")
    func hostInjection() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for uri in [
                "/oauth2/authorize?" + Journey.query(), "/oauth2/authorize?" + Journey.query(["scope": "wrong\\"]),
                "/.well-known/openid-configuration", "/nowhere",
            ] {
                let connection = try await RawConnection.open(port: try #require(client.port))
                try await connection.send(
                    "GET \(uri) HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n"
                        + "Forwarded: host=evil.example\r\nX-Forwarded-Proto: gopher\r\nConnection: close\r\n\r\n")
                let answer = try await connection.textUntilClosed()
                #expect(answer.hasPrefix("HTTP/1.1 "))
                #expect(!answer.replacing("<wbr>", with: "").contains("evil.example"))
                #expect(!answer.contains("gopher"))
            }
        }
    }

    @Test("Forwarded headers of any kind change no answer: they are no part of any cache's key either")
    func forwardedHeaders() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for name in [
                "x-forwarded-host", "x-forwarded-server", "x-forwarded-port", "x-forwarded-prefix",
                "x-forwarded-scheme",
                "x-original-url", "x-rewrite-url", "x-host", "forwarded",
            ] {
                let forged: HTTPFields = [try #require(HTTPField.Name(name)): "/evil.example"]
                let metadata = try await client.get("/.well-known/openid-configuration", forged)
                #expect(metadata.status == .ok)
                let page = try await client.get("/oauth2/authorize?" + Journey.query(), forged)
                #expect(page.status == .ok)
                let refused = try await Journey.signIn(client, on: page, password: "wrong password")
                for answer in [metadata, page, refused] {
                    #expect(!answer.text.replacing("<wbr>", with: "").contains("evil.example"), "\(name)")
                }
            }
        }
    }

    @Test("Method override: neither a header nor a parameter makes another method of a request")
    func methodOverride() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let page = try await client.get(
                "/oauth2/authorize?" + Journey.query(), [try #require(HTTPField.Name("x-http-method-override")): "PUT"])
            #expect(page.status == .ok)
            let answer = try await client.get("/oauth2/token?_method=POST&grant_type=client_credentials")
            #expect(answer.status == .methodNotAllowed)
        }
    }

    @Test("Session fixation: signing in replaces every cookie that the browser brought, planted ones among them")
    func fixation() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let planted = String(repeating: "A", count: 43)
            let uri = "/oauth2/authorize?" + Journey.query()
            let page = try await client.get(uri, [.cookie: "wa_binding=\(planted); wa_session=\(planted)"])
            #expect(page.status == .ok)
            let answer = try await client.post(
                "/sign-in",
                [
                    "request": page.field("request"), "csrf": page.field("csrf"), "action": "sign_in",
                    "username": "maria", "password": "correct horse battery",
                ], [.cookie: "wa_binding=\(planted); wa_session=\(planted)"])
            try #require(answer.status == .seeOther)
            let cookies = answer.headers[values: .setCookie]
            for name in ["wa_binding", "wa_session", "wa_device"] {
                #expect(cookies.filter { $0.hasPrefix(name + "=") && !$0.contains(planted) }.count == 1, "\(name)")
            }
            let stranger = try await client.get(
                "/oauth2/authorize?" + Journey.query(["prompt": "none"]), [.cookie: "wa_session=\(planted)"])
            #expect(try stranger.redirectParameters["error"] == "login_required")
        }
    }

    @Test(
        "CSRF on every form: no button of the page does anything without the page's token",
        arguments: ["sign_in", "confirm", "other_account", "set_password", "check_code", "resend_code", "cancel"])
    func everyButton(action: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let page = try await Journey.open(client)
            for csrf in ["", "forged", try await Journey.open(client).field("csrf")] {
                let answer = try await client.post(
                    "/sign-in",
                    [
                        "request": page.field("request"), "csrf": csrf, "action": action, "username": "maria",
                        "password": "correct horse battery", "new_password": "a new horse battery",
                        "repeated_password": "a new horse battery", "email_code": "123456",
                    ], [.cookie: page.cookieHeader])
                #expect(answer.status == .badRequest)
                #expect(answer.headers[.location] == nil)
                #expect(answer.headers[values: .setCookie].isEmpty)
            }
        }
    }

    @Test("Doubled parameters in the page's form are refused, whichever of the two was meant")
    func doubledFormParameters() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let page = try await Journey.open(client)
            var form = FormParameters()
            for (name, value) in [
                ("request", try page.field("request")), ("csrf", try page.field("csrf")), ("action", "sign_in"),
                ("username", "maria"), ("password", "correct horse battery"),
            ] { form.append(name, value) }
            for name in ["request", "csrf", "action", "username", "password"] {
                for pair in ["\(name)=x", "\(name)="] {
                    let answer = try await client.post(
                        "/sign-in", body: form.encoded + "&" + pair, "application/x-www-form-urlencoded",
                        [.cookie: page.cookieHeader])
                    #expect(answer.status == .badRequest, "\(pair)")
                    #expect(answer.headers[.location] == nil)
                }
            }
        }
    }

    @Test(
        "The way back to an app's own scheme, or to loopback, passes the policy of the page that leads there",
        arguments: [
            ("com.example.wallet:/callback", "com.example.wallet:"), ("http://127.0.0.1/cb", "http://127.0.0.1:4711"),
        ])
    func formTargets(registered: String, source: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient { $0.redirectURIs = [registered] }
            try await server.makeAccount()
            let uri = registered.replacing("127.0.0.1", with: "127.0.0.1:4711")
            let page = try await Journey.open(client, ["redirect_uri": uri])
            #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'self' \(source);") == true)
            let answer = try await Journey.signIn(client, on: page)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix(uri + "?code=") == true)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        }
    }

    @Test("Null bytes, overlong UTF-8 and broken escapes in a query are refused with a page")
    func malformedQueries() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for attack in ["state=%00", "state=%C0%AF", "state=%ff", "state=%4", "%00=x", "=x"] {
                let answer = try await client.get("/oauth2/authorize?client_id=wallet&" + attack)
                #expect(answer.status == .badRequest, "\(attack)")
            }
        }
    }

    @Test("A HEAD request with another browser's link gets no code, and takes nothing from the sign-in")
    func head() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let page = try await Journey.open(client)
            let head = try await client.execute(uri: "/oauth2/authorize?" + Journey.query(), method: .head)
            #expect(head.status == .ok)
            #expect(head.headers[.location] == nil)
            let signedIn = try await Journey.signIn(client, on: page)
            #expect(try signedIn.redirectParameters["code"] != nil)
        }
    }
}
