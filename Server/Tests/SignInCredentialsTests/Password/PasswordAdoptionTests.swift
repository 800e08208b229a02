import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Taking over passwords from a former system", .threat("Password guessing", "Account enumeration"),
    .covers("account import"))
struct PasswordAdoptionTests {
    private static let password = "correct horse battery"

    private struct Setting {
        let old: FormerSystem
        let server: TestServer
        let client: TestClient
        let waits: RecordedWaits

        func signIn(
            _ name: String = "ada", _ password: String = PasswordAdoptionTests.password, from address: String? = nil
        ) async throws -> NativeSignInOutcome {
            var app = TestApp(client: client)
            if let address { app.address = address }
            return try await app.signIn(name, password: password)
        }

        func adopted() async throws -> Int {
            try await server.context.database.read { connection in
                try connection.query(
                    "SELECT id FROM security_events WHERE kind = 'account.password_adopted' LIMIT 9", []
                ).count
            }
        }
    }

    /// Ada was imported without a hash, and the former system knows her under a name in capitals.
    private func setUp(
        until: String = "2027-01-20", _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> Setting {
        let (old, waits) = (FormerSystem(), RecordedWaits())
        old.add("Ada", password: Self.password, subject: "7")
        let server = try await TestServer.start(providers: old.http) {
            $0.adoption = waits.timing()
            adjust(&$0)
        }
        let client = try await server.publicClient()
        let line = JSONObject(strings: ["username": "Ada", "externalId": "7"])
        #expect(try await server.importBatch([line], ["--first"]).importCounts() == [1, 0, 0])
        try await server.administer([
            "provider", "add", "repository", "old", "--endpoint", FormerSystem.verify, "--adopt-passwords", "--until",
            until,
        ])
        old.forgetRequests()
        return Setting(old: old, server: server, client: client, waits: waits)
    }

    @Test("The first right password is stored, and the former system is never asked about the account again")
    func adopts() async throws {
        let setting = try await setUp()
        _ = try await setting.signIn().code()
        #expect(setting.old.names == ["Ada"], "as the import wrote it, however it is typed")
        #expect(try await setting.adopted() == 1)
        #expect(setting.waits.all.isEmpty, "only failures wait")
        _ = try await setting.signIn().code()
        #expect(try await setting.signIn("ada", "another horse").errorCode == "invalid_credentials")
        #expect(setting.old.requests.count == 1)
        let shown = try await setting.server.administer(["provider", "show", "old"])
        #expect(shown["adoptsPasswordsUntil"]?.string == "2027-01-20")
    }

    @Test("attack: strangers' names, and accounts that have a password or are closed, are not asked about")
    func strangers() async throws {
        let setting = try await setUp()
        _ = try await setting.server.account("bob")
        let closed = JSONObject(strings: ["username": "cyd", "externalId": "8"])
        _ = await setting.server.importBatch([closed], run: "b", ["--first"])
        try await setting.server.administer(["account", "deactivate", "cyd"])
        for name in ["eve", "bob", "cyd"] {
            #expect(try await setting.signIn(name, "wrong horse").errorCode == "invalid_credentials")
        }
        #expect(setting.old.requests.isEmpty)
    }

    @Test("attack: a wrong password waits as long for a person to move, one who has moved, and no one at all")
    func timing() async throws {
        let setting = try await setUp()
        _ = try await setting.server.account("bob")
        let timing = setting.server.context.settings.adoption
        for (number, name) in ["ada", "bob", "eve"].enumerated() {
            setting.waits.forget()
            let (hashes, app) = (setting.server.context.passwords.hashesComputed, "198.51.100.\(number + 1)")
            let outcome = try await setting.signIn(name, "wrong horse", from: app)
            #expect(outcome.errorCode == "invalid_credentials" && outcome.refusal?.status == 401)
            #expect(setting.waits.all.count == 1 && setting.waits.all[0] <= timing.window, "\(name)")
            #expect(setting.server.context.passwords.hashesComputed - hashes == 1, "\(name)")
        }
        #expect(setting.old.requests.first?.timeout == timing.limit)
        #expect(timing.limit < timing.window, "an answer that comes late is waited for no longer than any")
    }

    @Test(
        "attack: an answer that means nothing opens nothing, and looks like a wrong password",
        arguments: [
            (302, ""), (500, ""), (200, ""), (200, "no JSON"), (200, #"{"verified":true,"subject":"7"}"#),
            (200, #"{"requestId":"other","verified":true,"subject":"7"}"#),
        ])
    func nonsense(status: Int, body: String) async throws {
        let setting = try await setUp()
        setting.old.answer { _ in ProviderHTTP.Answer(status: status, body: Array(body.utf8)) }
        let outcome = try await setting.signIn()
        #expect(outcome.errorCode == "invalid_credentials" && outcome.refusal?.status == 401)
        #expect(setting.waits.all.count == 1)
        #expect(setting.old.requests.count == 1, "no redirect is followed, and nothing is asked twice")
        #expect(try await setting.adopted() == 0)
    }

    @Test("attack: a yes about another person than the account's holder opens nothing")
    func otherPerson() async throws {
        let setting = try await setUp()
        // The account was made here, and its name is another person's there.
        _ = try await setting.server.account("mallory", password: nil)
        setting.old.add("mallory", password: Self.password, subject: "99")
        #expect(try await setting.signIn("mallory").errorCode == "invalid_credentials")
        // The names were swapped there since.
        setting.old.add("Ada", password: Self.password, subject: "8")
        #expect(try await setting.signIn().errorCode == "invalid_credentials")
        #expect(try await setting.adopted() == 0)
    }

    @Test("An account that was imported without an id is known by its name")
    func byName() async throws {
        let setting = try await setUp()
        let line = JSONObject(strings: ["username": "bob"])
        _ = await setting.server.importBatch([line], run: "b", ["--first"])
        setting.old.add("bob", password: Self.password, subject: "whatever")
        _ = try await setting.signIn("bob").code()
        #expect(try await setting.adopted() == 1)
    }

    @Test("attack: the password of a name that differs in case there opens no account that was imported without an id")
    func otherSpelling() async throws {
        let setting = try await setUp()
        _ = await setting.server.importBatch([JSONObject(strings: ["username": "gus"])], run: "b", ["--first"])
        setting.old.add("gus", password: Self.password, subject: "8")
        setting.old.add("GUS", password: "a better horse battery", subject: "9")
        let other = try await setting.signIn("GUS", "a better horse battery")
        #expect(other.errorCode == "invalid_credentials")
        #expect(setting.old.names == ["gus"])
        _ = try await setting.signIn("GUS").code()
    }

    @Test("attack: the former system hears five guesses at an account, from however many networks, and then none")
    func guesses() async throws {
        let setting = try await setUp()
        for number in 1...8 {
            let outcome = try await setting.signIn("ada", "wrong horse", from: "198.51.100.\(number)")
            #expect(outcome.errorCode == "invalid_credentials")
        }
        #expect(setting.old.requests.count == 5)
        #expect(
            try await setting.signIn(from: "203.0.113.9").errorCode == "invalid_credentials", "not even the right one")
        #expect(setting.old.requests.count == 5)
    }

    @Test("attack: a network that has failed too often asks nothing")
    func network() async throws {
        let setting = try await setUp { $0.lockout.network.failures = 3 }
        for number in 0..<3 { _ = try await setting.signIn("nobody\(number)", "wrong horse") }
        #expect(try await setting.signIn().refusal?.status == 429)
        #expect(setting.old.requests.isEmpty)
    }

    /// Five failures or more at an account with a password, at a name without an account, and at the person who has yet to move.
    private func failOften(_ setting: Setting, status: Int) async throws {
        for (number, name) in ["bob", "eve", "ada"].enumerated() {
            for attempt in 1...7 {
                setting.waits.forget()
                let address = "198.51.100.\(10 * number + attempt)"
                let refusal = try await setting.signIn(name, "wrong horse", from: address).refusal
                #expect(refusal?.status == status, "\(name)")
                #expect(setting.waits.all.count == 1, "\(name)")
            }
        }
    }

    @Test(
        "attack: while the former system is down, every wrong password says so, and afterwards the person who moves is not slowed"
    )
    func down() async throws {
        let setting = try await setUp()
        _ = try await setting.server.account("bob")
        setting.old.fail()
        let first = try await setting.signIn().refusal
        #expect(first?.status == 503 && first?.error == "temporarily_unavailable")
        #expect(first?.retryAfter == PasswordAdoption.retryAfter)
        #expect(first?.explanation(of: .password).contains("not possible right now") == true)
        try await failOften(setting, status: 503)
        _ = try await setting.signIn(from: "203.0.113.9").refusal
        #expect(try await setting.adopted() == 0)
        setting.old.fail(false)
        // Neither the answer nor its time tells that others are slowed.
        for name in ["bob", "eve", "ada"] {
            setting.waits.forget()
            let outcome = try await setting.signIn(name, "wrong horse", from: "203.0.113.10")
            #expect(outcome.errorCode == "invalid_credentials" && setting.waits.all.count == 1, "\(name)")
        }
        #expect(try await setting.signIn("bob", Self.password, from: "203.0.113.11").errorCode == "invalid_credentials")
        _ = try await setting.signIn(from: "203.0.113.11").code()
    }

    @Test(
        "attack: a single question without an answer looks like a wrong password, and counts against the network alone")
    func unanswered() async throws {
        let setting = try await setUp()
        _ = try await setting.server.account("bob")
        setting.old.answer { _ in throw ProviderFailure("it took too long") }
        try await failOften(setting, status: 401)
        #expect(setting.old.requests.count == 7, "none of them slowed the next")
        setting.old.answer { FormerSystem.yes(to: try JSONValue.object(parsing: $0.body), subject: "7") }
        _ = try await setting.signIn(from: "203.0.113.9").code()
    }

    @Test("attack: guesses during an outage count against their network")
    func outageFromOneNetwork() async throws {
        let setting = try await setUp { $0.lockout.network.failures = 3 }
        setting.old.fail()
        for _ in 0..<3 { #expect(try await setting.signIn("ada", "wrong horse").refusal?.status == 503) }
        #expect(try await setting.signIn().refusal?.status == 429)
    }

    @Test("On a device that the account knows, an outage is no failure, and the former system is asked nothing else")
    func knownDevice() async throws {
        let setting = try await setUp()
        let account = try #require(try await setting.server.accountID())
        let known = try await TestDevice.signedIn(account, setting.client)
        let id = try await known.enrolled(account).id
        setting.old.fail()
        for _ in 1...12 {
            #expect(try await known.signIn(as: id, password: "wrong horse").refusal?.status == 503)
        }
        setting.old.fail(false)
        _ = try await known.signIn(as: id, password: Self.password).code()
        #expect(setting.old.checks == 0)
    }

    @Test("A wrong password reads nothing of the brand's providers for a while, and a change of them applies at once")
    func remembered() async throws {
        let setting = try await setUp()
        let (server, now) = (setting.server, setting.server.clock.now())
        let brand = try BrandID("default")
        #expect(try await setting.signIn("ada", "wrong horse").errorCode == "invalid_credentials")
        // Behind the server's back.
        try await server.context.database.write {
            _ = try IdentityProviders.remove("old", brand: brand.rawValue, on: $0)
        }
        #expect(try await server.context.formerSystems.repository(of: brand, now: now) != nil)
        server.clock.advance(by: server.context.settings.clientCacheLifetime + .seconds(1))
        #expect(try await setting.signIn("ada", "wrong horse").errorCode == "invalid_credentials")
        #expect(setting.old.requests.count == 1)
        // That there is none is remembered as well, until one is added.
        #expect(try await server.context.formerSystems.repository(of: brand, now: server.clock.now()) == nil)
        try await server.administer([
            "provider", "add", "repository", "old", "--endpoint", FormerSystem.verify, "--adopt-passwords", "--until",
            "2027-01-20",
        ])
        setting.old.forgetRequests()
        _ = try await setting.signIn().code()
        try await server.administer(["provider", "remove", "old"])
        #expect(try await server.context.formerSystems.repository(of: brand, now: server.clock.now()) == nil)
    }

    @Test("attack: while strangers hold every place, all passwords on new devices get one answer, and none is counted")
    func crowded() async throws {
        let setting = try await setUp { $0.adoption.places = 1 }
        let (server, old) = (setting.server, setting.old)
        let line = JSONObject(strings: ["username": "bob", "externalId": "8"])
        _ = await server.importBatch([line], run: "b", ["--first"])
        _ = try await server.account("cyd")
        let known = TestApp(client: setting.client)
        _ = try await known.redeem(known.signIn("cyd").code()).tokens()
        old.answer { request in
            // The question holds the only place.
            let (hashes, counters) = (server.context.passwords.hashesComputed, try await server.rows(of: "attempts"))
            for (name, password) in [
                ("ada", Self.password), ("bob", "wrong horse"), ("cyd", "wrong horse"), ("cyd", Self.password),
                ("eve", "wrong horse"),
            ] {
                let refusal = try await setting.signIn(name, password, from: "198.51.100.7").refusal
                #expect(refusal?.status == 503 && refusal?.error == "temporarily_unavailable", "\(name)")
            }
            #expect(server.context.passwords.hashesComputed == hashes, "nothing is compared, so there is no free guess")
            #expect(try await server.rows(of: "attempts") == counters)
            _ = try await known.signIn("cyd").code()
            return FormerSystem.yes(to: try JSONValue.object(parsing: request.body), subject: nil)
        }
        #expect(try await setting.signIn("ada", "wrong horse").errorCode == "invalid_credentials")
        #expect(old.requests.count == 1)
        old.answer { FormerSystem.yes(to: try JSONValue.object(parsing: $0.body), subject: "7") }
        _ = try await setting.signIn().code()
    }

    @Test("attack: requests to the host of the former system do not use up the places of its passwords")
    func manyQuestions() async throws {
        let setting = try await setUp()
        let count = 17
        let lines = (1...count).map { JSONObject(strings: ["username": "p\($0)", "externalId": "p\($0)"]) }
        _ = await setting.server.importBatch(lines, run: "b", ["--first"])
        setting.old.answer { request in
            // Each question waits for the next one.
            let number = setting.old.requests.count
            if number < count {
                let next = try await setting.signIn("p\(number + 1)", "wrong horse", from: "\(20 + number).0.2.1")
                #expect(next.errorCode == "invalid_credentials")
            }
            return FormerSystem.yes(to: try JSONValue.object(parsing: request.body), subject: nil)
        }
        #expect(try await setting.signIn("p1", "wrong horse").errorCode == "invalid_credentials")
        #expect(setting.old.requests.count == count)
    }

    @Test("Two sign-ins at once are both right, and one password is stored")
    func race() async throws {
        let setting = try await setUp()
        async let first = setting.signIn()
        async let second = setting.signIn()
        _ = try await (first.code(), second.code())
        #expect(try await setting.adopted() == 1)
    }

    @Test("attack: a password that an operator sets during the question is not replaced by the former one")
    func overtaken() async throws {
        let setting = try await setUp()
        let (server, old) = (setting.server, setting.old)
        old.answer { request in
            try await server.administer(
                AdminRequest(["account", "set-password", "ada"], input: "a better horse battery"))
            return FormerSystem.yes(to: try JSONValue.object(parsing: request.body), subject: "7")
        }
        #expect(try await setting.signIn().errorCode == "invalid_credentials")
        #expect(try await setting.adopted() == 0)
        _ = try await setting.signIn("ada", "a better horse battery").code()
    }

    @Test("A password that everyone knows is taken over, and has to be changed at once")
    func common() async throws {
        let setting = try await setUp()
        setting.old.add("Ada", password: "password123", subject: "7")
        #expect(try await setting.signIn("ada", "password123").errorCode == "password_change_required")
    }

    @Test("After its last day the former system is not asked, no failure waits, and the check and the doctor say so")
    func ended() async throws {
        let setting = try await setUp()
        setting.server.clock.advance(by: .days(6))
        #expect(try await setting.signIn().errorCode == "invalid_credentials")
        #expect(setting.old.requests.isEmpty && setting.waits.all.isEmpty)
        let check = await setting.server.flows.administration.execute(AdminRequest(["provider", "check", "old"]))
        #expect(check.lines.joined().contains("2027-01-20"), "\(check.lines)")
        let examined = try await setting.server.administer(["provider", "examine"])
        #expect(examined["providers"]?.array?.first?.object?["adoptionEnded"]?.string == "2027-01-20")
        #expect(setting.old.requests.isEmpty)
    }

    @Test("attack: an app cannot name the former system as a provider, which would be a second count of guesses")
    func noProvider() async throws {
        let setting = try await setUp()
        let login = FederatedLogin(
            provider: try ProviderID("old"), credential: .password(username: "Ada", try Password(Self.password)))
        let outcome = try await TestApp(client: setting.client).step(.begin(.federatedIdentity(login)))
        guard case .invalid(.invalidRequest) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(setting.old.requests.isEmpty)
    }

    @Test("A brand has one such system, and its last day is a day to come")
    func registration() async throws {
        let setting = try await setUp()
        func add(_ options: String...) async -> AdministrationAnswer {
            let words = ["provider", "add", "repository", "other", "--endpoint", FormerSystem.verify] + options
            return await setting.server.flows.administration.execute(AdminRequest(words))
        }
        #expect(await add("--adopt-passwords", "--until", "2027-02-28").refusal?.code == "taken")
        try await setting.server.administer(["provider", "remove", "old"])
        for day in ["2027-02-30", "2027-1-20", "tomorrow", "2027-01-14"] {
            #expect(await add("--adopt-passwords", "--until", day).status == .refused, "\(day)")
        }
        #expect(await add("--adopt-passwords").status == .refused)
        #expect(await add("--until", "2027-02-28").status == .refused)
        #expect(await add("--adopt-passwords", "--until", "2027-01-15").status == .done, "today ends at midnight")
    }
}
