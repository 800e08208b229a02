import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import AuthHTTP

@Suite("Attacks on the authorization endpoint and its page")
struct PageAttackTests {
    @Test("Open redirect: a redirect URI that is not registered to the letter gets a page and no redirect")
    func openRedirect() async throws {
        let attacks = [
            "https://app.example.com@evil.example/callback", "https://app.example.com/callback/..;/evil",
            "https://APP.example.com/callback", "https://app.example.com/%63allback",
            "https://app.example.com./callback",
            "https://app.example.com/callback#fragment", "https://*.example.com/callback", "javascript:alert(1)",
            "http://localhost/callback", "https://app.example.com/callback?more", "//evil.example", "",
        ]
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for attack in attacks {
                let answer = try await Journey.open(client, ["redirect_uri": attack])
                #expect(answer.status == .badRequest, "\(attack)")
                #expect(answer.headers[.location] == nil)
                #expect(!answer.text.contains("evil.example"))
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

    @Test("CSRF: the form without its cookie, with another page's token, or sent by another site signs nobody in")
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
                return answer.headers[.location] != nil
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

    @Test("Host and X-Forwarded-Host injection: no page, redirect or metadata ever names what a header said")
    func hostInjection() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let forged: HTTPFields = [
                try #require(HTTPField.Name("host")): "evil.example",
                try #require(HTTPField.Name("x-forwarded-host")): "evil.example", .forwarded: "host=evil.example",
                .xForwardedProto: "gopher",
            ]
            for uri in [
                "/oauth2/authorize?" + Journey.query(), "/oauth2/authorize?" + Journey.query(["scope": "wrong\\"]),
                "/.well-known/openid-configuration", "/nowhere",
            ] {
                let answer = try await client.get(uri, forged)
                let everything = answer.text + answer.headers.map { "\($0.name): \($0.value)" }.joined()
                #expect(!everything.contains("evil.example"))
                #expect(!everything.contains("gopher"))
            }
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

    @Test("A HEAD request does not walk through a sign-in")
    func head() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let answer = try await client.execute(uri: "/oauth2/authorize?" + Journey.query(), method: .head)
            #expect(answer.status == .methodNotAllowed)
        }
    }
}
