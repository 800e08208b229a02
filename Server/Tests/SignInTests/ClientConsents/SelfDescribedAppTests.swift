import Core
import FlowSupport
import Logging
import Store
import Synchronization
import Testing
import WalletAuthWire
import Web

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Apps that describe themselves at their client_id", .covers("client create --metadata-host"),
    .threat("Relying apps"), .threat("Server-side request forgery"))
struct SelfDescribedAppTests {
    static let host = "apps.example.com"
    private static let address = "https://apps.example.com/one"
    private static let callback = "https://apps.example.com/callback"
    private static let resource = "https://mcp.example.com/mcp"

    /// What the host serves, and what it was asked for.
    private final class Host: Sendable {
        private struct State {
            var documents: [String: ProviderHTTP.Answer] = [:]
            var requests: [ProviderHTTP.Request] = []
        }

        private let state = Mutex(State())

        var http: ProviderHTTP {
            ProviderHTTP { [self] request in
                state.withLock { state in
                    state.requests.append(request)
                    return state.documents[request.url] ?? ProviderHTTP.Answer(status: 404, body: [])
                }
            }
        }

        var requests: [ProviderHTTP.Request] { state.withLock { $0.requests } }

        func serve(_ text: String, at address: String = SelfDescribedAppTests.address, status: Int = 200) {
            state.withLock { $0.documents[address] = ProviderHTTP.Answer(status: status, body: Array(text.utf8)) }
        }
    }

    private static func document(
        of address: String = SelfDescribedAppTests.address, name: String = "One",
        _ redirectURIs: [String] = [SelfDescribedAppTests.callback],
        _ more: [(String, JSONValue)] = []
    ) -> String {
        var object = JSONObject()
        object.set("client_id", address)
        object.set("client_name", name)
        object.set("redirect_uris", redirectURIs)
        object["logo_uri"] = "https://elsewhere.example.com/logo.svg"
        for (name, value) in more { object[name] = value }
        return JSONValue.object(object).text
    }

    private static let unusableAnswers: [(Int, String)] = [
        (200, document(of: "https://apps.example.com/two")), (200, document(of: "https://apps.example.com/one/")),
        (200, document([])), (200, document(["https://evil.example.com/callback"])),
        (200, document(["javascript:alert(1)"])),
        (200, document([callback], [("client_secret", "s3cret")])),
        (200, document([callback], [("client_secret_expires_at", 0)])),
        (200, document([callback], [("token_endpoint_auth_method", "client_secret_basic")])),
        (200, document([callback], [("token_endpoint_auth_method", "private_key_jwt")])),
        (200, document([callback], [("padding", .string(String(repeating: "a", count: 16 * 1024)))])),
        (200, document((0..<33).map { "\(callback)/\($0)" })),
        (200, "<html>"), (200, "[]"), (200, "{}"), (302, ""), (404, document()), (201, document()),
    ]

    private struct Setting {
        let host = Host()
        let server: TestServer
        let app: TestClient
        let browser: TestBrowser

        init() async throws {
            host.serve(SelfDescribedAppTests.document())
            server = try await TestServer.start(providers: host.http)
            _ = try await server.account()
            _ = try await server.publicClient("mcp") {
                $0.firstParty = false
                $0.redirectURIs = []
                $0.resources = [SelfDescribedAppTests.resource]
                $0.metadataHosts = [SelfDescribedAppTests.host]
            }
            app = TestClient(server: server, id: try ClientID(SelfDescribedAppTests.address), secret: nil)
            browser = TestBrowser(server)
        }

        func app(at address: String) throws -> TestClient {
            TestClient(server: server, id: try ClientID(address), secret: nil)
        }

        func request(
            of app: TestClient? = nil, to uri: String = SelfDescribedAppTests.callback
        ) throws -> FormParameters {
            try (app ?? self.app).request {
                $0["redirect_uri"] = uri
                $0["resource"] = SelfDescribedAppTests.resource
            }
        }

        /// Opens a request in another browser.
        func open(_ app: TestClient? = nil, to uri: String = SelfDescribedAppTests.callback) async throws
            -> AuthorizationAnswer.Outcome
        {
            try await TestBrowser(server).open(request(of: app, to: uri))
        }

        func redeem(
            _ code: AuthorizationCode, to uri: String = SelfDescribedAppTests.callback
        ) async throws -> TokenOutcome {
            try await app.token(
                .authorizationCode(code, redirectURI: RedirectURI(uri), verifier: TestClient.verifier))
        }

        func execute(_ words: String...) async -> AdministrationAnswer {
            await server.flows.administration.execute(AdminRequest(words))
        }
    }

    @Test("One at a named host signs a person in without a registration, with consent, and is named with its host")
    func signIn() async throws {
        let setting = try await Setting()
        let page = try await setting.browser.signIn(setting.request()).page()
        #expect(page.clientName == "One (apps.example.com)")
        #expect(page.consent?.new == ["openid", "wallet"])
        #expect(try await setting.server.rows(of: "clients") == 1, "no row before a person allows it")
        let code = try await setting.browser.submit(page, .allow).code()
        let tokens = try await setting.redeem(code).tokens()
        let renewed = try await setting.app.refresh(#require(tokens.refreshToken)).tokens()
        #expect(renewed.refreshToken != nil)
        _ = try await setting.browser.open(setting.request()).code()
        #expect(setting.host.requests.map(\.url) == [Self.address], "and no logo")
        #expect(setting.host.requests.first?.timeout == .seconds(5), "a slow host does not hold a person longer")
        #expect(setting.host.requests.first?.reach == .publicInternet)
        #expect(try await setting.server.consents() == [Self.address])
        let shown = try await setting.server.administer(["client", "show", Self.address])
        #expect(shown["selfDescribed"]?.bool == true && shown["firstParty"]?.bool == false)
    }

    @Test(
        "attack: an address that is not of a named host, or that two programs could read differently, is never fetched",
        arguments: [
            "https://evil.example.com/one", "https://apps.example.com.evil.example.com/one",
            "https://apps.example.com:8443/one", "https://apps.example.com", "https://apps.example.com/",
            "https://apps.example.com/one?two", "https://apps.example.com/one#two", "https://APPS.example.com/one",
            "https://a@apps.example.com/one", "https://apps.example.com/../one", "http://apps.example.com/one",
            "https://169.254.169.254/one", "https://localhost/one", "https://127.0.0.1/one", "apps.example.com/one",
        ])
    func otherAddress(address: String) async throws {
        let setting = try await Setting()
        #expect(try await setting.open(setting.app(at: address)).fault == .unknownClient)
        #expect(setting.host.requests.isEmpty)
    }

    @Test("attack: SSRF by a named host: only public addresses are asked, in a sandbox also this machine")
    func serverSideRequests() async throws {
        let host = Host()
        for (environment, reach) in [(.production, .publicInternet), (.sandbox, .loopback)]
            as [(ServerSettings.Environment, ProviderHTTP.Reach)]
        {
            let server = try await TestServer.start()
            _ = try await server.publicClient("mcp") {
                $0.firstParty = false
                $0.metadataHosts = ["localhost:8443"]
            }
            let documents = ClientDocuments(
                clients: server.context.clients, database: server.context.database, http: host.http,
                environment: environment, logger: Logger(label: "test"))
            let found = try await documents.find(ClientID("https://localhost:8443/one"), now: server.clock.now())
            #expect(found == nil)
            #expect(host.requests.last?.reach == reach)
        }
    }

    @Test(
        "attack: a document of another address, with a secret, of no public client, too long, or behind a redirect is no client's",
        arguments: SelfDescribedAppTests.unusableAnswers)
    func unusable(status: Int, text: String) async throws {
        let setting = try await Setting()
        setting.host.serve(text, status: status)
        for _ in 0..<3 { #expect(try await setting.open().fault == .unknownClient) }
        #expect(setting.host.requests.count == 1, "a failure is not asked for again at once")
        setting.host.serve(Self.document())
        setting.server.clock.advance(by: .seconds(10))
        _ = try await setting.open().page()
    }

    @Test("attack: the document of one address says nothing about another one's app")
    func poisoned() async throws {
        let setting = try await Setting()
        let other = try setting.app(at: "https://apps.example.com/two")
        setting.host.serve(Self.document(name: "Poison"), at: other.id.rawValue)
        #expect(try await setting.open(other).fault == .unknownClient)
        #expect(try await setting.open().page().clientName == "One (apps.example.com)")
    }

    @Test("attack: a redirect URI elsewhere is refused on a page, even if the document lists it")
    func redirectElsewhere() async throws {
        let setting = try await Setting()
        let elsewhere = "https://evil.example.com/callback"
        setting.host.serve(Self.document([Self.callback, elsewhere, "http://127.0.0.1/callback"]))
        for uri in [elsewhere, Self.callback + "/more", "http://localhost/callback", "com.example.app:/callback"] {
            #expect(try await setting.open(to: uri).redirectMismatch?.received == uri)
        }
        _ = try await setting.open(to: "http://127.0.0.1:50123/callback").page()
    }

    @Test("The port on the device is free to choose, also of localhost, which no registration has")
    func ports() async throws {
        let setting = try await Setting()
        setting.host.serve(Self.document(["http://localhost/callback", "http://127.0.0.1/callback"]))
        for uri in ["http://localhost:50123/callback", "http://127.0.0.1:50123/callback"] {
            _ = try await setting.open(to: uri).page()
        }
        #expect(try await setting.open(to: "http://localhost:50123/other").redirectMismatch != nil)
    }

    @Test("attack: a document that changes after the code neither moves the code nor keeps the former callback")
    func changed() async throws {
        let setting = try await Setting()
        let code = try await setting.browser.signInAndAllow(setting.request())
        let moved = "https://apps.example.com/moved"
        setting.host.serve(Self.document(name: "Two", [moved]))
        setting.server.clock.advance(by: .seconds(50))
        #expect(try await setting.redeem(code, to: moved).refusal == .invalidGrant)
        setting.server.clock.advance(by: .minutes(10))
        #expect(try await setting.open().redirectMismatch != nil)
        #expect(try await setting.open(to: moved).page().clientName == "Two (apps.example.com)")
    }

    @Test(
        "attack: a name that deceives is left out, and the host is shown instead",
        arguments: ["Bank\u{202E}", "Bank (bank.example.com)", "", "Bank\nFree", String(repeating: "B", count: 101)])
    func deceptiveName(name: String) async throws {
        let setting = try await Setting()
        setting.host.serve(Self.document(name: name))
        #expect(try await setting.open().page().clientName == Self.host)
    }

    @Test("attack: a flood of new addresses causes sixty fetches a minute and no row; an app that is known goes on")
    func flood() async throws {
        let setting = try await Setting()
        _ = try await setting.browser.signInAndAllow(setting.request())
        setting.server.clock.advance(by: .minutes(10))
        let before = setting.host.requests.count
        for number in 0..<100 {
            let outcome = try await setting.open(setting.app(at: "https://apps.example.com/flood/\(number)"))
            #expect(outcome.fault == .unknownClient)
        }
        #expect(setting.host.requests.count == before + 60)
        #expect(try await setting.server.rows(of: "clients") == 2)
        _ = try await setting.open().page()
    }

    @Test("attack: a thousand apps that persons allowed are all that are let in, with those that were deleted")
    func bounded() async throws {
        let setting = try await Setting()
        let waiting = TestBrowser(setting.server)
        let page = try await waiting.signIn(setting.request()).page()
        let now = setting.server.clock.now()
        try await setting.server.context.database.write { connection in
            let template = try #require(try Clients.find("mcp", on: connection))
            for number in 0..<1000 {
                let record = try template.describing(
                    ClientID("https://apps.example.com/\(number)"), name: "\(number)",
                    redirectURIs: [RedirectURI(Self.callback)], now: now)
                #expect(try Clients.create(record, on: connection))
            }
        }
        #expect(await setting.execute("client", "delete", "https://apps.example.com/0", "--yes").status == .done)
        #expect(try await setting.open().fault == .unknownClient)
        #expect(try await waiting.submit(page, .allow).fault == .unknownClient)
        #expect(try await setting.server.consents().isEmpty)
    }

    @Test("An operator keeps an app out by deleting it, and all of a host by removing that; none is changed by itself")
    func operators() async throws {
        let setting = try await Setting()
        let tokens = try await setting.redeem(setting.browser.signInAndAllow(setting.request())).tokens()
        #expect(await setting.execute("client", "update", Self.address, "--first-party").status == .refused)
        #expect(
            await setting.execute("client", "update", "mcp", "--remove-metadata-host", Self.host).status == .refused)
        let other = "other.example.com"
        #expect(await setting.execute("client", "update", "mcp", "--add-metadata-host", other).status == .done)
        #expect(await setting.execute("client", "update", "mcp", "--remove-metadata-host", Self.host).status == .done)
        let refused = try await setting.app.refresh(#require(tokens.refreshToken)).refusal
        #expect(refused != nil)
        #expect(try await setting.open().fault == .unknownClient)
        #expect(await setting.execute("client", "update", "mcp", "--add-metadata-host", Self.host).status == .done)
        _ = try await setting.app.refresh(#require(tokens.refreshToken)).tokens()
        #expect(await setting.execute("client", "delete", Self.address, "--yes").status == .done)
        #expect(try await setting.open().fault == .unknownClient)
    }

    @Test("attack: another brand's client takes no host that has one, and its app opens no account here")
    func otherBrand() async throws {
        let setting = try await Setting()
        try await setting.server.administer(["brand", "create", "other", "--name", "Other"])
        let words = ["client", "create", "second", "--name", "Second", "--brand", "other", "--scope", "openid"]
        let taken = await setting.server.flows.administration.execute(
            AdminRequest(words + ["--metadata-host", Self.host]))
        #expect(taken.status == .refused && taken.lines.contains { $0.contains("Another client") }, "\(taken.lines)")
        let host = "elsewhere.example.com"
        #expect(
            await setting.server.flows.administration.execute(AdminRequest(words + ["--metadata-host", host])).status
                == .done)
        let address = "https://elsewhere.example.com/one"
        let callback = "https://elsewhere.example.com/callback"
        setting.host.serve(Self.document(of: address, [callback]), at: address)
        let request = try setting.app(at: address).request {
            $0["redirect_uri"] = callback
            $0["scope"] = "openid"
        }
        let page = try await TestBrowser(setting.server).signIn(request).page()
        #expect(page.consent == nil, "ada has an account in the default brand alone")
    }

    @Test("What an operator registered under such an address is the operator's, and its document is not fetched")
    func registeredAddress() async throws {
        let setting = try await Setting()
        _ = try await setting.server.relyingApp(Self.address) { $0.redirectURIs = [Self.callback] }
        let page = try await setting.browser.signIn(
            setting.app.request { $0["redirect_uri"] = Self.callback }
        ).page()
        #expect(page.clientName == "Aurora" && page.consent != nil)
        #expect(setting.host.requests.isEmpty)
    }

    @Test("Hosts are for a client of other parties' apps, and the metadata says whether there are any")
    func registration() async throws {
        let plain = try await TestServer.start()
        _ = try await plain.publicClient()
        #expect(try await plain.flows.discovery.associatedApps().letsInSelfDescribed == false)
        let setting = try await Setting()
        #expect(try await setting.server.flows.discovery.associatedApps().letsInSelfDescribed)
        func isAccepted(_ adjust: (inout ClientRegistration) -> Void) -> Bool {
            var registration = ClientRegistration(name: "MCP", kind: .public)
            registration.metadataHosts = ["claude.ai", "localhost:8443"]
            adjust(&registration)
            return (try? registration.checked(madeID: { "mcp" }, in: .production, now: Timestamp(seconds: 0))) != nil
        }
        #expect(isAccepted { _ in })
        let faults: [(inout ClientRegistration) -> Void] = [
            { $0.metadataHosts = ["https://claude.ai"] }, { $0.metadataHosts = ["claude.ai/"] },
            { $0.metadataHosts = ["Claude.ai"] }, { $0.metadataHosts = ["*"] }, { $0.metadataHosts = [""] },
            { $0.metadataHosts = ["10.0.0.1"] }, { $0.metadataHosts = (0...20).map { "h\($0).example.com" } },
            { $0.firstParty = true }, { $0.requiresMerchant = true }, { $0.requiresPushedRequests = true },
            { $0.redeemer = "backend" }, { $0.kind = .confidential },
        ]
        for (number, fault) in faults.enumerated() { #expect(!isAccepted(fault), "fault \(number)") }
    }
}
