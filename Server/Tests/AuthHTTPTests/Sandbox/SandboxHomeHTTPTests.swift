import Core
import HTTPTypes
import HummingbirdTesting
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("The sandbox's first page", .threat("DNS rebinding and tunnels"))
struct SandboxHomeHTTPTests {
    private func text(_ pattern: String, in page: TestResponse) throws -> String {
        let match = try #require(page.text.firstMatch(of: try Regex(pattern)), "\(page.text)")
        return String(try #require(match.output[1].substring))
    }

    private func fact(_ name: String, on page: TestResponse) throws -> String {
        try text("<h3>\(name)</h3><p><code>([^<]+)</code>", in: page)
    }

    /// Presses a button, and follows the redirect to the page that shows what it created.
    private func create(_ path: String, _ client: some TestClientProtocol) async throws -> (
        address: String, page: TestResponse
    ) {
        let pressed = try await client.post(path, body: "", "application/x-www-form-urlencoded")
        #expect(pressed.status == .seeOther, "\(pressed.text)")
        let address = try #require(pressed.headers[.location])
        return (address, try await client.get(address))
    }

    @Test("It greets at the root and leads to the outbox, the account page and a test sign-in")
    func greets() async throws {
        try await TestServer.serve { _, client in
            let page = try await client.get("/")
            #expect(page.status == .ok)
            for part in [
                "Your sandbox", "Create an account", "Create a client", "href=\"/sandbox/outbox\"",
                "href=\"/account\"", "href=\"/sandbox/sign-in\"",
            ] {
                #expect(page.text.contains(part), "missing: \(part)")
            }
        }
    }

    @Test("At an IP address it says why there are no passkeys, and how to start the server with them")
    func passkeys() async throws {
        let note = "start the server with --issuer http://localhost:8700"
        try await TestServer.serve { _, client in
            let home = try await client.get("/")
            #expect(home.text.contains(note))
        }
        try await TestServer.serve(issuer: "http://localhost:8700") { _, client in
            let page = try await client.get("/")
            #expect(page.status == .ok)
            #expect(!page.text.contains("--issuer"))
        }
    }

    @Test("A button creates an account, whose name and password sign in")
    func account() async throws {
        try await TestServer.serve { _, client in
            let made = try await create("/sandbox/accounts", client).page
            #expect(try fact("E-mail address", on: made) == fact("Username", on: made) + "@example.com")
            var visit = BrowserOverHTTP(client: client)
            let login = [
                ("username", try fact("Username", on: made)), ("password", try fact("Password", on: made)),
            ]
            let asked = try await visit.press("sign_in", on: visit.open(BrowserOverHTTP.accountPage), login)
            #expect(asked.text.contains("answer_factor"), "the code went to the mailbox in the outbox: \(asked.text)")
        }
    }

    @Test("A button creates a client, and shows the lines of an app with it")
    func client() async throws {
        try await TestServer.serve { server, client in
            let made = try await create("/sandbox/clients", client).page
            let id = try fact("Client ID", on: made)
            let code = try text("<pre class=\"lines\"><code>([^<]+)</code>", in: made)
            #expect(code.contains("let clientID = &quot;\(id)&quot;"))
            let found = try await server.server.context.clients.find(ClientID(id), now: SystemClock().now())
            #expect(found?.isFirstParty == true)
        }
    }

    @Test("The created client takes the passkeys that an app keeps in software, where there are passkeys")
    func softwarePasskeys() async throws {
        for (issuer, origins) in [
            ("http://localhost:8700", ["https://localhost"]), ("http://127.0.0.1:8700", []),
        ] as [(String, [String])] {
            try await TestServer.serve(issuer: issuer) { server, client in
                let id = try fact("Client ID", on: await create("/sandbox/clients", client).page)
                let found = try await server.server.context.clients.find(ClientID(id), now: SystemClock().now())
                #expect(found?.passkeyOrigins == origins)
            }
        }
    }

    @Test("The password and the lines of an app have a button that copies them, which the script of the page shows")
    func copies() async throws {
        try await TestServer.serve { _, client in
            let greeting = try await client.get("/")
            #expect(!greeting.text.contains("<script"))
            for path in ["/sandbox/accounts", "/sandbox/clients"] {
                let made = try await create(path, client).page
                #expect(made.text.contains("data-copied=\"Copied\" hidden>Copy</button>"), "\(made.text)")
                let script = try await client.get(try text("<script src=\"([^\"]+)\"", in: made))
                #expect(script.text.contains("navigator.clipboard.writeText"))
                let policy = try #require(made.headers[.contentSecurityPolicy])
                #expect(policy.contains("script-src 'self'"), "\(policy)")
            }
        }
    }

    @Test("The page of a created account leads to a sign-in with its name filled in")
    func signInAs() async throws {
        try await TestServer.serve { _, client in
            let made = try await create("/sandbox/accounts", client).page
            let name = try fact("Username", on: made)
            var visit = BrowserOverHTTP(client: client)
            let begun = try await visit.open(try text("href=\"(/sandbox/sign-in\\?[^\"]+)\"", in: made))
            let asked = try await visit.open(try #require(begun.headers[.location]))
            #expect(asked.text.contains("name=\"username\" type=\"text\" value=\"\(name)\""), "\(asked.text)")
        }
    }

    @Test("The sandbox's pages are in the language of the browser", arguments: Language.allCases)
    func languages(language: Language) async throws {
        try await TestServer.serve { _, client in
            let headers: HTTPFields = [.acceptLanguage: language.rawValue]
            let words = language.sandbox
            let (account, _) = try await create("/sandbox/accounts", client)
            let (made, _) = try await create("/sandbox/clients", client)
            for (path, key) in [
                ("/", SandboxText.heading), (account, .accountCreated), (made, .clientCreated),
                ("/sandbox/outbox", .outboxHeading),
            ] as [(String, SandboxText)] {
                let page = try await client.get(path, headers)
                #expect(page.headers[.contentLanguage] == language.rawValue, "\(path)")
                #expect(page.text.contains(words[key]), "\(path)")
            }
        }
    }

    @Test("The created account has the language of the browser, and so have its messages")
    func accountLanguage() async throws {
        try await TestServer.serve { server, client in
            let headers: HTTPFields = [.acceptLanguage: "fr-CH, en;q=0.5"]
            let form = "application/x-www-form-urlencoded"
            let pressed = try await client.post("/sandbox/accounts", body: "", form, headers)
            let made = try await client.get(try #require(pressed.headers[.location]))
            let name = try fact("Username", on: made)
            let account = try await server.server.context.database.read {
                try Accounts.find(named: name, brand: "default", on: $0)
            }
            #expect(account?.locale == "fr")
        }
    }

    @Test("Loading the page of a created account again shows the same account and creates no other")
    func reload() async throws {
        try await TestServer.serve { server, client in
            let (address, page) = try await create("/sandbox/accounts", client)
            let password = try fact("Password", on: page)
            #expect(!address.contains(password), "browsers keep the address in their history")
            let again = try await client.get(address)
            #expect(try fact("Password", on: again) == password)
            #expect(try await count("accounts", server) == 1)
        }
    }

    @Test("attack: an address that was not sealed here shows no account of the attacker's")
    func forgedCreation() async throws {
        try await TestServer.serve { _, client in
            let (address, _) = try await create("/sandbox/accounts", client)
            var changed = Array(address)
            changed[changed.count - 20] = changed[changed.count - 20] == "A" ? "B" : "A"
            for address in [String(changed), "/?created=", "/?created=AAAA"] {
                let page = try await client.get(address)
                #expect(page.status == .ok)
                #expect(!page.text.contains("<h3>Password</h3>"), "\(address)")
            }
        }
    }

    private func count(_ table: String, _ server: TestServer) async throws -> Int64? {
        try await server.server.context.database.read { connection in
            try connection.row("SELECT COUNT(*) AS number FROM \(table)", [])?.integer("number")
        }
    }

    @Test("The test sign-in is a whole round with PKCE, and ends with the claims of the ID token and userinfo")
    func signIn() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            // Twice: the second time the client is there.
            for _ in 0..<2 {
                var visit = BrowserOverHTTP(client: client)
                let begun = try await visit.open("/sandbox/sign-in")
                #expect(begun.status == .seeOther)
                let asked = try await visit.open(try #require(begun.headers[.location]))
                let answer = try await visit.press(
                    "sign_in", on: asked, at: "/sign-in",
                    [("username", "maria"), ("password", "correct horse battery")])
                let back = try #require(answer.headers[.location], "\(answer.text)")
                let path = TestServer.issuer + "/sandbox/sign-in/callback?"
                #expect(back.hasPrefix(path))
                let callback = String(back.dropFirst(TestServer.issuer.count))
                let finished = try await visit.open(callback)
                #expect(finished.status == .seeOther, "\(finished.text)")
                let result = try #require(finished.headers[.location])
                let done = try await visit.open(result)
                #expect(done.status == .ok, "\(done.text)")
                let loadedAgain = try await visit.open(result)
                #expect(try fact("nonce", on: loadedAgain) == fact("nonce", on: done))
                #expect(try fact("iss", on: done) == TestServer.issuer)
                #expect(done.text.contains("Userinfo"))
                // Its end is in the list of what happened to the account.
                #expect(done.text.contains("The test’s session has ended"), "\(done.text)")
                #expect(done.text.contains("this browser stays signed in"))
                // Without the cookie of the browser that began it, and a second time, the code is worth nothing.
                var other = BrowserOverHTTP(client: client)
                #expect(try await other.open(callback).status == .badRequest)
                #expect(try await visit.open(callback).status == .badRequest)
            }
            #expect(try await count("sessions WHERE revoked_at IS NULL", server) == 0)
        }
    }

    @Test("A test sign-in that was begun again in another tab says so when the first one ends")
    func twoTabs() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            var tabs: [TestResponse] = []
            for _ in 0..<2 {
                let begun = try await visit.open("/sandbox/sign-in")
                tabs.append(try await visit.open(try #require(begun.headers[.location])))
            }
            let login = [("username", "maria"), ("password", "correct horse battery")]
            let first = try await visit.press("sign_in", on: tabs[0], at: "/sign-in", login)
            let back = try #require(first.headers[.location], "\(first.text)")
            let ended = try await visit.open(String(back.dropFirst(TestServer.issuer.count)))
            #expect(ended.status == .conflict)
            #expect(ended.text.contains("<h1>You started again in another tab</h1>"), "\(ended.text)")
            #expect(ended.text.contains("href=\"/sandbox/sign-in\""))
            // The browser has signed in since, so the other tab's request begins again.
            let second = try await visit.press("sign_in", on: tabs[1], at: "/sign-in", login)
            #expect(second.status == .seeOther, "\(second.text)")
        }
    }

    @Test("A cancelled test sign-in is named in the language of the page", arguments: Language.allCases)
    func cancelled(language: Language) async throws {
        try await TestServer.serve { server, client in
            var visit = BrowserOverHTTP(client: client, headers: [.acceptLanguage: language.rawValue])
            let begun = try await visit.open("/sandbox/sign-in")
            let asked = try await visit.open(try #require(begun.headers[.location]))
            let answer = try await visit.press("cancel", on: asked, at: "/sign-in")
            let back = try #require(answer.headers[.location], "\(answer.text)")
            let ended = try await visit.open(String(back.dropFirst(TestServer.issuer.count)))
            let words = HTMLEscaping().escapeText(language.sandbox[.cancelled])
            #expect(ended.text.contains(words), "\(ended.text)")
            #expect(!ended.text.contains(SignInPage.cancelled))
        }
    }

    @Test("attack: another site, another host and a proxy create nothing, and production has no such pages")
    func elsewhere() async throws {
        try await TestServer.serve { server, client in
            let form = "application/x-www-form-urlencoded"
            for path in ["/sandbox/accounts", "/sandbox/clients"] {
                for headers: HTTPFields in [
                    [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.origin: "https://evil.example"],
                ] {
                    #expect(try await client.post(path, body: "", form, headers).status == .forbidden)
                }
                let forwarded: HTTPFields = [.xForwardedFor: "192.0.2.1"]
                #expect(try await client.post(path, body: "", form, forwarded).status == .notFound)
            }
            let connection = try await RawConnection.open(port: try #require(client.port))
            try await connection.send("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            #expect(try await connection.textUntilClosed().hasPrefix("HTTP/1.1 421 "))
            for table in ["accounts", "clients"] { #expect(try await count(table, server) == 0, "\(table)") }
        }
        try await TestServer.serve(
            issuer: "https://id.example.com", environment: .production, TestServer.behindLocalProxy
        ) { _, client in
            for path in ["/", "/sandbox/sign-in", "/sandbox/sign-in/callback", "/sandbox/sign-in/done"] {
                let answer = try await client.get(path)
                #expect(answer.status == .notFound)
            }
            for path in ["/sandbox/accounts", "/sandbox/clients"] {
                #expect(
                    try await client.post(path, body: "", "application/x-www-form-urlencoded").status == .notFound)
            }
        }
    }
}
