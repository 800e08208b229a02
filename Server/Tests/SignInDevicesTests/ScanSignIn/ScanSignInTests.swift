import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("Signing in by scanning the page")
struct ScanSignInTests {
    @Test("The page offers no scan until the operator turns it on, and none in place of a stronger or a fresh sign-in")
    func offByDefault() async throws {
        let table = try await ScanTable.set(isOn: false)
        let page = try await table.browser.open(table.client.request()).page()
        #expect(!page.offersScan)
        // A button that the page does not have.
        let pressed = try await table.press(.useScan, on: page, in: table.browser, from: ScanTable.home)
        #expect(try pressed.page().step == .credentials(username: nil))
        #expect(try await table.server.rows(of: "scan_sign_ins") == 0)

        try await table.server.administer(["brand", "update", "default", "--scan-sign-in", "on"])
        #expect(try await table.browser.open(table.client.request()).page().offersScan)
        for (name, value) in [("acr_values", AuthenticationStrength.twoFactors), ("max_age", "300")] {
            let strong = try await table.browser.open(table.client.request { $0[name] = value }).page()
            #expect(!strong.offersScan, "\(name)")
        }
    }

    @Test(
        "A scan, the right number and the PIN sign the browser in as the phone's holder, with two methods and cross_device"
    )
    func signsIn() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show(from: ScanTable.elsewhere)
        let scanned = try await table.scan(shown.code).get()
        #expect(scanned.account == table.till.account)
        #expect(scanned.service == "App")
        #expect(scanned.browser == "Firefox")
        #expect(scanned.system == "Windows")
        #expect(!scanned.sameNetwork)
        #expect(Set(scanned.numbers).count == 3)
        let number = try #require(try await table.look(shown.id).page().scan?.number)
        #expect(scanned.numbers.contains(number))
        let chosen = try await table.choose(number, of: scanned).get()
        #expect(chosen.allowedSecondFactors == [.pin, .biometric])
        let payload = try SignInPayload(parsing: chosen.payload)
        #expect(payload.number == number)
        #expect(payload.clientID == table.client.id)
        // The page still waits.
        #expect(try await table.look(shown.id).page().scan?.number == number)
        #expect(try await table.approve(chosen).get().status == .signed)

        let code = try await table.look(shown.id).code()
        let tokens = try await table.client.redeem(code).tokens()
        #expect(tokens.accessToken.reveal().isEmpty == false)
        let session = try #require(
            try await table.server.context.database.read {
                try $0.row("SELECT id, amr, acr, device_id FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1", [])
            })
        #expect(try session.text("amr").hasPrefix("pin "))
        #expect(try session.text("amr").hasSuffix(" cross_device"))
        #expect(try session.optionalText("acr") == AuthenticationStrength.singleFactor)
        #expect(try session.optionalBlob("device_id") == nil)
        #expect(try await table.server.told("scan_signed_in") == 1)
        // The audit log links the scan to its session.
        let entries = try await table.server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE kind = 'scan_sign_in.opened'", [])
                .map { try $0.text("details") }
        }
        let opened = try session.id("id").uuid
        #expect(entries.count == 1)
        #expect(entries.first?.contains(#""scan":"\#(shown.id)""#) == true)
        #expect(entries.first?.contains(#""session_id":"\#(opened)""#) == true)
    }

    @Test("The holder hears of a sign-in only once it has opened a session: none that the gate refuses is reported")
    func refusedAtTheGate() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        _ = try await table.approve(table.chosen(shown)).get()
        try await table.server.administer(["account", "deactivate", "ada"])
        #expect(try await table.look(shown.id).page().notice == .walletDeactivated)
        #expect(try await table.server.told("scan_signed_in") == 0)
    }

    @Test("Face or fingerprint approves as the PIN does")
    func byBiometrics() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let chosen = try await table.chosen(shown)
        let assertion = try await table.till.byBiometrics(chosen, act: table.act(chosen))
        _ = try await table.sign(chosen, assertion).get()
        _ = try await table.client.redeem(table.look(shown.id).code()).tokens()
        #expect(try await table.server.newestMethods()?.hasPrefix("bio ") == true)
    }

    @Test("The browser is not remembered: the next request asks again, and no cookie makes it known")
    func notRemembered() async throws {
        let table = try await ScanTable.set()
        _ = try await table.signIn()
        #expect(table.browser.cookies.session == nil)
        #expect(table.browser.cookies.device == nil)
        #expect(try await table.browser.open(table.client.request()).page().offersScan)
        #expect(try await table.server.rows(of: "browser_sessions") == 0)
    }

    @Test("A scan ends the session that another person has in the browser, so that no app goes on as that person")
    func endsAnothersSession() async throws {
        let table = try await ScanTable.set()
        _ = try await table.server.account("bob")
        _ = try await table.browser.signIn(table.client.request(), "bob").code()
        #expect(try await table.server.rows(of: "browser_sessions") == 1)
        let shown = try await table.show { $0["prompt"] = "login" }
        _ = try await table.approve(table.chosen(shown)).get()
        _ = try await table.look(shown.id).code()
        #expect(table.browser.cookies.session == nil)
        #expect(try await table.server.rows(of: "browser_sessions") == 0)
        #expect(try await table.browser.open(table.client.request()).page().step == .credentials(username: nil))
    }

    @Test("A code changes every 20 seconds; the former one works five seconds longer, and the next is not told by it")
    func renewal() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        table.server.clock.advance(by: .seconds(19))
        #expect(try await table.look(shown.id).page().scan?.code == shown.code)
        table.server.clock.advance(by: .seconds(1))
        let next = try #require(try await table.look(shown.id).page().scan?.code)
        #expect(next != shown.code)
        table.server.clock.advance(by: .seconds(4))
        #expect(try await table.scan(shown.code).get().numbers.count == 3)

        let later = try await table.show()
        table.server.clock.advance(by: .seconds(25))
        #expect(try await table.scan(later.code).refusal == .refused(.scanExpired))
        let current = try #require(try await table.look(later.id).page().scan?.code)
        _ = try await table.scan(current).get()
    }

    @Test("A page shows codes for five minutes, and then says what to do")
    func endOfShowing() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        table.server.clock.advance(by: ScanLimits.showing)
        #expect(try await table.look(shown.id).page().notice == .scanExpired)
        #expect(try await table.scan(shown.code).refusal == .refused(.scanExpired))
    }

    @Test("A sign-in that is not approved within two minutes of its scan has expired, for phone and page")
    func undecided() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let chosen = try await table.chosen(shown)
        table.server.clock.advance(by: ScanLimits.deciding)
        #expect(try await table.look(shown.id).page().notice == .scanExpired)
        let evaluation = try await table.till.phone.evaluate(
            table.till.phone.use(table.till.phone.exchange(TestTill.pin), act: table.act(chosen)))
        #expect(evaluation.refusal == .transaction(.scanExpired))
    }

    @Test("A lost answer is repeated: the same numbers, the same bytes, the same signature")
    func repetitions() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let scanned = try await table.scan(shown.code).get()
        #expect(try await table.scan(shown.code).get() == scanned)
        let number = try #require(try await table.record(shown.id)?.claim?.number)
        let chosen = try await table.choose(number, of: scanned).get()
        #expect(try await table.choose(number, of: scanned).get().payload == chosen.payload)
        let assertion = try await table.till.phone.assertion(of: table.act(chosen), TestTill.pin)
        for _ in 0..<2 { #expect(try await table.sign(chosen, assertion).get().status == .signed) }
    }

    @Test("“This is not me” before the approval ends the attempt, and the page says so")
    func refusedBefore() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let chosen = try await table.chosen(shown)
        _ = try await table.refuse(chosen.transactionID).get()
        #expect(try await table.look(shown.id).page().notice == .scanRejected)
        let evaluation = try await table.till.phone.evaluate(
            table.till.phone.use(table.till.phone.exchange(TestTill.pin), act: table.act(chosen)))
        #expect(evaluation.refusal == .transaction(.over(.rejected)))
    }

    @Test("“This was not me” after the approval signs the browser out, and voids a code that was not redeemed yet")
    func refusedAfter() async throws {
        let table = try await ScanTable.set()
        let first = try await table.signIn()
        _ = try await table.client.redeem(first.code).tokens()
        table.server.clock.advance(by: .hours(2))
        _ = try await table.refuse(first.id).get()
        #expect(
            try await table.server.rows(of: "sessions WHERE revoked_at IS NULL AND amr LIKE '%cross_device%'") == 0)

        let second = try await table.signIn()
        _ = try await table.refuse(second.id).get()
        #expect(try await table.client.redeem(second.code).refusal == .invalidGrant)
    }

    @Test("“This was not me” also voids a sign-in that waits for the choice of a merchant")
    func refusedWhileWaiting() async throws {
        let table = try await ScanTable.set()
        let till = table.opened(by: try await table.server.bearerClient("till") { $0.requiresMerchant = true })
        for id in ["shop", "kiosk"] {
            try await table.server.administer(["merchant", "create", id, "--name", id.uppercased()])
            try await table.server.administer(["merchant", "install-client", id, "--client", "till"])
            try await table.server.administer(["merchant", "add-employee", id, "ada"])
        }
        let shown = try await till.show()
        let chosen = try await till.chosen(shown)
        _ = try await till.approve(chosen).get()
        let asking = try await till.look(shown.id).page()
        guard case .merchant = asking.step else {
            Issue.record("no merchant was asked for: \(asking.step)")
            return
        }
        _ = try await till.refuse(chosen.transactionID).get()
        let late = try await till.press(
            .chooseMerchant(MerchantID("shop")), on: asking, in: till.browser, from: ScanTable.home)
        #expect(try await till.client.redeem(late.code()).refusal == .invalidGrant)
    }

    @Test("A page has one code at a time: a new one ends the former")
    func oneCode() async throws {
        let table = try await ScanTable.set()
        let first = try await table.show()
        let second = try await table.show()
        #expect(try await table.scan(first.code).refusal == .refused(.scanExpired))
        _ = try await table.scan(second.code).get()
    }

    @Test("An address that asked for a hundred codes within five minutes waits for the next, and its neighbors do not")
    func networkLimit() async throws {
        let table = try await ScanTable.set()
        let waiting = try await table.show()
        for _ in 1..<ScanLimits.openOfNetwork { _ = try await table.show(in: TestBrowser(table.server)) }
        // What a browser shows already goes on.
        let more = try await table.press(
            .useScan, on: table.browser.open(table.client.request()).page(), in: table.browser, from: ScanTable.home)
        #expect(more.restart == nil)
        #expect(try await table.look(waiting.id).page().scan?.code == waiting.code)
        let browser = TestBrowser(table.server)
        let page = try await browser.open(table.client.request()).page()
        let held = try await table.press(.useScan, on: page, in: browser, from: ScanTable.home)
        guard case .networkHeld? = try held.page().notice else {
            Issue.record("the network was not held")
            return
        }
        // Neither another network nor a neighbor of the same one is held.
        for origin in [ScanTable.elsewhere, RequestOrigin(address: "192.0.2.2")] {
            let other = try await table.press(
                .useScan, on: browser.open(table.client.request()).page(), in: browser, from: origin)
            #expect(other.restart != nil, "\(origin.address)")
        }
        table.server.clock.advance(by: ScanLimits.showing)
        _ = try await table.show(in: browser)
    }
}
