import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Refusals in the access log")
struct RefusalLogTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let traced: HTTPFields = [.traceParent: "00-\(trace)-00f067aa0ba902b7-01"]

    /// The line to which the reference on an error page leads.
    private func line(_ server: TestServer) throws -> String {
        try #require(server.log.lines.last { $0.contains("request ") && $0.contains(Self.trace) })
            .replacing("\"", with: "")
    }

    @Test("The reference on an error page leads to the client, the redirect URI received and those registered")
    func redirectURI() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let query = Journey.query(["redirect_uri": "https://app.example.com/callback/"])
            let page = try await client.get("/oauth2/authorize?" + query, Self.traced)
            #expect(page.text.contains(Self.trace))
            let line = try line(server)
            for part in [
                "code: invalid_redirect_uri", "client: wallet",
                "received: https://app.example.com/callback/",
                "registered: https://app.example.com/callback",
            ] {
                #expect(line.contains(part), "\(line)")
            }
        }
    }

    @Test("The sandbox shows received and registered redirect URIs to the developer, production does not")
    func pages() async throws {
        for environment in [ServerSettings.Environment.sandbox, .production] {
            try await TestServer.serve(
                issuer: "https://id.example.com", environment: environment, TestServer.behindLocalProxy
            ) { server, client in
                try await server.makePublicClient()
                let page = try await client.get(
                    "/oauth2/authorize?" + Journey.query(["redirect_uri": "https://app.example.com/<b>other"]),
                    [.xForwardedProto: "https"])
                let shown =
                    "received https://app.example.com/&lt;b&gt;other; registered https://app.example.com/callback"
                #expect(page.text.contains(shown) == (environment == .sandbox))
                #expect(page.text.contains("app.example.com") == (environment == .sandbox))
                #expect(!page.text.contains("<b>other"))
            }
        }
    }

    @Test("A missing redirect URI is said to be missing, an unknown client is named as the request names it")
    func missing() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            _ = try await client.get("/oauth2/authorize?" + Journey.query(["redirect_uri": nil]), Self.traced)
            #expect(try line(server).contains("redirect_uri is missing"))
            _ = try await client.get("/oauth2/authorize?" + Journey.query(["client_id": "walet"]), Self.traced)
            let unknown = try line(server)
            #expect(unknown.contains("invalid_client") && unknown.contains("walet"))
            #expect(unknown.contains("The request names no registered client"), "\(unknown)")
            #expect(!unknown.contains("app.example.com"), "only what a known client registered is logged")
            _ = try await client.get("/oauth2/authorize?" + Journey.query(["client_id": nil]), Self.traced)
            #expect(try line(server).contains("The request names no registered client"))
        }
    }

    @Test("A refusal that goes back to the app is in the log as well")
    func redirected() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let query = Journey.query(["code_challenge_method": "plain"])
            let answer = try await client.get("/oauth2/authorize?" + query, Self.traced)
            #expect(answer.status == .seeOther)
            let line = try line(server)
            #expect(line.contains("invalid_request") && line.contains("code_challenge_method is not S256"))
        }
    }

    @Test("A refused call of an API is logged with its code, the reason and the client that it names")
    func calls() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            _ = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "authorization_code", "client_id": "wallet", "code": "wrong-code",
                    "redirect_uri": Journey.redirectURI, "code_verifier": Journey.verifier,
                ], Self.traced)
            let token = try line(server)
            #expect(token.contains("code: inv") && token.contains("client: wallet"))
            #expect(!token.contains("wrong-code") && !token.contains(Journey.verifier))
            let backend = HTTPField(name: .authorization, value: "Basic bm9ib2R5OnNlY3JldA==")
            _ = try await client.post("/oauth2/introspect", ["token": "x"], Self.traced.adding(backend))
            let basic = try line(server)
            #expect(basic.contains("invalid_client") && basic.contains("client: nobody"))
            #expect(basic.contains("No client has this id"))
            #expect(!basic.contains("secret"))
            _ = try await client.get("/oauth2/userinfo", Self.traced)
            #expect(try line(server).contains("token_missing"))
            _ = try await client.get("/nowhere", Self.traced)
            #expect(try line(server).contains("not_found"))
        }
    }

    @Test("The log tells an unknown client from a wrong secret, and the response does not")
    func unknownClients() async throws {
        try await TestServer.serve { server, client in
            _ = try await server.makeBackend("backend")
            func refused(_ id: String) async throws -> (response: String, line: String) {
                let credentials = HTTPField(
                    name: .authorization, value: "Basic " + Data("\(id):wrong".utf8).base64EncodedString())
                let answer = try await client.post(
                    "/oauth2/token", ["grant_type": "client_credentials"], Self.traced.adding(credentials))
                return (answer.text, try line(server))
            }
            let (known, unknown) = (try await refused("backend"), try await refused("bakend"))
            #expect(known.response == unknown.response)
            #expect(known.line.contains("reason: The client is registered, but its secret is wrong"), "\(known.line)")
            #expect(unknown.line.contains("reason: No client has this id"), "\(unknown.line)")
        }
    }

    @Test("A wallet that checks its registration is logged as that, and not as a sign-in that failed")
    func registrationCheck() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let (path, key) = ("/oauth2/authorize-challenge", ProofKey())
            func proceed(_ session: String) async throws -> String {
                let nonce = server.server.context.proofs.currentNonce()
                let answer = try await client.post(
                    path,
                    [
                        "client_id": "wallet", "code_challenge": Journey.challenge, "code_challenge_method": "S256",
                        "auth_session": session, "resend_email": "true",
                    ], Self.traced.adding(HTTPField(name: .dpop, value: key.proof(path, nonce: nonce))))
                #expect(try answer.member("error") == "invalid_session", "\(answer.text)")
                return try line(server)
            }
            let check = try await proceed(Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }))
            #expect(check.contains("code: registration_check"), "\(check)")
            #expect(!check.contains("invalid_session"))
            let failure = try await proceed(String(repeating: "s", count: 300))
            #expect(failure.contains("code: invalid_session"), "\(failure)")
        }
    }

    @Test("Scopes that an authorization request names in vain are logged, with what a misspelled one may have meant")
    func ignoredScopes() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            _ = try await client.get("/oauth2/authorize?" + Journey.query(["scope": "openid porfile admin"]))
            let first = ignored(server)
            #expect(first.count == 1)
            let line = try #require(first.last)
            #expect(line.contains("client: wallet"), "\(line)")
            #expect(line.contains("scope: porfile admin"), "\(line)")
            #expect(line.contains("meant: profile"), "\(line)")
            _ = try await client.get("/oauth2/authorize?" + Journey.query(["scope": "openid"]))
            #expect(ignored(server) == first)
        }
    }

    /// The lines about scopes that the client is not registered for.
    private func ignored(_ server: TestServer) -> [String] {
        server.log.lines.filter { $0.contains("scopes ignored") }.map { $0.replacing("\"", with: "") }
    }

    @Test("A problem document's reason is in the log")
    func problems() async throws {
        try await TestServer.serve { server, client in
            _ = try await client.get("/nowhere", Self.traced)
            let line = try line(server)
            #expect(line.contains("reason: "), "\(line)")
            _ = try await client.get("/oauth2/userinfo", Self.traced)
            #expect(try self.line(server).contains("reason: The request has no access token"))
        }
    }

    @Test("A success has no refusal in its line")
    func success() async throws {
        try await TestServer.serve { server, client in
            _ = try await client.get("/.well-known/openid-configuration", Self.traced)
            #expect(try !line(server).contains("code:"))
        }
    }

    @Test("Log injection and flooding: what a refused request names is short, on one line and of visible ASCII")
    func injection() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let attack = "x\r\n2026 INFO forged \u{1b}[2J\u{202e}" + String(repeating: "a", count: 6_000)
            for name in ["client_id", "redirect_uri", "scope", "prompt"] {
                _ = try await client.get("/oauth2/authorize?" + Journey.query([name: attack]), Self.traced)
                let line = try line(server)
                #expect(line.utf8.count < 4_000, "\(name)")
                let isPlain = line.unicodeScalars.allSatisfy { (0x20...0x7e).contains($0.value) }
                #expect(isPlain, "\(name)")
            }
        }
    }

    @Test("The query values, fragment and user of a received redirect URI are not logged")
    func secretsInRedirectURIs() throws {
        let mismatch = RedirectMismatch(
            received: "https://me:secret@app.example.com/cb?code=secret&state=secret&secret#secret",
            registered: [try RedirectURI("https://app.example.com/cb?tenant=7")])
        #expect(mismatch.received == "https://*@app.example.com/cb?code=*&state=*&*#*")
        #expect(mismatch.registeredText == "https://app.example.com/cb?tenant=*")
        for (sent, shown) in [
            ("https%3A%2F%2Fapp.example.com%2Fcb%3Fcode%3Dsecret", "https://app.example.com/cb?code=*"),
            (
                "https%253A//me%2540app.example.com/cb%253fcode%253dsecret%2523secret",
                "https://*@app.example.com/cb?code=*#*"
            ),
            ("https://me:se#cret@app.example.com/cb", "https://*@app.example.com/cb"),
        ] {
            #expect(RedirectMismatch(received: sent, registered: []).received == shown)
        }
    }

    @Test(
        "A secret or a token in place of the client's id is not logged",
        arguments: ["wcs_", "wrt_", "wac_", "eyJ"].map { $0 + String(repeating: "s", count: 43) })
    func swapped(secret: String) async throws {
        try await TestServer.serve { server, client in
            let form = "grant_type=client_credentials&client_id=\(secret)&client_secret=backend"
            _ = try await client.post("/oauth2/token", body: form, "application/x-www-form-urlencoded", Self.traced)
            let line = try line(server)
            #expect(line.contains("client: <redacted>") && !line.contains(secret), "\(line)")
        }
    }

    @Test("A client with many redirect URIs has eight of them listed")
    func manyRegistered() throws {
        let registered = try (0..<50).map { try RedirectURI("https://app.example.com/\($0)") }
        let mismatch = RedirectMismatch(received: String(repeating: "é", count: 5_000), registered: registered)
        #expect(mismatch.registered.count == 9)
        #expect(mismatch.registered.last == "and 42 more")
        #expect(mismatch.received?.utf8.count == 515)
    }

    @Test("Every refusal in the contract is logged with the code of its body, except that a device has to wait")
    func everyRefusal() async throws {
        try await TestServer.use { server in
            for route in try server.routes() {
                for refusal in route.contract?().refusals ?? [] where !refusal.body.isEmpty {
                    let body = try JSONValue.object(parsing: refusal.body)
                    let code = (body["code"] ?? body["error"] ?? body["errorCode"])?.string
                    #expect(refusal.refusal?.code == (code == "authorization_pending" ? nil : code), "\(route.path)")
                }
            }
        }
    }
}

extension HTTPFields {
    fileprivate func adding(_ field: HTTPField) -> HTTPFields {
        var fields = self
        fields.append(field)
        return fields
    }
}
