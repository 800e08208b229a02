import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("The PIN on the account's page")
struct AccountPINManagementTests {
    private func open() async throws -> (TestServer, TestBrowser, AccountID) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        try await server.offerPINs()
        return (server, TestBrowser(server), account)
    }

    @Test("It is set after a fresh sign-in with two factors, its holder is notified, and the page shows that it is on")
    func set() async throws {
        let (server, browser, account) = try await open()
        let version = try await server.record(of: account)?.securityVersion
        let page = try await browser.openPIN()
        #expect(page.pin == AccountPINOverview(state: .unset, isOffered: true))
        let done = try await browser.press(.changePIN(.set(.success(AccountPIN(TestServer.pin)))), on: page)
            .accountPage()
        #expect(done.notice == .pinSet)
        #expect(try await server.told("account_pin_set") == 1)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account_pin.set'") == 1)
        // Nothing was opened by a PIN yet.
        #expect(try await server.record(of: account)?.securityVersion == version)
        let stored = try #require(try await server.pinRecord(of: account))
        #expect(!String(decoding: stored.hash, as: UTF8.self).contains(TestServer.pin))
        #expect(stored.coolingUntil == stored.setAt + server.context.settings.devices.coolingPeriod)
        let told = try await server.messages().first { $0.kind == "account_pin_set" }
        #expect(told?.content["cooling"]?.string == stored.coolingUntil.toTheMinute)
        #expect(
            done.overview?.pin
                == AccountPINOverview(state: .active, isOffered: true, coolingUntil: stored.coolingUntil))
    }

    @Test("The page says until when a new PIN agrees to no payment, and no longer once that is over")
    func cooling() async throws {
        let (server, browser, account) = try await open()
        let cooling = server.context.settings.devices.coolingPeriod
        try await server.setPIN(of: account, coolingFor: cooling)
        let until = try #require(try await server.pinRecord(of: account)).coolingUntil
        let shown = try await browser.openPIN()
        #expect(shown.pin?.coolingUntil == until)
        server.clock.advance(by: cooling)
        let later = try await TestBrowser(server).openPIN()
        #expect(later.pin == AccountPINOverview(state: .active, isOffered: true))
    }

    @Test("A PIN and a repetition that differ set nothing, cost nothing however often, and are asked for again")
    func mistyped() async throws {
        let (server, browser, account) = try await open()
        try await server.setPIN(of: account)
        let before = try await server.pinRecord(of: account)
        var page = try await browser.openPIN()
        let (writes, hashes) = (server.writes, server.context.passwords.hashesComputed)
        for _ in 0..<10 {
            page = try await browser.press(.changePIN(.set(.failure(.mistyped))), on: page).accountPage()
            #expect(page.notice == .unacceptablePIN(.mistyped))
            #expect(page.pin?.state == AccountPINOverview.State.active)
        }
        #expect(server.writes == writes)
        #expect(server.context.passwords.hashesComputed == hashes)
        #expect(try await server.pinRecord(of: account) == before)
        #expect(try await server.told("account_pin_set") == 0)
        let done = try await browser.press(.changePIN(.set(.success(AccountPIN("460397")))), on: page).accountPage()
        #expect(done.notice == .pinSet)
    }

    @Test("A cookie alone, or a sign-in of one factor where the account has two, sets none")
    func stale() async throws {
        let (server, browser, account) = try await open()
        let first = try await browser.openPIN()
        server.clock.advance(by: .minutes(20))
        let late = try await browser.press(.changePIN(.set(.success(AccountPIN(TestServer.pin)))), on: first).page()
        #expect(late.purpose == .accountChange)
        let seen = try await browser.openAccount().accountPage()
        let asked = try await browser.press(.managePIN, on: seen).page()
        #expect(asked.step == .credentials(username: "ada"))
        #expect(try await server.pinRecord(of: account) == nil)
    }

    @Test(
        "What is no PIN, too short, too long or common is refused with its reason, and changes nothing",
        arguments: [
            ("80461a", AccountPINFault.malformed), ("80461", .tooShort), ("8046139725581", .tooLong),
            ("123456", .tooCommon), ("112233", .tooCommon),
        ])
    func unacceptable(typed: String, fault: AccountPINFault) async throws {
        let (server, browser, account) = try await open()
        let page = try await browser.openPIN()
        let pin: Result<AccountPIN, AccountPINFault>
        do { pin = .success(try AccountPIN(typed)) } catch { pin = .failure(error) }
        let refused = try await browser.press(.changePIN(.set(pin)), on: page).accountPage()
        #expect(refused.notice == .unacceptablePIN(fault))
        #expect(refused.pin?.state == AccountPINOverview.State.unset)
        #expect(try await server.pinRecord(of: account) == nil)
        let done = try await browser.press(.changePIN(.set(.success(AccountPIN(TestServer.pin)))), on: refused)
        #expect(try done.accountPage().notice == .pinSet)
    }

    @Test("Another PIN ends what the one before had opened, in browsers and apps, and nothing else")
    func changed() async throws {
        let (server, browser, account) = try await open()
        _ = try await browser.setPIN()
        let client = try await server.bearerClient()
        _ = try await client.signIn(account, methods: ["pwd", "otp"])
        server.clock.advance(by: .seconds(31))
        let other = TestBrowser(server)
        let asked = try await other.signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        let code = try await other.submit(asked, .answerFactor(Password(server.sentCode()))).code()
        _ = try await client.redeem(code).tokens()
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL") == 2)
        server.clock.advance(by: .seconds(31))
        #expect(try await browser.setPIN("460397").notice == .pinSet)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account_pin.changed'") == 1)
        #expect(try await server.told("account_pin_set") == 2)
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL AND amr = 'pwd otp'") == 1)
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'account_pin_changed'") == 1)
        #expect(try await other.open(client.request()).page().step == .credentials(username: nil))
        #expect(try await browser.openAccount().accountPage().overview?.pin?.state == .active)
        let old = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(old.notice == .invalidCredentials)
    }

    @Test(
        "Its holder removes it, even where PINs are turned off, and so does an operator; each time the holder is notified"
    )
    func removed() async throws {
        let (server, browser, account) = try await open()
        _ = try await browser.setPIN()
        try await server.offerPINs(false)
        server.clock.advance(by: .seconds(31))
        let page = try await browser.openPIN()
        #expect(page.pin?.state == AccountPINOverview.State.active)
        #expect(page.pin?.isOffered == false)
        let refused = try await browser.press(.changePIN(.set(.success(AccountPIN("460397")))), on: page).accountPage()
        #expect(refused.notice == nil)
        let again = try await browser.openPIN()
        #expect(try await browser.press(.changePIN(.remove), on: again).accountPage().notice == .pinRemoved)
        #expect(try await server.pinRecord(of: account) == nil)
        #expect(try await server.told("account_pin_removed") == 1)
        #expect(try await browser.openAccount().accountPage().overview?.pin == nil)

        try await server.offerPINs()
        try await server.setPIN(of: account)
        let shown = try await server.administer(["account", "show", "ada"])
        #expect(try shown.string("pin") == "active")
        try await server.offerPINs(false)
        let off = await server.flows.administration.execute(["account", "show", "ada"])
        #expect(off.lines.contains { $0.hasPrefix("pin ") && $0.hasSuffix(" off for the brand") }, "\(off.lines)")
        try await server.administer(["account", "remove-pin", "ada"])
        #expect(try await server.told("account_pin_removed") == 2)
        let answer = await server.flows.administration.execute(["account", "remove-pin", "ada"])
        #expect(answer.status != .done)
        #expect(answer.lines.joined().contains("It has no PIN."))
    }

    @Test("An operator sees that it is locked and what opens the account, and the export says when it was set")
    func operators() async throws {
        let (server, _, account) = try await open()
        try await server.setPIN(of: account)
        let client = try await server.bearerClient()
        for _ in 0..<5 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        }
        let shown = try await server.administer(["account", "show", "ada"])
        #expect(try shown.string("pin") == "locked")
        #expect(shown["hindrances"]?.strings?.contains { $0.contains("Its PIN is locked") } == true)
        let exported = try await server.administer(["account", "export", "ada"])
        #expect(exported["pin"]?.object?["lockedAt"] != nil)
        let brand = try await server.administer(["brand", "show", "default"])
        #expect(brand["accountPin"]?.bool == true)
    }

    @Test("An operator and the export see until when a new PIN agrees to no payment")
    func coolingForOperators() async throws {
        let (server, _, account) = try await open()
        let ada = AccountReference.username("ada", brand: nil)
        #expect(
            try await server.administer(AdminRequest(["account", "show"] + ada.words))["pinCoolingUntil"] == nil
        )
        #expect(try await server.administer(AdminRequest(["account", "export"] + ada.words))["pin"] == nil)
        try await server.setPIN(of: account, coolingFor: .hours(24))
        let until = try #require(try await server.pinRecord(of: account)).coolingUntil.text
        func lines() async -> [String] {
            let answer = await server.flows.administration.execute(
                AdminRequest(["account", "show"] + ada.words))
            return answer.lines.filter { $0.hasPrefix("pin cooling ") }
        }
        let shown = try await server.administer(AdminRequest(["account", "show"] + ada.words))
        #expect(try shown.string("pinCoolingUntil") == until)
        let exported = try await server.administer(AdminRequest(["account", "export"] + ada.words))
        #expect(exported["pin"]?.object?["coolingUntil"]?.string == until)
        let told = await lines()
        #expect(told.count == 1)
        #expect(told.first?.contains("until \(until) it cannot approve payments") == true, "\(told)")
        // What opens nothing is not said to cool.
        try await server.offerPINs(false)
        #expect(await lines().isEmpty)
        try await server.offerPINs()
        server.clock.advance(by: .hours(24))
        #expect(await lines().isEmpty)
        let settled = try await server.administer(AdminRequest(["account", "show"] + ada.words))
        #expect(try settled.string("pinCoolingUntil") == until)
    }

    @Test("An account without a password sets none, since nothing would open it again")
    func withoutPassword() async throws {
        let server = try await TestServer.start()
        let account = try await server.account(password: nil)
        try await server.offerPINs()
        let id = try #require(UniqueID(bytes: account.bytes))
        let now = server.clock.now()
        let overview = try await server.context.database.read { connection in
            let record = try #require(try Accounts.find(id, on: connection))
            return try AccountPINOverview.of(record, AccountPINs.find(id, on: connection), at: now, on: connection)
        }
        #expect(overview == AccountPINOverview(state: .unset, isOffered: false))
    }
}
