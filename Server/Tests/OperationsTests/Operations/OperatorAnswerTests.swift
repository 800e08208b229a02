import Core
import FlowSupport
import Foundation
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// What an operator reads, and finds out by it.
@Suite("Answers to the operator", .covers("why a person cannot sign in"))
struct OperatorAnswerTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    private static func lines(_ server: TestServer, _ command: AdminRequest) async -> [String] {
        await server.flows.administration.execute(command).lines
    }

    @Test("An account without a password is reported with the command that sets one")
    func passwordless() async throws {
        let server = try await TestServer.start()
        let made = await Self.lines(
            server, ["account", "create", "ada"])
        #expect(made.contains("It has no password yet: run `walletauth account set-password ada`."))
        let with = await Self.lines(
            server, AdminRequest(["account", "create", "eve"], input: "correct horse battery"))
        #expect(with.count == 1)
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(shown["hindrances"]?.strings?.first?.contains("account set-password ada") == true)
    }

    @Test("A brand that is not there is refused before a password or a client secret is typed; a script is not delayed")
    func secretForUnknownBrand() async throws {
        let server = try await TestServer.start()
        func refusal<Command: AdminCommand>(of type: Command.Type, _ words: [String]) async throws -> String? {
            let command = try type.parse(AdminRequest(words, input: "another phrase 8"))
            let first = try #require(try command.precondition(isTyped: true))
            return await server.flows.administration.execute(first).refusal?.code
        }
        let create = ["account", "create", "ada", "--password-stdin"]
        let secret = ["--client-id", "walletauth", "--client-secret-stdin"]
        let openID = ["provider", "add", "oidc", "example", "--issuer", "https://id.example.com"] + secret
        for (brand, code) in [([], nil), (["--brand", "none"], "not_found")] as [([String], String?)] {
            #expect(try await refusal(of: AccountCreate.self, create + brand) == code)
            #expect(try await refusal(of: ProviderAddOIDC.self, openID + brand) == code)
            let google = ["provider", "add", "google"] + secret + brand
            #expect(try await refusal(of: ProviderAddGoogle.self, google) == code)
        }
        let scripted = try AccountCreate.parse(AdminRequest(create, input: "another phrase 8"))
        #expect(scripted.precondition(isTyped: false) == nil)
    }

    @Test("A commit without a response: the operator reads that the command may have been carried out, and to check")
    func unknownOutcome() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        for (code, line) in [
            (
                StoreError.Code.outcomeUnknown,
                "The command may or may not have been carried out: no response. Check before you run it again."
            ),
            (.unavailable, "The database failed: no response."),
        ] {
            server.beforeNextWrite { throw StoreError(code, "no response") }
            let answer = await server.flows.administration.execute(
                AdminRequest(["account", "set-password"] + Self.ada.words, input: "another phrase 8"))
            #expect(answer.lines == [line])
            #expect(answer.refusal?.code == code.rawValue)
        }
    }

    @Test("The purpose `signing` is refused with the two that it could mean, and nothing is rotated")
    func ambiguousPurpose() async throws {
        let server = try await TestServer.start()
        let before = await Self.lines(server, ["keys", "list"])
        let refused = await server.flows.administration.execute(["keys", "rotate", "signing"])
        #expect(refused.refusal?.code == "malformed")
        #expect(refused.lines.first?.contains("use signatures for") == true, "\(refused.lines)")
        #expect(refused.lines.first?.contains("signing-seal") == true, "\(refused.lines)")
        #expect(await Self.lines(server, ["keys", "list"]) == before)
        #expect(before.contains { $0.contains("signing-seal") }, "\(before)")
        try await server.administer(["keys", "rotate", "signing-seal"])
    }

    @Test(
        "A command that the operator should run is safe to paste, whatever the user name holds",
        .threat("A stolen database or file system access"),
        arguments: [
            ("ada", "walletauth account show ada"), ("a;reboot", "walletauth account show 'a;reboot'"),
            ("o'neil", "walletauth account show 'o'\\''neil'"), ("-rf", "walletauth account show -- -rf"),
            ("$(id)", "walletauth account show '$(id)'"),
        ])
    func pasting(_ name: String, _ expected: String) {
        #expect(CommandLineSyntax.account("show", name: name, brand: "default") == expected)
        let inBrand = CommandLineSyntax.account("show", name: name, brand: "blue")
        #expect(
            inBrand == (name == "-rf" ? "walletauth account show --brand blue -- -rf" : expected + " --brand blue"))
    }

    @Test("account show reports the wrong passwords, until when untrusted devices wait, and what ends the wait")
    func slowed() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let before = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(before["failures"]?.object?["unknownDevices"]?.object?["count"]?.integer == 0)
        #expect(before["hindrances"] == nil)
        for _ in 0..<6 { _ = try await app.signIn(password: "a wrong one") }

        let slowed = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        let untrusted = slowed["failures"]?.object?["unknownDevices"]?.object
        #expect(untrusted?["count"]?.integer == 5)
        #expect(untrusted?["heldUntil"]?.string != nil)
        let lines = await Self.lines(server, AdminRequest(["account", "show"] + Self.ada.words))
        #expect(lines.contains { $0.hasPrefix("hindrance") && $0.contains("account reactivate ada` resets") })

        try await server.administer(["account", "reactivate", "ada"])
        let mended = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(mended["hindrances"] == nil)
    }

    @Test("account reactivate resets the counts of an active account, keeps its sessions, and is recorded once")
    func resetCounts() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        try await app.becomeKnown()
        let stranger = TestApp(client: app.client, address: "198.51.100.7")
        for _ in 0..<6 { _ = try await stranger.signIn(password: "a wrong one") }
        let ended = try await server.rows(of: "sessions WHERE revoked_reason IS NOT NULL")

        let lines = await Self.lines(server, ["account", "reactivate", "ada"])
        #expect(lines.first?.hasSuffix(" has no failures counted against it any more.") == true, "\(lines)")
        _ = try await TestApp(client: app.client, address: "203.0.113.9").signIn().code()
        #expect(try await server.rows(of: "sessions WHERE revoked_reason IS NOT NULL") == ended)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account.failures_reset'") == 1)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account.reactivated'") == 0)

        let again = await server.flows.administration.execute(["account", "reactivate", "ada"])
        #expect(again.refusal?.code == "no_change")
        #expect(try await server.rows(of: "security_events WHERE kind = 'account.failures_reset'") == 1)
    }

    @Test("account show tells that a deactivated account waits for the operator, and by which command")
    func deactivated() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        try await app.becomeKnown()
        for _ in 0..<5 { _ = try await app.signIn(password: "a wrong one") }
        let shown = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        let hindrance = try #require(shown["hindrances"]?.strings?.first)
        #expect(hindrance.contains("`walletauth account reactivate ada`"))
        // It has no address that a code could go to.
        #expect(!hindrance.contains("recovers it by e-mail"))
        #expect(hindrance.contains("Without a confirmed e-mail address the person cannot recover it"))
        try await server.administer(AdminRequest(["account", "reactivate"] + Self.ada.words))
        let mended = try await server.administer(AdminRequest(["account", "show"] + Self.ada.words))
        #expect(mended["hindrances"] == nil)
    }

    @Test("account show says until when nothing is changed after a recovery, and why; afterwards nothing of it")
    func cooling() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.redeem(app.choose("another phrase 8", in: app.recoverByCode().passwordSession()).code())
        let lines = await Self.lines(server, AdminRequest(["account", "show"] + Self.ada.words))
        let told = try #require(lines.first { $0.hasPrefix("cooling") }, "\(lines)")
        #expect(told.contains("until 2027-01-16T08:00"))
        #expect(told.contains("the password was recovered"))
        #expect(!lines.contains { $0.contains("coolingUntil") })
        server.clock.advance(by: .hours(24))
        let later = await Self.lines(server, AdminRequest(["account", "show"] + Self.ada.words))
        #expect(!later.contains { $0.hasPrefix("cooling") })
    }

    @Test("A redirect URI or a URL that is refused is named with the option that it was typed behind")
    func options() async throws {
        let server = try await TestServer.start()
        let create = ["client", "create", "app", "--name", "App", "--redirect-uri"]
        let refused = await Self.lines(server, AdminRequest(create + ["myapp:/callback"]))
        #expect(refused.first?.hasPrefix("--redirect-uri 'myapp:/callback' ") == true, "\(refused)")
        let valid = create + ["com.example.app:/callback"]
        let site = await Self.lines(server, AdminRequest(valid + ["--site-url", "nowhere"]))
        #expect(site.first?.hasPrefix("--site-url ") == true, "\(site)")
        try await server.administer(AdminRequest(valid))
        let added = await Self.lines(
            server, ["client", "update", "app", "--add-redirect-uri", "https://app.example.com/*"])
        #expect(
            added.first?.hasPrefix("--add-redirect-uri 'https://app.example.com/*' has a wildcard") == true, "\(added)")
        let reset = await Self.lines(server, ["client", "update", "app", "--add-reset-credentials-url", "nowhere"])
        #expect(reset.first?.hasPrefix("--add-reset-credentials-url ") == true, "\(reset)")
    }

    @Test("account list goes through a brand's user names page by page, each once and in order")
    func pages() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "create", "blue", "--name", "Blue"])
        for name in ["eve", "ada", "bob", "dan", "cid"] { _ = try await server.account(name, password: nil) }
        _ = try await server.account("zoe", password: nil) { $0.brand = "blue" }
        var names: [String] = []
        var after: String?
        repeat {
            let cursor = after.map { ["--after", $0] } ?? []
            let page = try await server.administer(
                AdminRequest(["account", "list", "--limit", "2"] + cursor))
            names += page["accounts"]?.array?.compactMap { $0.object?["username"]?.string } ?? []
            after = page["next"]?.string
        } while after != nil
        #expect(names == ["ada", "bob", "cid", "dan", "eve"])
        let lines = await Self.lines(server, ["account", "list", "--limit", "2"])
        #expect(lines.first?.hasPrefix("USERNAME") == true)
        #expect(lines.last == "There are more: --after bob")
        let empty = await Self.lines(server, ["account", "list", "--brand", "blue", "--after", "zoe"])
        #expect(empty == ["No accounts after zoe."])
        for limit in [0, 1001, -1] {
            let refused = await server.flows.administration.execute(
                ["account", "list", "--limit", String(limit)])
            #expect(refused.status == .refused)
        }
        let nowhere = await server.flows.administration.execute(
            ["account", "list", "--brand", "nowhere"])
        #expect(nowhere.status == .refused)
    }

    @Test("The largest page of account list comes whole, and names the next one")
    func largestPage() async throws {
        let server = try await TestServer.start()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        try await server.context.database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO account_names (brand_id, name, account_id)
                WITH RECURSIVE numbers (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
                SELECT 'default', 'name-' || n, $1 FROM numbers
                """, [.id(account)])
        }
        let answer = await server.flows.administration.execute(["account", "list", "--limit", "1000"])
        let page = try answer.document()
        #expect(page["accounts"]?.array?.count == 1000)
        #expect(page["next"]?.string == "name-1998")
        #expect(answer.lines.last == "There are more: --after name-1998")
    }

    @Test("An answer longer than any message on the wire is read as JSON, and a refusal by its code")
    func longAnswers() throws {
        let rows = (1...10_000).map { number -> AdministrationAnswer.Row in
            var json = JSONObject()
            json.set("name", "name-\(number)")
            return (["name-\(number)"], json)
        }
        let answer = AdministrationAnswer.list("names", columns: ["NAME"], rows, empty: "None.")
        let names = try answer.document()["names"]?.array
        #expect(names?.count == 10_000)
        #expect(answer.refusal?.code == nil)
        let refused = AdministrationAnswer.refused(AdministrationRefusal("It has no PIN.", code: "no_change"))
        #expect(refused.refusal?.code == "no_change")
    }

    @Test("Lists have headings, and their columns stand under each other")
    func columns() async throws {
        let server = try await TestServer.start()
        let lines = await Self.lines(server, ["keys", "list"])
        #expect(lines.first?.split(separator: " ") == ["PURPOSE", "ID", "STATE", "SINCE"])
        // The last one is about the master key.
        let starts = lines.dropLast().map { line in
            (line.range(of: "  20") ?? line.range(of: "  SINCE"))?.lowerBound.utf16Offset(in: line)
        }
        #expect(Set(starts).count == 1)
    }

    @Test("Lifetimes are shown with their unit")
    func units() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let lines = await Self.lines(server, ["client", "show", "app"])
        #expect(lines.contains { $0.hasPrefix("accessTokenLifetime") && $0.hasSuffix("300 s (5 minutes)") })
        #expect(lines.contains { $0.hasPrefix("refreshIdleLifetime") && $0.hasSuffix("2592000 s (30 days)") })
    }

    @Test(
        "A redirect URI that is taken and could be better comes with advice",
        arguments: [
            ("com.example.app:/callback", false), ("http://127.0.0.1/callback", false),
            ("https://app.example.com/callback", false), ("com.example.app://callback", true),
            ("http://localhost:8080/callback", true), ("https://localhost/callback", true),
            ("https://127.0.0.1/callback", true), ("https://wallet/callback", true),
        ])
    func advice(_ uri: String, _ isAdvised: Bool) async throws {
        let server = try await TestServer.start()
        var client = ClientRegistration(name: "App", kind: .public)
        client.redirectURIs = [uri]
        let answer = try await server.administer { try await ClientAdministration($0).create(client) }
        #expect((answer["advice"] != nil) == isAdvised)
    }

    @Test(
        "attack: a redirect URI whose IPv4 address programs read in different ways is not registered",
        arguments: ["https://127.1/cb", "https://0x7f.1/cb", "https://2130706433/cb", "https://010.0.0.1/cb"])
    func ambiguousHost(uri: String) async throws {
        let server = try await TestServer.start()
        var client = ClientRegistration(name: "App", kind: .public)
        client.redirectURIs = [uri]
        let refused = await server.flows.administration.execute { try await ClientAdministration($0).create(client) }
        #expect(refused.status == .refused)
        #expect(refused.lines.joined().contains("write four decimal numbers"))
    }

    @Test(
        "attack: a name that pages and messages show has marks that are drawn over the text around it",
        arguments: ["Shop\u{300}\u{301}\u{302}", "Shop\u{20DD}", "\u{301}Shop"])
    func marks(name: String) async throws {
        let server = try await TestServer.start()
        let commands: [AdminRequest] = [
            ["client", "create", "--confidential", "--name", name],
            ["brand", "create", "acme", "--name", name],
            ["merchant", "create", "acme", "--name", name],
            ["account", "create", "a\u{300}\u{301}\u{302}\u{303}da"],
        ]
        for command in commands {
            let refused = await server.flows.administration.execute(command)
            #expect(refused.status == .refused, "\(command)")
            #expect(refused.lines.joined().contains("mark"), "\(refused.lines)")
        }
    }

    @Test("A backup onto a file, or into a folder that is not there, is refused in words and leaves nothing")
    func backups() async throws {
        let server = try await TestServer.start()
        try await server.administer(["database", "backup", "--to", server.path("copy.db")])
        let again = await Self.lines(server, ["database", "backup", "--to", server.path("copy.db")])
        #expect(
            again == [
                "There is already a file at \(server.path("copy.db")), and a backup does not replace files: choose another name."
            ])
        let nowhere = await Self.lines(server, ["database", "backup", "--to", server.path("none/copy.db")])
        #expect(nowhere == ["There is no folder \(server.path("none")) for the copy: create it first."])
    }

    @Test("The issuer of a database changes on purpose only, to what can be one")
    func issuer() async throws {
        let server = try await TestServer.start()
        let first = try await PinnedIssuer.establish(
            try Issuer("https://auth.example.com"), in: server.context.database)
        #expect(first == "https://auth.example.com")
        let kept = try await PinnedIssuer.establish(try Issuer("https://id.example.com"), in: server.context.database)
        #expect(kept == "https://auth.example.com")
        let changed = try await server.administer(["database", "change-issuer", "https://id.example.com"])
        #expect(try changed.string("former") == "https://auth.example.com")
        let now = try await PinnedIssuer.read(server.context.database)
        #expect(now == "https://id.example.com")
        let slashed = await Self.lines(server, ["database", "change-issuer", "https://id.example.com/"])
        #expect(slashed.last?.hasPrefix("It ends with a slash") == true, "\(slashed)")
        let plain = await Self.lines(server, ["database", "change-issuer", "https://id.example.com"])
        #expect(plain.count == 2)
        for wrong in ["https://id.example.com", "ftp://id.example.com", "nonsense", "https://id.example.com/?a=b"] {
            let answer = await server.flows.administration.execute(["database", "change-issuer", wrong])
            #expect(answer.status == .refused, "\(wrong)")
            #expect(answer.lines.count == 1)
        }
    }
}
