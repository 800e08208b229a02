import Core
import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("A listener of its own for operators, and one for metrics", .covers("operators' console", "commands over HTTP"))
struct OwnListenerHTTPTests {
    private static let own = "http://127.0.0.1:8701"
    private static let text = Language.english.consoleText

    private static let listeners: @Sendable (inout HTTPConfiguration) -> Void = {
        $0.operators = ListenAddress(host: "127.0.0.1", port: 0)
        $0.metricsListener = ListenAddress(host: "127.0.0.1", port: 0)
    }

    /// A server with both, at an origin of their own.
    private static func use(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        let base = try Issuer(own)
        try await TestServer.use(settings: {
            $0.adminAPI = true
            $0.adminConsole = true
            $0.adminBase = base
        }) { server in
            for name in ["ada", "maria"] { try await server.makeReachable(name) }
            try await server.execute(["operator", "grant", "ada", "--role", "support"])
            try await body(server)
        }
    }

    @Test("Each path is at one listener; health is at both, and so is the page of an operator's link")
    func paths() async throws {
        try await Self.use { server in
            let pages = [
                "/admin", "/admin/account", "/admin/audit", "/admin/list", "/admin/v1/account/show?username=ada",
            ]
            try await server.serve(.live, Self.listeners) { client in
                for path in pages + ["/metrics"] {
                    #expect(try await client.get(path).status == .notFound, "\(path)")
                }
                #expect(try await client.get("/admin/welcome").status != .notFound)
                #expect(try await client.get("/health/ready").status == .ok)
                let document = try await client.get("/openapi.json").text
                #expect(document.contains(#""/oauth2/token""#) && !document.contains("/admin/v1/"))
            }
            try await server.serve(.live, at: .operators, Self.listeners) { client in
                for (path, status) in zip(pages, [303, 303, 303, 303, 401]) {
                    #expect(try await client.get(path).status.code == status, "\(path)")
                }
                #expect(try await client.get("/admin/welcome").status != .notFound)
                #expect(try await client.get("/health/ready").status == .ok)
                #expect(try await client.get("/assets/\(PageAssets().stylesheetName)").status == .ok)
                for path in [
                    "/oauth2/authorize", "/account", "/metrics", "/sandbox/outbox", "/", "/.well-known/jwks.json",
                ] {
                    #expect(try await client.get(path).status == .notFound, "\(path)")
                }
                let document = try await client.get("/openapi.json").text
                #expect(document.contains("/admin/v1/account/show") && !document.contains(#""/oauth2/token""#))
                #expect(document.contains(#""servers":[{"url":"\#(Self.own)"}]"#))
            }
            try await server.serve(.live, at: .metrics, Self.listeners) { client in
                let metrics = try await client.get("/metrics")
                #expect(metrics.text.contains("http_server_requests_total"))
                for path in ["/admin", "/.well-known/jwks.json", "/health/ready"] {
                    #expect(try await client.get(path).status == .notFound, "\(path)")
                }
            }
        }
    }

    @Test("attack: a web page that points its own name at the metrics' listener on loopback reads no metrics")
    func rebinding() async throws {
        try await Self.use { server in
            try await server.serve(.live, at: .metrics, Self.listeners) { client in
                let port = try #require(client.port)
                for (host, status) in [
                    ("evil.example", 421), ("evil.example:\(port)", 421), ("127.0.0.1:\(port)", 200),
                    ("localhost", 200),
                ] {
                    let connection = try await RawConnection.open(port: port)
                    try await connection.send("GET /metrics HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                    let answer = try await connection.textUntilClosed()
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host): \(answer.prefix(60))")
                    #expect(answer.contains("http_server_requests_total") == (status == 200))
                    // The configured port.
                    #expect(answer.contains("127.0.0.1:0") == (status == 421), "\(answer)")
                }
            }
        }
        var configuration = HTTPConfiguration(address: ListenAddress(host: "0.0.0.0", port: 0))
        configuration.metricsListener = ListenAddress(host: "10.0.0.5", port: 9100)
        // In the operator's network, the address is the rule.
        let isForAll = if case .everyone = configuration.metricsAccess { true } else { false }
        #expect(isForAll)
    }

    @Test("A proof for the API names the listener's origin, and every other one the issuer")
    func proofs() async throws {
        try await Self.use { server in
            let proofs = server.server.context.proofs
            let own = try HTTPTarget("\(Self.own)/admin/v1/account/show")
            #expect(proofs.target(of: "/admin/v1/account/show") == own)
            #expect(try proofs.target(of: "/oauth2/token") == HTTPTarget("\(TestServer.issuer)/oauth2/token"))
        }
    }

    @Test("The console leads to the sign-in at the issuer, whose form may lead back, and what follows it asks nothing")
    func signIn() async throws {
        try await Self.use { server in
            let shown = try await server.execute(["account", "show", "maria"])
            let maria = try #require(try shown.document()["accountId"]?.string)
            try await server.serve(.live, at: .operators, Self.listeners) { own in
                try await server.serve(.live, Self.listeners) { client in
                    let path = "/admin/account?id=\(maria)"
                    var console = BrowserOverHTTP(client: own)
                    var issuer = BrowserOverHTTP(client: client)
                    let away = try await console.open(path)
                    #expect(away.status == .seeOther)
                    issuer.cookies = console.cookies
                    let page = try #require(away.nextPage)
                    #expect(away.headers[.location] == TestServer.issuer + page)
                    let asked = try await issuer.open(page)
                    #expect(asked.headers[.contentSecurityPolicy]?.contains("form-action 'self' \(Self.own); ") == true)
                    let login = [("username", "ada"), ("password", ConsoleOverHTTP.password)]
                    let second = try await issuer.press("sign_in", on: asked, login)
                    let code = try await server.sentCode(to: "ada@example.com")
                    let back = try await issuer.submit("answer_factor", on: second, [("answer", code)])
                    let location = try #require(back.headers[.location])
                    #expect(location.hasPrefix(Self.own + path + "&arrival="), "\(location)")
                    console.cookies = issuer.cookies
                    console.headers[.secFetchSite] = "same-site"
                    let arrived = try await console.open(String(location.dropFirst(Self.own.count)))
                    #expect(arrived.status == .ok && arrived.text.contains("maria"), "\(arrived.text)")
                    #expect(!arrived.has(Self.text[.goOn]))

                    // Another site sends the browser on, with no such mark, or with that of another page.
                    let mark = try #require(location.split(separator: "&arrival=").last)
                    let forged = String(mark.reversed())
                    for other in [path, "/admin?q=maria&arrival=\(mark)", "\(path)&arrival=\(forged)"] {
                        #expect(try await console.open(other).has(Self.text[.goOn]), "\(other)")
                    }
                    // A search as long as an address may be leads back to the first page.
                    var stranger = BrowserOverHTTP(client: own)
                    let long = try await stranger.open("/admin?q=" + String(repeating: "a", count: 6_000))
                    #expect(long.status == .seeOther && long.nextPage != nil)
                }
            }
        }
    }

    @Test("The forms of the console may lead to the sign-in at the issuer, as they do after signing out")
    func formTargets() async throws {
        try await Self.use { server in
            try await server.serve(.live, at: .operators, Self.listeners) { own in
                try await server.serve(.live, Self.listeners) { client in
                    var console = BrowserOverHTTP(client: own)
                    var issuer = BrowserOverHTTP(client: client)
                    let away = try await console.open("/admin")
                    issuer.cookies = console.cookies
                    let asked = try await issuer.open(try #require(away.nextPage))
                    let login = [("username", "ada"), ("password", ConsoleOverHTTP.password)]
                    let second = try await issuer.press("sign_in", on: asked, login)
                    let code = try await server.sentCode(to: "ada@example.com")
                    _ = try await issuer.submit("answer_factor", on: second, [("answer", code)])
                    console.cookies = issuer.cookies
                    let shown = try await console.open("/admin")
                    #expect(shown.status == .ok, "\(shown.text)")
                    let target = "form-action 'self' \(TestServer.issuer); "
                    #expect(shown.headers[.contentSecurityPolicy]?.contains(target) == true)
                    let out = try await console.submit("sign_out", on: shown, at: "/admin/account")
                    #expect(out.headers[.location] == Self.own + "/admin")
                    let again = try await console.open("/admin")
                    #expect(again.headers[.location]?.hasPrefix(TestServer.issuer + "/") == true)
                }
            }
        }
    }

    @Test("An ordinary sign-in page does not say where the console is")
    func otherPages() async throws {
        try await Self.use { server in
            try await server.serve(.live, Self.listeners) { client in
                let page = try await client.get("/account")
                #expect(page.status == .ok)
                #expect(page.headers[.contentSecurityPolicy]?.contains("8701") == false && !page.text.contains("8701"))
            }
        }
    }
}
