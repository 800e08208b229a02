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

@Suite("The lists of the operators' console", .covers("operators' console"))
struct ConsoleListHTTPTests {
    private static let text = Language.english.consoleText
    private static let id = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

    /// An owner's browser at a server with something in most lists.
    private func use(_ body: @Sendable (ConsoleOverHTTP) async throws -> Void) async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            try await console.server.makePublicClient()
            try await console.server.execute(["merchant", "create", "bakery", "--name", "The Bakery"])
            try await body(console)
        }
    }

    @Test(
        "A list has columns with headings in the reader's language, times as everywhere, and no bare ids",
        arguments: Language.allCases)
    func columns(language: Language) async throws {
        try await use { console in
            var console = console
            console.browser.headers[.acceptLanguage] = language.rawValue
            _ = try await console.signIn()
            for list in ConsoleList.allCases {
                let page = try await console.browser.open("/admin/list?of=\(list.rawValue)")
                #expect(page.status == .ok, "\(list): \(page.text)")
                #expect(page.text.contains("<h1>\(HTMLEscaping().escapeText(language.consoleText[list.label]))</h1>"))
                let answer = try await console.server.execute(
                    AdminRequest(
                        list.command.split(separator: " ").map(String.init))
                ).document()
                for table in list.tables where !answer.rows(table.member).isEmpty {
                    for column in table.columns {
                        let head = HTMLEscaping().escapeText(language.consoleText[column.heading])
                        #expect(page.text.contains("<th scope=\"col\">\(head)</th>"), "\(list): \(head)")
                        #expect(page.text.contains("<td data-head=\"\(head)\""), "\(list): \(head)")
                        #expect(!page.text.contains("<code>\(column.member)</code>"), "\(list): \(column.member)")
                    }
                }
                #expect(!page.text.contains(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}/), "\(list): \(page.text)")
                #expect(try !page.text.contains(Regex("<t[dh][^>]*>(<a[^>]*>)?\(Self.id)<")), "\(list): \(page.text)")
            }
        }
    }

    @Test("People, clients and brands in lists are called by their names, which lead to their pages")
    func names() async throws {
        try await use { console in
            var console = console
            let ada = try await console.id(of: "ada")
            _ = try await console.signIn()
            let person = "<a href=\"/admin/account?id=\(ada)\">ada</a>"
            for path in ["/admin/list?of=operator", "/admin/list?of=account", "/admin/list?of=outbox", "/admin/audit"] {
                let page = try await console.browser.open(path)
                #expect(page.text.contains(person), "\(path): \(page.text)")
                let headings = page.text.matches(of: /<h[1-3]/)
                #expect(headings.count == 1, "\(path)")
            }
            let clients = try await console.browser.open("/admin/list?of=client")
            let link = try #require(
                clients.text.firstMatch(of: /<a href="(\/admin\/list\?of=client&amp;id=[^"]+)">Aurora Wallet<\/a>/))
            let client = try await console.browser.open(String(link.output.1.replacing("&amp;", with: "&")))
            #expect(client.status == .ok && client.text.contains("<h1>Aurora Wallet</h1>"), "\(client.text)")
            #expect(client.has(Self.text[.redirectsHead]) && client.text.contains("<dt>DPoP required</dt>"))
            let brand = try await console.browser.open("/admin/list?of=brand&id=default")
            #expect(brand.status == .ok && brand.text.contains("/admin/list?of=account&amp;brand=default"))
            #expect(try await console.browser.open("/admin/list?of=client&id=unknown").status == .notFound)
            let messages = try await console.browser.open("/admin/list?of=outbox")
            let subject = HTMLEscaping().escapeText("Your sign-in code")
            #expect(
                messages.text.contains(">\(subject)<") && messages.has(Self.text[.channelEmail]), "\(messages.text)")
        }
    }

    @Test("On the page of an account, its brand and the apps of its sessions have their names")
    func namesOfAccount() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            try await console.server.makePublicClient()
            try await console.write("UPDATE brands SET name = 'Aurora Bank'")
            _ = try await PhoneOverHTTP.another(console.server, console.browser.client)
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            #expect(page.text.contains("<p>Aurora Bank</p>"), "\(page.text)")
            #expect(page.text.contains(/<h3 id="row-session-[0-9]+">Aurora Wallet/), "\(page.text)")
        }
    }

    @Test(
        "A member that no list declares is in its row, with a name in the reader's language",
        arguments: Language.allCases)
    func undeclared(language: Language) async throws {
        try await use { console in
            var console = console
            console.browser.headers[.acceptLanguage] = language.rawValue
            _ = try await console.signIn()
            for list in ConsoleList.allCases {
                let page = try await console.browser.open("/admin/list?of=\(list.rawValue)")
                // A sandbox gives the content of messages to the command line alone.
                let hidden: Set<String> = list == .outbox ? ["recipient", "subject", "text", "code"] : []
                let answer = try await console.server.execute(
                    AdminRequest(
                        list.command.split(separator: " ").map(String.init))
                ).document()
                for table in list.tables {
                    for row in answer.rows(table.member) {
                        for (name, value) in table.rest(of: row)
                        where ![.null, .array([]), .string("")].contains(value) {
                            guard !hidden.contains(name) else {
                                // The subject is the name of the kind of message, which the page has.
                                #expect(
                                    name == "subject" || !page.text.contains(value.string ?? name), "\(list): \(name)")
                                continue
                            }
                            let label = try #require(
                                ConsoleMemberText.label(of: name, in: language), "\(list): \(name)")
                            #expect(
                                page.text.contains("<dt>\(HTMLEscaping().escapeText(label))</dt>"), "\(list): \(name)")
                        }
                    }
                }
            }
            let clients = try await console.browser.open("/admin/list?of=client")
            #expect(clients.text.contains("<summary>\(language.consoleText[.moreLabel])</summary>"))
            #expect(!clients.text.contains("<dt><code>"))
        }
    }

    @Test("The details of an entry of the audit log have names, also what a change added, and one of a later version")
    func details() async throws {
        try await use { console in
            var console = console
            _ = try await console.signIn()
            try await console.server.execute([
                "client", "update", "wallet", "--require-par", "--add-redirect-uri", "https://app.example.com/other",
            ])
            let page = try await console.browser.open("/admin/audit")
            for label in ["Redirect URIs: added", "Pushed requests (PAR) required", "Number in this part"] {
                #expect(page.text.contains("<dt>\(label)</dt>"), "\(label): \(page.text)")
            }
            #expect(!page.text.contains("<dt><code>"))
        }
        #expect(ConsoleMemberText.label(of: "user_agent", in: .german) == "Browser oder App")
        #expect(ConsoleMemberText.label(of: "ofLaterVersion", in: .english) == nil)
        #expect(ConsoleVisit.readable("ofLaterVersion") == "Of later version")
    }

    @Test("A name that begins with a time is shown whole, and is no date")
    func namedLikeTime() async throws {
        try await use { console in
            var console = console
            let name = "2026-01-01T00:00:00Z trailing"
            try await console.server.execute([
                "client", "create", "com.example.shop", "--name", name, "--public", "--redirect-uri",
                "com.example.shop:/callback", "--scope", "openid",
            ])
            _ = try await console.signIn()
            for path in ["/admin/list?of=client", "/admin/audit"] {
                let page = try await console.browser.open(path)
                #expect(page.text.contains(">\(name)</a>"), "\(path): \(page.text)")
            }
            let page = try await console.browser.open("/admin/list?of=client&id=com.example.shop")
            #expect(page.text.contains("<h1>\(name)</h1>"), "\(page.text)")
        }
    }

    @Test("The fold of an entry of the audit log has the id of the client that the row calls by its name")
    func clientOfEntry() async throws {
        try await use { console in
            var console = console
            _ = try await console.signIn()
            try await console.server.execute(["client", "update", "wallet", "--name", "Renamed"])
            let page = try await console.browser.open("/admin/audit")
            #expect(page.text.contains(">Renamed</a>"), "\(page.text)")
            let id = "<dt>\(Self.text[.clientIDHead])</dt> <dd><code>wallet</code></dd>"
            #expect(page.text.contains(id), "\(page.text)")
        }
    }

    @Test("An empty list is a sentence, and has no headings of columns")
    func empty() async throws {
        try await use { console in
            var console = console
            _ = try await console.signIn()
            let page = try await console.browser.open("/admin/list?of=webhook")
            #expect(page.has(Self.text[.emptyList]) && !page.text.contains("<table"), "\(page.text)")
        }
    }

    @Test("Each state, role and kind that a command answers has a word")
    func words() {
        let values: [(words: ConsoleWords, values: [String])] = [
            (.state, AccountState.allCases.map(\.rawValue)), (.password, PasswordState.allCases.map(\.rawValue)),
            (.role, OperatorRole.allCases.map(\.rawValue)), (.clientKind, ClientKind.allCases.map(\.rawValue)),
            (.channel, OutboxChannel.allCases.map(\.rawValue)), (.key, SigningKeyState.allCases.map(\.rawValue)),
            (.newDevice, NewDevicePolicy.allCases.map(\.rawValue)),
            (
                .providerKind,
                [
                    IdentityProvider.Kind.openIDName, IdentityProvider.Kind.repositoryName,
                    IdentityProvider.Kind.introspectionName, "apple",
                ]
            ),
        ]
        for (words, values) in values {
            for value in values {
                #expect(words.texts[value] != nil || words.names[value] != nil, "\(value)")
            }
        }
    }

    @Test(
        "attack: a list names an account only to roles that read accounts, and in part to support",
        .threat("A support agent who abuses the console"), arguments: ["support", "developer", "auditor"])
    func masked(role: String) async throws {
        try await ConsoleOverHTTP.use(role) { console in
            var console = console
            let server = console.server
            var registration = AccountRegistration(username: "eve@example.com", password: ConsoleOverHTTP.password)
            (registration.email, registration.emailVerified) = ("eve@example.com", true)
            let created = registration
            let answer = try await server.execute { try await AccountAdministration($0).create(created) }
            let eve = try #require(try answer.document()["accountId"]?.string)
            // Is sent a code.
            var other = BrowserOverHTTP(client: console.browser.client)
            _ = try await other.press(
                "sign_in", on: other.open(BrowserOverHTTP.accountPage),
                [("username", "eve@example.com"), ("password", ConsoleOverHTTP.password)])
            try await server.execute(["operator", "grant", "ada", "--role", role, "--all-brands"])
            _ = try await console.signIn()
            let page = try await console.browser.open("/admin/list?of=outbox")
            #expect(page.has(Self.text[.userHead]), "\(page.text)")
            #expect(page.text.contains("eve@example.com") == (role == "auditor"))
            #expect(page.text.contains("e…@example.com") == (role == "support"), "\(page.text)")
            #expect(page.text.contains("account?id=\(eve)") == (role != "developer"))
            #expect(!page.text.contains(">\(eve)<"))
        }
    }

    @Test(
        "attack: the names of another brand's accounts, clients and merchants are not on an operator's pages",
        .threat("A support agent who abuses the console"))
    func otherBrand() async throws {
        try await use { console in
            try await console.server.execute(["brand", "create", "other", "--name", "Other Brand"])
            try await console.server.execute(["account", "create", "eve", "--brand", "other"])
            let eve = try await console.id(of: "eve", brand: "other")
            let ada = try await console.id(of: "ada")
            var mentions = MentionedNames.Mentions(
                accounts: [ada, eve], clients: ["wallet"], brands: ["default", "other"], merchants: [])
            mentions.merchants = ["bakery"]
            let database = console.server.server.context.database
            let own = try await MentionedNames.of(
                mentions, under: OperatorGrant(.auditor, brand: "default"), in: database)
            #expect(own.accounts == [ada: "ada"] && own.merchants.isEmpty)
            #expect(Set(own.brands.keys) == ["default"])
            let all = try await MentionedNames.of(mentions, under: OperatorGrant(.auditor, brand: nil), in: database)
            #expect(all.accounts == [ada: "ada", eve: "eve"] && all.merchants == ["bakery": "The Bakery"])
            #expect(all.brands["other"] == "Other Brand" && all.clients.count == 1)
            let developer = try await MentionedNames.of(
                mentions, under: OperatorGrant(.developer, brand: nil), in: database)
            #expect(developer.accounts.isEmpty && developer.merchants.count == 1)
        }
    }
}
