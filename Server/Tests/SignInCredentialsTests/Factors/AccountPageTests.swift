import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("The account's own page", .threat("The account's own page"))
struct AccountPageTests {
    private func setUp(phone: String? = nil) async throws -> (server: TestServer, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: phone)
        return (server, TestBrowser(server))
    }

    /// The wrong six digits.
    private func wrong(_ right: OneTimeCode) throws -> OneTimeCode {
        try OneTimeCode(right.reveal() == "000000" ? "000001" : "000000")
    }

    @Test("Behind a sign-in it shows what the account has; to a cookie alone, addresses in part only")
    func overview() async throws {
        let (server, browser) = try await setUp(phone: "+359888123456")
        let asked = try await browser.openAccount().page()
        #expect(asked.purpose == .account)
        #expect(asked.step == .credentials(username: nil))
        let page = try await browser.signIn(on: asked)
        let overview = try #require(page.overview)
        #expect(overview.username == "ada")
        #expect(overview.email == "ada@example.com")
        #expect(overview.isEmailConfirmed)
        #expect(overview.phone == "+359888123456")
        #expect(!overview.hasAuthenticator)
        #expect(overview.recoveryCodes == 0)
        #expect(overview.mayMakeRecoveryCodes)
        #expect(overview.devices.isEmpty)
        // The cookie opens it from then on; and no app has a session.
        let again = try await browser.openAccount().accountPage()
        var masked = overview
        (masked.email, masked.phone) = ("a…@example.com", "…56")
        for index in masked.sessions.indices { masked.sessions[index].session.network = nil }
        masked.asksBeforeChanges = true
        #expect(again.overview == masked)
        #expect(try await server.rows(of: "sessions") == 0)
    }

    @Test("An authenticator app is set up behind the sign-in; a wrong code asks again for the same secret")
    func authenticator() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let waiting = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        let setup = try waiting.setup()
        #expect(setup.uri.reveal().hasPrefix("otpauth://totp/Wallet:ada?secret=\(setup.secret.reveal())"))
        let right = try server.code(of: setup)
        let refused = try await browser.press(.confirmAuthenticator(wrong(right)), on: waiting).accountPage()
        #expect(refused.notice == .invalidCode)
        #expect(try refused.setup() == setup)
        let malformed = try await browser.press(.confirmAuthenticator(nil), on: refused).accountPage()
        #expect(malformed.notice == .invalidCode)
        let done = try await browser.press(.confirmAuthenticator(right), on: malformed).accountPage()
        #expect(done.notice == .authenticatorOn)
        #expect(done.overview?.hasAuthenticator == true)
        #expect(try await server.messages().contains { $0.kind == "totp_added" })
        // A double click, of which the browser shows the second response.
        let repeated = try await browser.press(.confirmAuthenticator(right), on: malformed).accountPage()
        #expect(repeated.notice == .authenticatorOn)
        #expect(try await server.messages().count { $0.kind == "totp_added" } == 1)
        // The form stays in the browser's history: nothing waits for another code, or for the same one later.
        let other = try await browser.press(.confirmAuthenticator(wrong(right)), on: malformed).accountPage()
        #expect(other.notice == .nothingPending)
        server.clock.advance(by: .seconds(31))
        let late = try await browser.press(.confirmAuthenticator(right), on: malformed).accountPage()
        #expect(late.notice == .nothingPending)

        let client = try await server.publicClient()
        let asked = try await TestBrowser(server).signIn(client.request()).page()
        guard case .secondFactor(let factor) = asked.step else {
            Issue.record("no second factor: \(asked.step)")
            return
        }
        #expect(factor.kind == .totp)
    }

    @Test("Recovery codes are made behind two factors, and the ones before are void")
    func recoveryCodes() async throws {
        let (server, browser) = try await setUp()
        var page = try await browser.signIn(on: browser.openAccount().page())
        let first = try await browser.press(.makeRecoveryCodes, on: page).accountPage()
        let codes = try first.codes()
        #expect(!first.namesOldCodes)
        #expect(codes.count == RecoveryCodeFormat.count)
        #expect(try await server.messages().contains { $0.kind == "recovery_codes_made" })
        page = try await browser.press(.show, on: first).accountPage()
        #expect(page.overview?.recoveryCodes == 10)
        #expect(!(try await server.messages().contains { $0.kind == "recovery_codes_replaced" }))
        let second = try await browser.press(.makeRecoveryCodes, on: page).accountPage()
        #expect(second.namesOldCodes)
        #expect(try await server.messages().count { $0.kind == "recovery_codes_replaced" } == 1)
        // A double click, of which the browser shows the second response.
        #expect(try await browser.press(.makeRecoveryCodes, on: page).accountPage().namesOldCodes)
        #expect(try await server.rows(of: "recovery_codes") == 10)
        let account = try #require(try await server.accountID())
        let record = try #require(UniqueID(bytes: account.bytes))
        let old = RecoveryCodeFormat.digest(of: codes[0].reveal(), account: record)
        let new = RecoveryCodeFormat.digest(of: try second.codes()[0].reveal(), account: record)
        let spent = try await server.context.database.write { connection in
            try [old, new].map { try RecoveryCodes.spend(#require($0), of: record, on: connection) }
        }
        #expect(spent == [false, true])
    }

    @Test("attack: stolen cookies alone change nothing; every change asks for the sign-in again")
    func stolenCookies() async throws {
        let (server, browser) = try await setUp()
        _ = try await browser.signIn(on: browser.openAccount().page())
        let thief = TestBrowser(server)
        thief.cookies = browser.cookies
        let seen = try await thief.openAccount().accountPage()
        #expect(seen.overview != nil)
        for action in [
            AccountPage.Action.setUpAuthenticator, .makeRecoveryCodes, .confirmAuthenticator(nil),
        ] {
            let page = try await thief.press(action, on: seen).page()
            #expect(page.purpose == .accountChange)
            #expect(page.step == .credentials(username: "ada"))
            // The password that goes with them is not enough either: the browser is known, and is asked all the same.
            let asked = try await thief.typePassword(on: page).page()
            guard case .secondFactor = asked.step else {
                Issue.record("no second factor: \(asked.step)")
                return
            }
            thief.cookies = browser.cookies
        }
        #expect(try await server.rows(of: "totp_secrets") == 0)
        #expect(try await server.rows(of: "recovery_codes") == 0)
    }

    @Test("A page that the cookie opened changes something once its person has signed in again, and goes on to it")
    func signInAgain() async throws {
        let (server, browser) = try await setUp()
        _ = try await browser.signIn(on: browser.openAccount().page())
        server.clock.advance(by: .minutes(30))
        let seen = try await browser.openAccount().accountPage()
        let asked = try await browser.press(.setUpAuthenticator, on: seen).page()
        let waiting = try await browser.signIn(on: asked)
        let right = try server.code(of: waiting.setup())
        let done = try await browser.press(.confirmAuthenticator(right), on: waiting).accountPage()
        #expect(done.notice == .authenticatorOn)
    }

    @Test("A sign-in that is not minutes old any more is asked for again, also on the page that followed upon it")
    func stale() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        server.clock.advance(by: .minutes(6))
        for action in [AccountPage.Action.setUpAuthenticator, .makeRecoveryCodes] {
            let asked = try await browser.press(action, on: page).page()
            #expect(asked.purpose == .accountChange)
        }
        #expect(try await server.rows(of: "totp_secrets") == 0)
        #expect(try await server.rows(of: "recovery_codes") == 0)
    }

    @Test("A sign-in by the password alone is too weak where the account has more, whatever the brand asks of browsers")
    func weak() async throws {
        let (server, browser) = try await setUp()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let page = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        for action in [AccountPage.Action.setUpAuthenticator, .makeRecoveryCodes] {
            let factor = try await browser.press(action, on: page).page()
            guard case .secondFactor = factor.step else {
                Issue.record("no second factor: \(factor.step)")
                return
            }
        }
        #expect(try await server.rows(of: "totp_secrets") == 0)
        #expect(try await server.rows(of: "recovery_codes") == 0)
    }

    @Test("With nothing but a password one sets up an authenticator app, and recovery codes only after that")
    func firstFactor() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let browser = TestBrowser(server)
        let page = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        #expect(page.overview?.mayMakeRecoveryCodes == false)
        let asked = try await browser.press(.makeRecoveryCodes, on: page).page()
        let refused = try await browser.typePassword(on: asked).accountPage()
        #expect(refused.notice == .strongerSignInNeeded)
        #expect(try await server.rows(of: "recovery_codes") == 0)
        let waiting = try await browser.press(.setUpAuthenticator, on: refused).accountPage()
        let done = try await browser.press(
            .confirmAuthenticator(server.code(of: waiting.setup())), on: waiting
        ).accountPage()
        #expect(done.notice == .authenticatorOn)
        #expect(done.overview?.mayMakeRecoveryCodes == true)
        let again = try await browser.press(.makeRecoveryCodes, on: done).page()
        #expect(again.purpose == .accountChange)
    }

    @Test("A passkey of a former domain is not asked for: the password alone sets up an authenticator app")
    func formerDomain() async throws {
        let server = try await TestServer.start()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        let id = try server.context.random.uniqueID()
        let passkey = PasskeyRecord(
            id: id, credentialID: [UInt8](repeating: 7, count: 32), accountID: account, relyingParty: "old.example.com",
            publicKey: [1], counter: 0, isBackupEligible: true, isBackedUp: true, transports: ["internal"],
            name: try PasskeyVault(server.context.sealing).seal("Laptop", .name, of: id),
            createdAt: server.clock.now(), coolingUntil: server.clock.now())
        _ = try await server.context.database.write { try Passkeys.add(passkey, limit: 20, on: $0) }
        let browser = TestBrowser(server)
        let page = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        #expect(page.overview?.passkeys == 0)
        #expect(page.overview?.mayMakeRecoveryCodes == false)
        server.clock.advance(by: .minutes(5))
        let asked = try await browser.press(.setUpAuthenticator, on: page).page()
        let waiting = try await browser.typePassword(on: asked).accountPage()
        #expect(try !waiting.setup().secret.reveal().isEmpty)
    }

    @Test("attack: a page under the cookie of another account changes nothing of either")
    func anotherAccount() async throws {
        let (server, browser) = try await setUp()
        _ = try await server.reachableAccount("eve")
        let page = try await browser.signIn(on: browser.openAccount().page())
        let waiting = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        server.clock.advance(by: .seconds(1))
        let other = TestBrowser(server)
        _ = try await other.signIn(on: other.openAccount().page(), "eve")
        let code = try server.code(of: waiting.setup())
        for action in [
            AccountPage.Action.setUpAuthenticator, .makeRecoveryCodes, .confirmAuthenticator(code),
        ] {
            browser.cookies.session = other.cookies.session
            let asked = try await browser.press(action, on: page).page()
            #expect(asked.step == .credentials(username: "eve"))
        }
        #expect(try await server.rows(of: "totp_secrets") == 1)
        #expect(try await server.rows(of: "recovery_codes") == 0)
    }

    @Test("attack: what one sign-in began no other confirms, and no other is shown")
    func anotherSession() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let waiting = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        server.clock.advance(by: .seconds(61))
        let other = TestBrowser(server)
        let theirs = try await other.signIn(on: other.openAccount().page())
        let code = try server.code(of: waiting.setup())
        let confirmed = try await other.press(.confirmAuthenticator(code), on: theirs).accountPage()
        #expect(confirmed.notice == .nothingPending)
        let shown = try await other.press(.confirmAuthenticator(nil), on: theirs).accountPage()
        #expect(shown.notice == .nothingPending)
    }

    @Test("attack: a form that is sent again makes no second change")
    func replay() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let codes = try await browser.press(.makeRecoveryCodes, on: page).accountPage().codes().map { $0.reveal() }
        // A double click, of which the browser shows the second response.
        let repeated = try await browser.press(.makeRecoveryCodes, on: page).accountPage().codes().map { $0.reveal() }
        #expect(repeated == codes)
        server.clock.advance(by: .seconds(31))
        let replayed = try await browser.press(.makeRecoveryCodes, on: page)
        #expect(replayed.fault == .stalePage)
        let begun = try await browser.press(.setUpAuthenticator, on: page)
        #expect(begun.fault == .stalePage)
        #expect(try await server.messages().count { $0.kind == "recovery_codes_made" } == 1)
        let restarted = try await server.restarted()
        let afterwards = TestBrowser(restarted)
        afterwards.cookies = browser.cookies
        let late = try await afterwards.press(.makeRecoveryCodes, on: page)
        #expect(late.fault == .stalePage)
    }

    @Test("CSRF: a form without its browser's cookie, or under another page's token, is not taken")
    func forged() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let next = try await browser.openAccount().accountPage()
        var forged = page
        forged.form = AccountPage.Form(
            request: try #require(page.form).request, csrf: try #require(next.form).csrf)
        #expect(try await browser.press(.makeRecoveryCodes, on: forged).fault == .stalePage)
        let binding = browser.cookies.binding
        browser.cookies.binding = nil
        #expect(try await browser.press(.makeRecoveryCodes, on: page).fault == .stalePage)
        browser.cookies.binding = try await self.binding(of: server)
        let elsewhere = try await browser.press(.makeRecoveryCodes, on: page)
        #expect(elsewhere.restart == "https://auth.example.com/account")
        browser.cookies.binding = binding
        _ = try await browser.press(.makeRecoveryCodes, on: page).accountPage().codes()
    }

    private func binding(of server: TestServer) async throws -> String? {
        let other = TestBrowser(server)
        _ = try await other.openAccount()
        return other.cookies.binding
    }

    @Test("attack: a form of this page signs in to no app, and an app's form opens no account")
    func crossUse() async throws {
        let (server, browser) = try await setUp()
        let client = try await server.publicClient()
        let own = try await browser.openAccount().page()
        let login = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        #expect(try await browser.submit(own, login).fault == .stalePage)
        let apps = try await browser.open(client.request()).page()
        #expect(try await browser.press(login, on: apps).fault == .stalePage)
        let named = try client.request { $0["client_id"] = AccountPageClient.id }
        #expect(try await browser.open(named).fault == .unknownClient)
    }

    @Test("attack: what was under way when the account was closed changes nothing")
    func closed() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let waiting = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        let code = try server.code(of: waiting.setup())
        try await server.administer(["account", "deactivate", "ada"])
        let asked = try await browser.press(.confirmAuthenticator(code), on: waiting).page()
        #expect(asked.step == .credentials(username: nil))
        let closed = try await browser.openAccount().page()
        #expect(closed.step == .credentials(username: nil))
    }

    @Test("Lockout counts here as everywhere: after wrong passwords a browser that is not known waits")
    func lockout() async throws {
        let (_, browser) = try await setUp()
        var page = try await browser.openAccount().page()
        for _ in 0..<20 {
            let wrong = SignInPage.Action.signIn(username: "ada", password: try Password("wrong password 1"))
            page = try await browser.press(wrong, on: page).page()
        }
        let right = try await browser.typePassword(on: page).page()
        #expect(right.step == .credentials(username: "ada"))
        #expect(right.notice != nil)
        #expect(browser.cookies.session == nil)
    }

    @Test("Signing out ends the browser's session; going back from a sign-in shows the account or nothing")
    func leaving() async throws {
        let (server, browser) = try await setUp()
        let asked = try await browser.openAccount().page()
        let outcome = try await browser.press(.cancel, on: asked).accountPage().step
        guard case .notSignedIn = outcome else {
            Issue.record("an account was shown without a sign-in: \(String(describing: outcome))")
            return
        }
        let page = try await browser.signIn(on: browser.openAccount().page())
        server.clock.advance(by: .minutes(6))
        let again = try await browser.press(.makeRecoveryCodes, on: page).page()
        let back = try await browser.press(.cancel, on: again).accountPage()
        #expect(back.overview != nil)
        let session = browser.cookies.session
        let found = try await browser.press(.signOut, on: back).accountPage().step
        guard case .signedOut = found else {
            Issue.record("not signed out: \(String(describing: found))")
            return
        }
        browser.cookies.session = session
        _ = try await browser.openAccount().page()
        #expect(try await server.rows(of: "browser_sessions") == 0)
    }

    @Test("A page for one brand shows nothing of another's account; a brand that is none puts no words on the page")
    func brands() async throws {
        let (server, browser) = try await setUp()
        try await server.administer(["brand", "create", "aurora", "--name", "Aurora"])
        _ = try await browser.signIn(on: browser.openAccount().page())
        let aurora = try await browser.openAccount(AccountPageRequest(brand: BrandID("aurora"))).page()
        #expect(aurora.appearance.name == "Aurora")
        let forged = try await TestBrowser(server)
            .openAccount(AccountPageRequest(brand: BrandID("call-555-0100"))).page()
        #expect(forged.appearance.name == "Wallet")
    }
}
