import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// A guest whom a provider knows, and an older account of the same person.
struct TwoAccounts: Sendable {
    let provider: TestProvider
    let server: TestServer
    let app: TestApp
    let guest: AccountID
    let ada: AccountID

    static let merge: AdminRequest = ["account", "merge", "guest", "--into", "ada"]

    static func start(
        _ adjust: (inout AccountRegistration) -> Void = { _ in }
    ) async throws -> TwoAccounts {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider)
        let app = TestApp(client: try await server.publicClient())
        let ada = try await server.account("ada", adjust)
        let session = try await app.signIn(at: provider).guest()
        _ = try await app.createAccount(session, username: "guest").code()
        let guest = try #require(try await server.accountID("guest"))
        return TwoAccounts(provider: provider, server: server, app: app, guest: guest, ada: ada)
    }

    func record(of account: AccountID) async throws -> AccountRecord {
        let id = try #require(UniqueID(bytes: account.bytes))
        let found = try await server.context.database.read { try Accounts.find(id, on: $0) }
        return try #require(found)
    }

    /// The code and the sentence of the refusal; `nil` if the accounts were merged.
    func refusal(_ words: AdminRequest = merge) async throws -> (code: String?, line: String)? {
        let answer = await server.flows.administration.execute(words)
        return answer.refusal.map { ($0.code, $0.line) }
    }

    func recipients(_ kind: String) async throws -> Set<String> {
        Set(try await server.messages().filter { $0.kind == kind }.compactMap { try $0.content.string("to") })
    }
}

@Suite(
    "One person, two accounts", .covers("two accounts of one person become one (account merge)"),
    .threat("What an operator closes"))
struct AccountMergeTests {
    @Test("The identity at a provider opens the remaining account, alone without payments and changes for a while")
    func identity() async throws {
        let two = try await TwoAccounts.start()
        let answer = try await two.server.administer(TwoAccounts.merge)
        #expect(answer["accountId"]?.string == two.guest.rawValue)
        #expect(answer["mergedInto"]?.string == two.ada.rawValue)
        #expect(answer["moves"]?.strings == ["the identity at example"])
        let tokens = try await two.app.redeem(two.app.signIn(at: two.provider).code()).tokens()
        let claims = try await two.server.claims(of: tokens)
        #expect(claims.subject == two.ada.rawValue)
        #expect(claims.amr == ["fed"])
        let (id, now) = (try #require(UniqueID(bytes: two.ada.bytes)), two.server.clock.now())
        let (cooling, known) = try await two.server.context.database.read { connection in
            (
                try FederatedIdentities.cooling(of: id, now: now, on: connection),
                try FederatedIdentities.list(of: id, on: connection)
            )
        }
        #expect(cooling == now + two.server.context.settings.devices.coolingPeriod)
        #expect(known.map(\.assertsAddress) == [true])
    }

    @Test("attack: neither a confirmed address nor a number moves, with which another person could recover the account")
    func contacts() async throws {
        let two = try await TwoAccounts.start()
        for words in [
            ["account", "set-email", "guest", "--email", "ada@example.com", "--verified"],
            ["account", "set-phone", "guest", "--phone", "+359888123456", "--verified"],
        ] { try await two.server.administer(AdminRequest(words)) }
        let answer = try await two.server.administer(TwoAccounts.merge)
        #expect(answer["moves"]?.strings == ["the identity at example"])
        #expect(answer["ends"]?.strings?.prefix(2) == ["the e-mail address", "the phone number"])
        #expect(try await two.refusal(["account", "show", "ada@example.com"])?.code == "not_found")
        let shown = try await two.server.administer(["account", "show", "ada"])
        #expect(shown["email"] == nil && shown["phone"] == nil)
        let ada = try await two.record(of: two.ada)
        #expect(!ada.isRecoverable)
        #expect(try await two.recipients("accounts_merged") == ["ada@example.com", "+359888123456"])
    }

    @Test("An address of the remaining account stays, and both mailboxes get a message")
    func ownContacts() async throws {
        let two = try await TwoAccounts.start { $0.email = "ada@example.com" }
        for words in [
            ["account", "set-email", "guest", "--email", "guest@example.com", "--verified"],
            ["account", "set-phone", "guest", "--phone", "+359888123456"],
        ] { try await two.server.administer(AdminRequest(words)) }
        let answer = try await two.server.administer(TwoAccounts.merge)
        #expect(answer["ends"]?.strings?.prefix(2) == ["the e-mail address", "the phone number"])
        let shown = try await two.server.administer(["account", "show", "ada"])
        #expect(shown["email"] == "ada@example.com")
        #expect(shown["emailState"] == "unverified")
        #expect(shown["phone"] == nil)
        let told = try await two.recipients("accounts_merged")
        #expect(told.isSuperset(of: ["ada@example.com", "guest@example.com"]))
    }

    @Test("Consents and employments move except where the remaining account has its own; the audit log keeps which")
    func grants() async throws {
        let two = try await TwoAccounts.start()
        for id in ["one", "two"] { _ = try await two.server.confidentialClient(id) }
        for id in ["m", "n"] {
            try await two.server.administer(["merchant", "create", id, "--name", id])
            try await two.server.administer(["merchant", "add-employee", id, "guest"])
        }
        try await two.server.administer(["merchant", "add-employee", "m", "ada"])
        let guest = try #require(UniqueID(bytes: two.guest.bytes))
        let ada = try #require(UniqueID(bytes: two.ada.bytes))
        let now = two.server.clock.now()
        try await two.server.context.database.write { connection in
            for (account, client, scope) in [
                (guest, "one", "openid email"), (guest, "two", "openid"), (ada, "one", "openid"),
            ] {
                let consent = ClientConsentRecord(
                    accountID: account, clientID: client, id: try two.server.context.random.uniqueID(), scope: scope,
                    grantedAt: now, changedAt: now)
                _ = try ClientConsentRecords.add(consent, on: connection)
            }
        }
        let answer = try await two.server.administer(TwoAccounts.merge)
        #expect(answer["moves"]?.strings?.suffix(2) == ["the access of two", "the employment at n"])
        #expect(answer["ends"]?.strings?.first == "the access of one")
        let (consents, employers) = try await two.server.context.database.read { connection in
            (
                try ClientConsentRecords.list(of: ada, on: connection),
                try Merchants.employers(of: ada, on: connection)
            )
        }
        #expect(
            Dictionary(uniqueKeysWithValues: consents.map { ($0.clientID, $0.scope) }) == [
                "one": "openid", "two": "openid",
            ])
        #expect(employers == ["m", "n"])
        let tail = try await two.server.administer(["audit", "tail", "--kind", "account.absorbed", "--limit", "1"])
        let details = tail["entries"]?.array?.first?.object?["details"]?.object
        #expect(details?["providers"]?.strings == ["example"])
        #expect(details?["clients"]?.strings == ["two"])
        #expect(details?["merchants"]?.strings == ["n"])
    }

    @Test("Everything else of the account ends: name, password, sessions, devices, keys and factors")
    func ends() async throws {
        let two = try await TwoAccounts.start()
        let device = try await TestDevice.signedIn(two.guest, two.app.client)
        _ = try await device.enrolled(two.guest)
        let guest = try #require(UniqueID(bytes: two.guest.bytes))
        try await two.server.administer(TwoAccounts.merge)
        let (left, own) = try await two.server.context.database.read { connection in
            (
                try Devices.list(of: guest, on: connection).count,
                try Sessions.list(of: guest, limit: 10, on: connection).filter { $0.ended == nil }.count
            )
        }
        #expect(left == 0 && own == 0)
        #expect(
            try await two.app.client.refresh(try #require(device.tokens.refreshToken), proof: device.app.key).refusal
                != nil)
        let record = try await two.record(of: two.guest)
        #expect(record.state == .erased)
        #expect(record.mergedInto?.bytes == two.ada.bytes)
        #expect(try await two.server.administer(["device", "list", "ada"])["devices"]?.array?.isEmpty == true)
        _ = try await two.server.account("guest")
        #expect(try await two.refusal(["account", "reactivate", "--account", two.guest.rawValue])?.code == "no_change")
    }

    @Test("The samples of every table leave the merged account as an erasure would, or are the remaining one's")
    func rows() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let (from, into) = (try await server.account("guest"), try await server.account("ada"))
        let account = try #require(UniqueID(bytes: from.bytes))
        try await server.context.database.write { connection in
            try RestoreEffectTests.insertSamples(of: account, on: connection)
            for table in ["operators", "operator_invitations", "operator_requests", "provisioned_accounts"] {
                try connection.execute("DELETE FROM \(table) WHERE account_id = $1", [.id(account)])
            }
            // The sample cannot be opened, as an open operation has to be.
            try connection.execute("UPDATE wallet_operations SET expires_at = 1", [])
        }
        try await server.administer(TwoAccounts.merge)
        let remaining = try #require(UniqueID(bytes: into.bytes))
        let (left, moved) = try await server.context.database.read { connection in
            (
                try ErasureTests.tables(with: account, on: connection),
                try ErasureTests.tables(with: remaining, on: connection)
            )
        }
        #expect(left.isSubset(of: ["devices", "login_nonces", "security_events", "sessions", "wallet_operations"]))
        #expect(
            moved.isSuperset(of: ["client_consents", "federated_identities", "loyalty_accounts", "merchant_employees"]))
        // What is bound to the former account by what was signed for it never becomes another's.
        let bound: Set = [
            "account_information_consents", "account_pins", "devices", "passkeys", "recovery_codes", "sca_history",
            "secret_questions", "sessions", "totp_secrets", "transactions", "trusted_payees", "wallet_operations",
        ]
        #expect(moved.isDisjoint(with: bound))
    }

    @Test("A dry run says what would move and end, and changes nothing")
    func dryRun() async throws {
        let two = try await TwoAccounts.start()
        let before = [try await two.record(of: two.guest), try await two.record(of: two.ada)]
        let planned = await two.server.flows.administration.execute(
            ["account", "merge", "guest", "--into", "ada", "--dry-run"])
        #expect(
            planned.lines == [
                "Account \(two.guest.rawValue) would be merged into \(two.ada.rawValue).",
                "Moves: the identity at example.", "Ends: all sessions.",
            ])
        let after = [try await two.record(of: two.guest), try await two.record(of: two.ada)]
        #expect(before == after)
        #expect(try await two.recipients("accounts_merged").isEmpty)
    }

    @Test("A dry run says that codes by e-mail are no second factor any more after the remaining account's providers")
    func emailAfterProvider() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider, emailIsSecondFactor: true)
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.createAccount(app.signIn(at: provider).guest(), username: "guest").code()
        let session = try await app.signIn(at: provider, as: "sub-2").guest()
        let made = try await app.createAccount(session, username: "ada") {
            $0.email = try EmailAddress("ada@elsewhere.example")
        }
        _ = try await app.proceed(#require(made.refusal?.session), .emailCode(server.emailedCode())).code()
        let merge: AdminRequest = ["account", "merge", "guest", "--into", "ada", "--dry-run"]
        let planned = try await server.administer(merge)
        let noun = "codes to the remaining account's e-mail address as a second factor after its providers"
        #expect(planned["ends"]?.strings?.contains(noun) == true)
        // Here they are none anyway.
        try await server.administer(
            ["account", "set-email", "ada", "--email", "ada@third.example", "--verified"])
        let again = try await server.administer(merge)
        #expect(again["ends"]?.strings?.contains(noun) == false)
    }

    @Test("Both are named in each other's report, and support reads why the one cannot sign in")
    func reports() async throws {
        let two = try await TwoAccounts.start()
        try await two.server.administer(TwoAccounts.merge)
        let (guest, ada) = (two.guest.rawValue, two.ada.rawValue)
        let explained = await two.server.flows.administration.execute(["account", "explain", "--account", guest])
        #expect(
            explained.lines.first
                == "The account \(guest) cannot sign in: the account was merged into the account \(ada), which the person "
                + "signs in to.")
        #expect(try await two.server.administer(["account", "show", "--account", guest])["mergedInto"]?.string == ada)
        let shown = try await two.server.administer(["account", "show", "ada"])
        #expect(shown["mergedAccounts"]?.strings == [guest])
        #expect(shown["hindrances"] == nil)
        let exported = try await two.server.administer(["account", "export", "ada"])
        #expect(exported["mergedAccounts"]?.strings == [guest])
    }

    @Test("Accounts that were merged into a merged account are named, too")
    func chain() async throws {
        let two = try await TwoAccounts.start()
        let eve = try await two.server.account("eve")
        try await two.server.administer(TwoAccounts.merge)
        try await two.server.administer(["account", "merge", "ada", "--into", "eve"])
        for command in ["show", "export"] {
            let answer = try await two.server.administer(AdminRequest(["account", command, "eve"]))
            let merged = Set(answer["mergedAccounts"]?.strings ?? [])
            #expect(merged == [two.guest.rawValue, two.ada.rawValue], "\(command)")
        }
        let middle = try await two.server.administer(["account", "show", "--account", two.ada.rawValue])
        #expect(middle["mergedInto"]?.string == eve.rawValue)
    }

    @Test("The audit log has the merge at both accounts, and verifies without the details of the one that ended")
    func audit() async throws {
        let two = try await TwoAccounts.start()
        try await two.server.administer(TwoAccounts.merge)
        let verification = try await two.server.verifyAudit()
        #expect(verification.findings.isEmpty)
        for (kind, account, detail, other) in [
            ("account.merged", two.guest, "merged_into", two.ada),
            ("account.absorbed", two.ada, "merged_from", two.guest),
        ] {
            let tail = try await two.server.administer(["audit", "tail", "--kind", kind, "--limit", "10"])
            let entries = tail["entries"]?.array?.compactMap(\.object) ?? []
            #expect(entries.map { $0["accountId"]?.string } == [account.rawValue])
            #expect(entries.first?["details"]?.object?[detail]?.string == other.rawValue)
        }
    }
}
