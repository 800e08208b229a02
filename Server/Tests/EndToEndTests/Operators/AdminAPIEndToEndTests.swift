import Crypto
import Foundation
import Testing

@Suite("Operators over HTTP, at the running server", .covers("commands over HTTP"))
struct AdminAPIEndToEndTests {
    /// Goes to the authorization endpoint and types what is asked for, until the app has a token.
    private func token(
        _ app: StandardClient, _ person: Person, _ changes: [String: String?] = [:], in browser: HeadlessBrowser
    ) async throws -> String {
        let journey = await app.beginAuthorization(scope: "openid admin", changes: changes)
        var arrival = try await browser.open(journey.url, until: app.client.redirectURI)
        for _ in 0..<3 {
            guard case .page(let url, let answer) = arrival else { break }
            let form = try await browser.form(on: answer, at: url)
            var typed = ["username": person.username, "password": person.password]
            if form.fields.contains(where: { $0.name == "answer" }) {
                let code = try await app.server.newestCode()
                app.server.ledger.enter(code)
                typed = ["answer": code]
            }
            arrival = try await browser.submit(form, typing: typed, until: app.client.redirectURI)
        }
        guard case .callback(let url) = arrival else {
            throw StandardClient.Unexpected(description: "\(arrival)")
        }
        let code = try #require(queryItems(of: url.absoluteString)["code"], "\(url)")
        let answer = try await app.redeem(code, verifier: journey.verifier)
        return try #require(answer.members["access_token"], "\(answer.text)")
    }

    /// Calls with a proof, and answers a demand for a nonce once.
    private func call(
        _ app: StandardClient, _ method: String, _ path: String, query: String = "", json: String? = nil,
        token: String
    ) async throws -> WebAnswer {
        let url = await app.server.url(path)
        let target = await app.server.url(path + query)
        var nonce: String?
        var answer: WebAnswer
        repeat {
            let isSecond = nonce != nil
            let proof = try app.proof(method: method, url: url, nonce: nonce, accessToken: token)
            var headers = ["Authorization": "DPoP \(token)", "DPoP": proof]
            if json != nil { headers["Content-Type"] = "application/json" }
            answer = try await app.web.send(method, target, headers: headers, body: json.map { Data($0.utf8) })
            nonce = answer.header("dpop-nonce")
            if isSecond || answer.members["error"] != "use_dpop_nonce" { break }
        } while true
        return answer
    }

    @Test("An operator signs in, is asked for two factors, helps a person, and is refused once the role is revoked")
    func operators() async throws {
        try await withServer(["--admin-api", "true"]) { server in
            try await server.require(["brand", "update", "default", "--new-device", "allow"])
            let client = try await server.makePublicClient("com.example.console", options: ["--scope", "admin"])
            let ada = try await server.makeReachableAccount("ada")
            _ = try await server.makeAccount("grace")
            try await server.require(["operator", "grant", "ada", "--role", "support"])
            let app = StandardClient(client, at: server, key: P256.Signing.PrivateKey())
            let browser = HeadlessBrowser(ledger: server.ledger)

            let weak = try await token(app, ada, in: browser)
            let show = "/admin/v1/account/show"
            let stepUp = try await call(app, "GET", show, query: "?username=ada", token: weak)
            #expect(stepUp.status == 401)
            #expect(stepUp.members["code"] == "insufficient_user_authentication")
            #expect(stepUp.header("www-authenticate")?.contains("max_age=\"600\"") == true)

            let acr: [String: String?] = ["acr_values": "urn:wallet-auth:acr:2fa", "max_age": "600"]
            let strong = try await token(app, ada, acr, in: browser)
            let shown = try await call(app, "GET", show, query: "?username=ada", token: strong)
            #expect(shown.status == 200, "\(shown.text)")
            #expect(shown.members["email"]?.hasPrefix("a…@") == true, "\(shown.text)")

            let deactivate = "/admin/v1/account/deactivate"
            let grace = #"{"username":"grace"}"#
            let done = try await call(app, "POST", deactivate, json: grace, token: strong)
            #expect(done.status == 200, "\(done.text)")
            let twice = try await call(app, "POST", deactivate, json: grace, token: strong)
            #expect(twice.status == 409)
            #expect(twice.members["code"] == "no_change")
            let erase = try await call(app, "POST", "/admin/v1/account/erase", json: grace, token: strong)
            #expect(erase.status == 403)
            #expect(erase.members["code"] == "forbidden_role")
            #expect(erase.header("content-type") == "application/problem+json")

            try await server.require(["operator", "revoke", "ada"])
            let revoked = try await call(app, "GET", show, query: "?username=ada", token: strong)
            #expect(revoked.status == 403)
            #expect(revoked.members["code"] == "forbidden_role")
            let log = try await server.require(["audit", "tail", "--kind", "operator.refused", "--json"])
            #expect(log.contains("account erase"))
        }
    }
}
