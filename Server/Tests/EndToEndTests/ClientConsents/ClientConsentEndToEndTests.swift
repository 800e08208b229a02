import Foundation
import Testing

/// An app of others at the running server, from its first sign-in to the removal of its access.
@Suite("Consent to relying apps against the running server")
struct ClientConsentEndToEndTests {
    private static let redirectURI = "https://partner.example.com/callback"

    private func relyingApp(
        _ server: RunningServer, redirectURI: String, scope: String = "openid profile email offline_access"
    ) async throws -> RegisteredClient {
        let output = try await server.require([
            "client", "create", "partner", "--name", "Aurora", "--confidential", "--redirect-uri", redirectURI,
            "--scope", scope, "--json",
        ])
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        let secret = try #require(object?["clientSecret"] as? String)
        server.ledger.enter(secret)
        return RegisteredClient(id: "partner", secret: secret, redirectURI: redirectURI)
    }

    private func signIn(
        _ client: StandardClient, _ scope: String, in browser: HeadlessBrowser, as person: Person? = nil,
        _ changes: [String: String?] = [:]
    ) async throws -> (HeadlessBrowser.Arrival, StandardClient.Journey) {
        let journey = await client.beginAuthorization(scope: scope, changes: changes)
        var arrival = try await browser.open(journey.url, until: Self.redirectURI)
        if let person {
            let page = try arrival.shown
            arrival = try await browser.submit(
                browser.form(on: page.answer, at: page.url),
                typing: ["username": person.username, "password": person.password], until: Self.redirectURI)
        }
        return (arrival, journey)
    }

    private func allow(_ arrival: HeadlessBrowser.Arrival, in browser: HeadlessBrowser) async throws -> String {
        let page = try arrival.shown
        let form = try await browser.form(on: page.answer, at: page.url)
        #expect(form.fields.contains { $0 == ("action", "allow") })
        let back = try await browser.submit(form, typing: [:], until: Self.redirectURI)
        guard case .callback(let callback) = back else { throw HeadlessBrowser.Stuck(description: "\(back)") }
        return try #require(queryItems(of: callback.absoluteString)["code"])
    }

    @Test(
        "A partner's app asks once, asks for the difference, and is signed out when an operator takes its access back")
    func walk() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let client = StandardClient(
                try await relyingApp(server, redirectURI: Self.redirectURI), at: server)
            let browser = HeadlessBrowser(ledger: server.ledger)
            let (asked, first) = try await signIn(client, "openid offline_access", in: browser, as: person)
            #expect(try asked.shown.answer.text.contains("Give Aurora access to your account?"))
            let tokens = try client.tokens(
                await client.redeem(allow(asked, in: browser), verifier: first.verifier))

            // Silently from now on, but for more.
            let (silent, _) = try await signIn(client, "openid", in: browser, ["prompt": "none"])
            guard case .callback(let callback) = silent else {
                Issue.record("a page for what was allowed: \(silent)")
                return
            }
            #expect(queryItems(of: callback.absoluteString)["code"] != nil)
            let (none, _) = try await signIn(client, "openid email", in: browser, ["prompt": "none"])
            guard case .callback(let refused) = none else {
                Issue.record("a page for prompt=none: \(none)")
                return
            }
            #expect(queryItems(of: refused.absoluteString)["error"] == "consent_required")
            let (more, second) = try await signIn(client, "openid email", in: browser)
            let text = try more.shown.answer.text
            #expect(text.contains("Give Aurora more access?"))
            #expect(text.contains("It can already:"))
            _ = try client.tokens(await client.redeem(allow(more, in: browser), verifier: second.verifier))

            let listed = try await server.require(["account", "consents", person.username])
            #expect(listed.contains("partner"))
            #expect(listed.contains("openid offline_access email"))
            let code = try await codeOf(signIn(client, "openid", in: browser, ["prompt": "none"]))
            try await server.require(["account", "consents", person.username, "--withdraw", "partner"])
            let renewed = try await client.refresh(tokens.refresh)
            #expect(renewed.members["error"] == "invalid_grant")
            #expect(try await client.userInfo(tokens.access).status == 401)
            let late = try await client.redeem(code.code, verifier: code.verifier)
            #expect(late.members["error"] == "invalid_grant")
            let (again, _) = try await signIn(client, "openid", in: browser)
            #expect(try again.shown.answer.text.contains("Give Aurora access to your account?"))
            let empty = try await server.require(["account", "consents", person.username, "--json"])
            #expect(empty.contains("\"clientConsents\":[]"))
            let twice = try await server.administer(["account", "consents", person.username, "--withdraw", "partner"])
            #expect(twice.ending == .exited(1))
            #expect(twice.errors.contains("account consents"))
        }
    }

    private func codeOf(
        _ arrived: (HeadlessBrowser.Arrival, StandardClient.Journey)
    ) throws -> (code: String, verifier: String) {
        guard case .callback(let callback) = arrived.0 else {
            throw HeadlessBrowser.Stuck(description: "no code: \(arrived.0)")
        }
        return (try #require(queryItems(of: callback.absoluteString)["code"]), arrived.1.verifier)
    }

    @Test(
        "Authlib, unmodified, as a partner's public client gets its tokens behind the consent page", .onceForAllEngines)
    func authlib() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let redirectURI = "com.example.partner:/callback"
            try await server.require([
                "client", "create", "partner", "--name", "Aurora", "--public", "--redirect-uri", redirectURI,
                "--scope", "openid profile offline_access",
            ])
            let output = try await server.peer(
                "authlib_client.py", [await server.issuer.absoluteString, "partner", redirectURI, person.username],
                input: person.password + "\n")
            let report = try JSONSerialization.jsonObject(with: output) as? [String: Any]
            (report?["secrets"] as? [String])?.forEach(server.ledger.enter)
            #expect(report?["refresh_token"] as? Bool == true)
            #expect(try await server.require(["account", "consents", person.username]).contains("partner"))
        }
    }

    @Test("Chromium goes back to the app by the allowing button, and the page fits a phone", .onceForAllEngines)
    func chromium() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let client = StandardClient(
                try await relyingApp(server, redirectURI: Self.redirectURI), at: server)
            let journey = await client.beginAuthorization(scope: "openid email offline_access")
            let output = try await server.peer(
                "chromium_client_consent.py", [journey.url.absoluteString, Self.redirectURI, person.username],
                input: person.password + "\n")
            let seen = try JSONSerialization.jsonObject(with: output) as? [String: Any]
            let shown = try #require(seen?["shown"] as? String)
            for words in ["Give Aurora access", "See your e-mail address", "partner.example.com"] {
                #expect(shown.contains(words), "missing: \(words)")
            }
            #expect(seen?["overflow"] as? Int == 0)
            let back = try #require(seen?["back"] as? String)
            let code = try #require(queryItems(of: back)["code"])
            _ = try client.tokens(await client.redeem(code, verifier: journey.verifier))
        }
    }

    @Test(
        "The allowing button is in sight on a small phone without scrolling, and on any with every scope in the longest language",
        .onceForAllEngines,
        arguments: [
            ("openid profile email offline_access", "de", 667), ("openid profile email offline_access", "fr", 667),
            ("openid profile email offline_access", "bg", 667),
            ("openid profile email phone address offline_access payments", "bg", 844),
        ])
    func fold(scope: String, language: String, height: Int) async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let client = StandardClient(
                try await relyingApp(server, redirectURI: Self.redirectURI, scope: scope), at: server)
            let journey = await client.beginAuthorization(scope: scope, changes: ["ui_locales": language])
            let output = try await server.peer(
                "chromium_client_consent.py", [journey.url.absoluteString, Self.redirectURI, person.username],
                input: person.password + "\n")
            let seen = try JSONSerialization.jsonObject(with: output) as? [String: Any]
            let bottom = try #require(seen?["bottom"] as? Int)
            #expect(bottom <= height, "the button ends at \(bottom)")
            #expect(seen?["overflow"] as? Int == 0)
        }
    }
}
