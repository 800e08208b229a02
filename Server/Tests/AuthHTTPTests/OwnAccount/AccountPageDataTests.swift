import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import SignIn
@testable import Web

@Suite(
    "Activity, export and identities on the account's page", .threat("The account's own page"),
    .covers("the export and the activity of an account"))
struct AccountPageDataTests {
    private static let download = "/account/export"

    @Test("The activity is in the page's language, and a page opened by its cookie shows it")
    func activity() async throws {
        try await AccountPageVisit.make { visit in
            let page = try await visit.press("show_activity", on: visit.overview)
            #expect(page.text.contains(">You signed in with your password and a code.</h2>"))
            #expect(page.text.contains("127.0.0.1"))
            #expect(!page.text.contains("value=\"show_earlier_activity\""))
            let german = try await visit.browser.open("/account?ui_locales=de")
            let list = try await visit.press("show_activity", on: german)
            let sentence = ">Sie haben sich mit Ihrem Passwort und einem Code angemeldet.</h2>"
            #expect(list.text.contains(sentence), "\(list.text)")
            for word in ["account.signed_in", "operator", "walletauth"] {
                #expect(!page.text.contains(word), "\(word)")
            }
        }
    }

    @Test("Times are in the zone that the browser's cookie names; two such cookies, or none, leave UTC")
    func zone() async throws {
        try await AccountPageVisit.make { visit in
            #expect(try await visit.press("show_activity", on: visit.overview).text.contains("\u{A0}UTC</p>"))
            visit.browser.cookies["wa_zone"] = "Asia/Kolkata"
            let there = try await visit.press("show_activity", on: visit.overview)
            #expect(there.text.contains("\u{A0}UTC+5:30</p>"), "\(there.text)")
            visit.browser.cookies["__Host-wa_zone"] = "Europe/Sofia"
            #expect(try await visit.press("show_activity", on: visit.overview).text.contains("\u{A0}UTC</p>"))
        }
    }

    @Test("What an operator did has the brand's name, and what the holder did has their browser")
    func who() async throws {
        try await TestServer.serve { server, client in
            _ = try await AccountPageVisit.begin(server, client)
            try await server.execute(["brand", "update", "default", "--name", "Aurora"])
            try await server.execute(["account", "set-phone", "maria", "--phone", "+359888123456"])
            // The change ended her session.
            var visit = try await AccountPageVisit.again(server, client)
            let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
            let details = "{\"amr\":[\"pop\",\"uv\"],\"user_agent\":\"\(agent)\"}"
            _ = try await server.server.context.database.write {
                try $0.execute(
                    "UPDATE security_events SET details = $1 WHERE kind = 'account.signed_in'", [.text(details)])
            }
            let page = try await visit.press("show_activity", on: visit.overview)
            #expect(page.text.contains(">The phone number was added. Aurora did this.</h2>"), "\(page.text)")
            #expect(page.text.contains(">You signed in with a passkey.</h2>"), "\(page.text)")
            #expect(page.text.contains("Firefox on Linux"), "\(page.text)")
        }
    }

    @Test("The activity shows amount and payee of a payment after a sign-in on the page, and not to a stolen cookie")
    func payments() async throws {
        try await TestServer.serve { server, client in
            let shop = try await ShopOverHTTP.open(server, client)
            let event = try await shop.ask()
            _ = try await shop.challenge(event)
            let verified = try await shop.attempt(shop.code(), event)
            try #require(verified.status == .ok, "\(verified.text)")
            var visit = try await AccountPageVisit.again(server, client)
            let page = try await visit.press("show_activity", on: visit.overview)
            #expect(page.text.contains(">You approved €90.00 to Anna.</h2>"), "\(page.text)")
            #expect(!page.text.contains("value=\"show_payments\""))
            var (thief, seen) = try await visit.stolen()
            seen = try await thief.press("show_activity", on: seen)
            #expect(seen.text.contains(">You approved a payment or another operation.</h2>"), "\(seen.text)")
            #expect(!seen.text.contains("Anna"))
            let note = Language.english.ownAccountPageText[.paymentsNote]
            #expect(seen.text.contains(note), "\(seen.text)")
            let asked = try await thief.press("show_payments", on: seen)
            #expect(asked.text.contains("name=\"password\""), "\(asked.text)")
            #expect(!asked.text.contains("Anna"))
            // Its holder signs in again, and is back at the list.
            let form = try await thief.press(
                "sign_in", on: asked, [("username", "maria"), ("password", "correct horse battery")])
            let code = try await server.sentCode(to: AccountPageVisit.email)
            let shown = try await thief.press("answer_factor", on: form, [("answer", code)])
            #expect(shown.text.contains(">You approved €90.00 to Anna.</h2>"), "\(shown.text)")
            #expect(!shown.text.contains(note))
        }
    }

    @Test("The list goes on with a button, twenty events at a time, and back to the latest; Reload shows the same page")
    func pages() async throws {
        try await AccountPageVisit.make { visit in
            let auditLog = visit.server.server.context.auditLog
            let account = try await visit.server.server.context.database.read {
                try #require(try Accounts.find(named: "maria", brand: "default", on: $0))
            }
            let now = SystemClock().now()
            try await visit.server.server.context.database.write { connection in
                for number in 0..<45 {
                    try auditLog.entry(
                        AccountEvent.profileChanged, account: account.id, now: now + .milliseconds(Int64(number))
                    ).write(on: connection)
                }
            }
            func entries(_ page: TestResponse) -> Int { page.text.ranges(of: "<h2 id=\"row-").count }
            let first = try await visit.press("show_activity", on: visit.overview)
            #expect(entries(first) == 20)
            let answer = try await visit.browser.submit("show_earlier_activity", on: first)
            let address = try #require(answer.nextPage)
            let second = try await visit.browser.open(address)
            #expect(entries(second) == 20)
            #expect(try await entries(visit.browser.open(address)) == 20)
            let third = try await visit.press("show_earlier_activity", on: second)
            #expect((5..<20).contains(entries(third)), "\(third.text)")
            #expect(!third.text.contains("value=\"show_earlier_activity\""))
            #expect(try await entries(visit.press("show_activity", on: third)) == 20)
        }
    }

    @Test("Events of one millisecond are listed in the order in which they happened")
    func oneMillisecond() async throws {
        try await AccountPageVisit.make { visit in
            let context = visit.server.server.context
            let account = try await context.database.read {
                try #require(try Accounts.find(named: "maria", brand: "default", on: $0))
            }
            let now = SystemClock().now() + .seconds(1)
            try await context.database.write { connection in
                for number in 0..<20 {
                    try context.auditLog.entry(
                        AccountEvent.profileChanged, account: account.id, properties: ["number": String(number)],
                        now: now
                    ).write(on: connection)
                }
            }
            let events = try await context.database.read {
                try SecurityEvents.list(of: account.id, limit: 20, on: $0)
            }
            let numbers = try events.compactMap {
                try JSONValue.object(parsing: Array($0.details.utf8))["properties"]?.object?["number"]?.string
            }
            #expect(numbers == (0..<20).reversed().map { String($0) })
        }
    }

    @Test("The download is a file with what is stored about the person and no secret, and the person gets word")
    func export() async throws {
        try await AccountPageVisit.make { visit in
            let page = try await visit.press("ask_to_export", on: visit.overview)
            #expect(page.text.contains("action=\"\(Self.download)\""))
            // A double click gets the file as well, and counts once.
            for _ in 0..<2 {
                let file = try await visit.browser.submit("download", on: page, at: Self.download)
                try #require(file.status == .ok, "\(file.text)")
                #expect(file.headers[.contentType] == "application/json")
                #expect(file.headers[.contentDisposition] == "attachment; filename=\"account.json\"")
                #expect(file.headers[.cacheControl] == "no-store")
                #expect(try file.json["email"]?.string == AccountPageVisit.email)
                for secret in ["correct horse battery", "$argon2"] + visit.browser.cookies.values {
                    #expect(!file.text.contains(secret))
                }
            }
            let kinds = try await visit.server.sentKinds(to: AccountPageVisit.email)
            #expect(kinds.filter { $0 == "account_exported" }.count == 1)
            // A minute later.
            try await visit.server.server.context.database.write {
                _ = try $0.execute(
                    "DELETE FROM seen_jtis WHERE expires_at < $1", [.time(SystemClock().now() + .minutes(1))])
            }
            let again = try await visit.browser.press("download", on: page, at: Self.download)
            #expect(again.text.contains("You have already downloaded this file."), "\(again.text)")
            #expect(try await visit.browser.submit("download", on: again, at: Self.download).status == .ok)
            let back = try await visit.press("show_account", on: page)
            #expect(back.text.contains("Where you’re signed in"))
        }
    }

    @Test("attack: a form that is posted again and again gets two files at most")
    func exportRepeated() async throws {
        try await AccountPageVisit.make { visit in
            let page = try await visit.press("ask_to_export", on: visit.overview)
            for _ in 0..<2 {
                let file = try await visit.browser.submit("download", on: page, at: Self.download)
                try #require(file.headers[.contentDisposition] != nil, "\(file.text)")
            }
            for _ in 0..<3 {
                let refused = try await visit.browser.press("download", on: page, at: Self.download)
                #expect(refused.headers[.contentDisposition] == nil)
                #expect(refused.text.contains("You have already downloaded this file."), "\(refused.text)")
            }
        }
    }

    @Test("attack: neither a stolen cookie nor another site's form gets the file, and the fourth in a row has to wait")
    func exportRefused() async throws {
        try await AccountPageVisit.make { visit in
            var (thief, seen) = try await visit.stolen()
            let asked = try await thief.press("download", on: seen, at: Self.download)
            #expect(asked.text.contains("name=\"password\""))
            #expect(asked.headers[.contentDisposition] == nil)
            seen = try await thief.press("ask_to_export", on: seen)
            #expect(seen.text.contains("name=\"password\""))
            let page = try await visit.press("ask_to_export", on: visit.overview)
            var foreign = visit.browser
            foreign.headers = [.secFetchSite: "cross-site"]
            #expect(try await foreign.press("download", on: page, at: Self.download).status == .badRequest)
            var without = visit.browser
            without.cookies["wa_binding"] = nil
            #expect(try await without.press("download", on: page, at: Self.download).status == .badRequest)
            for _ in 1...3 {
                let page = try await visit.press("ask_to_export", on: visit.overview)
                #expect(try await visit.browser.submit("download", on: page, at: Self.download).status == .ok)
            }
            let again = try await visit.press("ask_to_export", on: visit.overview)
            let often = try await visit.browser.press("download", on: again, at: Self.download)
            #expect(often.status == .tooManyRequests)
            #expect(often.headers[.retryAfter] != nil)
        }
    }

    @Test("An identity at a provider is removed after a question; the last way to sign in stays, and the page says why")
    func identity() async throws {
        try await withIdentity { server, visit in
            var visit = visit
            let page = try await visit.browser.open(BrowserOverHTTP.accountPage)
            let identity = [("identity", try Self.identity(on: page.text))]
            let stolen = try await visit.press("unlink", on: page, identity)
            #expect(stolen.text.contains("name=\"password\""), "a cookie removes nothing")
            let question = try await visit.press("ask_to_unlink", on: visit.overview, identity)
            #expect(question.text.contains("Remove “Example”?"), "\(question.text)")
            for _ in 0..<2 {
                let done = try await visit.press("unlink", on: question, identity)
                #expect(done.text.contains("You can no longer sign in that way."), "\(done.text)")
                #expect(!done.text.contains("name=\"identity\""))
            }
            #expect(try await server.count("SELECT COUNT(*) AS n FROM federated_identities") == 0)
            let unknown = try await visit.press("ask_to_unlink", on: visit.overview, [("identity", "AAAA")])
            #expect(unknown.status == .badRequest)
        }
    }

    @Test("The only way to sign in is not removed, and the page says why")
    func lastIdentity() async throws {
        try await withIdentity { server, visit in
            var visit = visit
            try await server.server.context.database.write {
                _ = try $0.execute(
                    "UPDATE accounts SET password = NULL, password_state = 'none', password_changed_at = NULL", [])
            }
            let page = try await visit.browser.open(BrowserOverHTTP.accountPage)
            let identity = [("identity", try Self.identity(on: page.text))]
            let question = try await visit.press("ask_to_unlink", on: visit.overview, identity)
            let refused = try await visit.press("unlink", on: question, identity)
            #expect(refused.status == .conflict, "\(refused.text)")
            #expect(refused.text.contains("Set a password first."))
            #expect(try await server.count("SELECT COUNT(*) AS n FROM federated_identities") == 1)
        }
    }

    /// Maria at her account's page, with an identity at a provider.
    private func withIdentity(_ body: @Sendable (TestServer, AccountPageVisit) async throws -> Void) async throws {
        let provider = StubProvider()
        try await TestServer.use(providers: provider.http) { server in
            try await server.makePublicClient()
            try await server.add(provider)
            try await server.serve { client in
                let visit = try await AccountPageVisit.begin(server, client)
                try await server.link("sub-1", to: "maria")
                try await body(server, visit)
            }
        }
    }

    private static func identity(on page: String) throws -> String {
        String(try #require(page.firstMatch(of: /name="identity" value="([^"]*)"/)).output.1)
    }
}

extension TestServer {
    /// Links a person at the stub provider to an account.
    fileprivate func link(_ subject: String, to username: String) async throws {
        let context = server.context
        let account = try await context.database.read {
            try #require(try Accounts.find(named: username, brand: "default", on: $0))
        }
        let provider = try #require(
            try await context.providerVault.find(ProviderID("example"), brand: BrandID("default")))
        let digest = provider.digest(of: subject)
        let record = FederatedIdentityRecord(
            brandID: "default", digest: digest, accountID: account.id, providerID: "example",
            subject: try IdentityVault(context.sealing).seal(subject, .subject, of: digest),
            linkedAt: SystemClock().now(), assertsAddress: false)
        try await context.database.write { _ = try FederatedIdentities.link(record, on: $0) }
    }
}
