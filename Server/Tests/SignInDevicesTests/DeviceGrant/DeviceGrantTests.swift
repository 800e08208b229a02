import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Sign-in on devices without a browser", .covers("devices without a browser"))
struct DeviceGrantTests {
    @Test(
        "A person types the code, signs in, compares, confirms, and the device's next poll gets a session that renews")
    func wholeJourney() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask(scope: "openid wallet").get()
        #expect(codes.userCode.wholeMatch(of: /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/) != nil)
        #expect(codes.verificationURI.rawValue == "https://auth.example.com/device")
        #expect(
            codes.verificationURIComplete?.rawValue == "https://auth.example.com/device?user_code=\(codes.userCode)")
        #expect(codes.expiresIn == 600)
        #expect(codes.interval == 5)
        #expect(try await tv.poll(codes).refusal == .authorizationPending)

        let browser = TestBrowser(tv.server)
        // In small letters and without the hyphen.
        let typed = codes.userCode.lowercased().replacing("-", with: " ")
        let page = try await browser.enterPassword(on: browser.type(typed).page()).devicePage()
        let device = try #require(page.confirmation)
        #expect(device.client == "Television")
        #expect(device.code == codes.userCode)
        #expect(device.username == "ada")
        #expect(device.scopes == ["openid", "wallet"])
        #expect(device.askedAt == tv.server.clock.now())
        #expect(device.network == "192.0.2.0/24")
        #expect(!device.isElsewhere)
        #expect(try await tv.wait(codes).refusal == .authorizationPending)

        let done = try await browser.press(.confirm, on: page).devicePage()
        #expect(done.ending == .connected(client: "Television"))
        let tokens = try await tv.wait(codes).tokens()
        #expect(tokens.scope?.rawValue == "openid wallet")
        #expect(tokens.idToken != nil)
        let refreshToken = try #require(tokens.refreshToken)
        _ = try await tv.client.refresh(refreshToken).tokens()
        #expect(
            try await tv.server.deviceEvents() == ["device_grant.approved", "device_grant.redeemed"])
        let sessions = try await tv.server.context.database.read { connection in
            try connection.query("SELECT client_id FROM sessions", []).map { try $0.text("client_id") }
        }
        #expect(sessions == ["tv"])
        let scans = try await tv.server.context.database.read { connection in
            try connection.query("SELECT id FROM security_events WHERE kind LIKE 'scan_sign_in.%'", []).count
        }
        #expect(scans == 0)
    }

    @Test("A browser that is signed in shows the device at once, and nothing is stored before the person confirms")
    func signedIn() async throws {
        let tv = try await TestTelevision.set()
        let app = try await tv.server.publicClient()
        let browser = TestBrowser(tv.server)
        _ = try await browser.signIn(app.request()).code()
        let codes = try await tv.ask().get()
        let page = try await browser.type(codes.userCode).devicePage()
        #expect(page.confirmation?.username == "ada")
        #expect(try await browser.load(page).devicePage().confirmation?.code == codes.userCode)
        #expect(try await tv.poll(codes).refusal == .authorizationPending)
        #expect(try await browser.press(.confirm, on: page).devicePage().ending == .connected(client: "Television"))
        _ = try await tv.wait(codes).tokens()
    }

    @Test("A code that came by the device's QR code is in the field, and waits for the person to send it")
    func linked() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        let page = try browser.openDevice(codes.userCode.lowercased())
        guard case .code(let code) = page.step else {
            Issue.record("\(page.step)")
            return
        }
        #expect(code == codes.userCode)
        #expect(page.notice == nil)
        _ = try await browser.press(.enter(code: codes.userCode), on: page).page()
    }

    @Test("Another company's client asks for access as at the authorization endpoint, once the device is confirmed")
    func consent() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        let tv = try await TestTelevision(
            client: server.relyingApp {
                $0.deviceGrant = true
                $0.requiresDPoP = false
            })
        let browser = TestBrowser(server)
        var codes = try await tv.ask(scope: "openid wallet").get()
        let page = try await tv.shown(codes, in: browser)
        #expect(page.confirmation?.code == codes.userCode)
        let asked = try await browser.press(.confirm, on: page).page()
        #expect(asked.consent?.new == ["openid", "wallet"])
        #expect(try await browser.submit(asked, .allow).devicePage().ending == .connected(client: "Aurora"))
        _ = try await tv.wait(codes).tokens()

        // A scope that is new is asked for as well, and one refusal refuses both.
        let answers: [(SignInPage.Action, DevicePage.Ending, OAuthRefusal?)] = [
            (.cancel, .denied(client: "Aurora"), .accessDenied), (.allow, .connected(client: "Aurora"), nil),
        ]
        for (action, ending, refusal) in answers {
            codes = try await tv.ask(scope: "openid wallet phone").get()
            let shown = try await browser.type(codes.userCode).devicePage()
            let more = try await browser.press(.confirm, on: shown).page()
            #expect(more.consent?.new == ["phone"])
            #expect(try await tv.wait(codes).refusal == .authorizationPending)
            #expect(try await browser.submit(more, action).devicePage().ending == ending)
            #expect(try await tv.wait(codes).refusal == refusal)
        }
    }

    @Test("Who refuses the device, and who had refused it, read the same; its poll is access_denied")
    func denied() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        let page = try await tv.shown(codes, in: browser)
        for _ in 0..<2 {
            #expect(try await browser.press(.deny, on: page).devicePage().ending == .denied(client: "Television"))
        }
        #expect(try await tv.wait(codes).refusal == .accessDenied)
        // It cannot be confirmed any more.
        #expect(try await browser.press(.confirm, on: page).devicePage().ending == .denied(client: "Television"))
        #expect(try await tv.wait(codes).refusal == .accessDenied)
        #expect(try await tv.server.deviceEvents() == ["device_grant.denied"])
    }

    @Test("The same person confirming twice connects the device once, and reads the same both times")
    func twice() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        let page = try await tv.shown(codes, in: browser)
        for _ in 0..<2 {
            #expect(try await browser.press(.confirm, on: page).devicePage().ending == .connected(client: "Television"))
        }
        _ = try await tv.wait(codes).tokens()
        let again = try await browser.press(.confirm, on: page).devicePage()
        #expect(again.ending == .connected(client: "Television"))
        #expect(try await tv.server.rows(of: "sessions") == 1)
        #expect(try await tv.server.deviceEvents() == ["device_grant.approved", "device_grant.redeemed"])
    }

    @Test("Of two people at one code, the first decides; the other reads that the code is over")
    func twoPeople() async throws {
        let tv = try await TestTelevision.set()
        _ = try await tv.server.account("grace")
        let codes = try await tv.ask().get()
        let (ada, grace) = (TestBrowser(tv.server), TestBrowser(tv.server))
        let first = try await tv.shown(codes, in: ada)
        let second = try await grace.enterPassword(on: grace.type(codes.userCode).page(), as: "grace").devicePage()
        #expect(try await ada.press(.confirm, on: first).devicePage().ending == .connected(client: "Television"))
        #expect(try await grace.press(.confirm, on: second).devicePage().ending == .over)
        #expect(try await grace.press(.deny, on: second).devicePage().ending == .over)
        #expect(try await grace.type(codes.userCode).devicePage().notice == .unknownCode)
        _ = try await tv.wait(codes).tokens()
    }

    @Test("Two devices never have the same user code: the second gets another one")
    func twoDevices() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let digest = DeviceGrantRecord.digest(of: codes.deviceCode)
        let isAdded = try await tv.server.context.database.write { connection in
            var other = try #require(try DeviceGrants.find(deviceCode: digest, on: connection))
            other.id = try #require(UniqueID(bytes: [UInt8](repeating: 7, count: 16)))
            other.deviceCode = [UInt8](repeating: 7, count: 32)
            return try DeviceGrants.add(other, on: connection)
        }
        #expect(!isAdded)
        #expect(try await tv.ask().get().userCode != codes.userCode)
    }

    @Test("A code confirmed after it expired connects nothing, and the poll is expired_token")
    func expired() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        tv.server.clock.advance(by: .minutes(9))
        let page = try await tv.shown(codes, in: browser)
        tv.server.clock.advance(by: .minutes(1))
        #expect(try await browser.press(.confirm, on: page).devicePage().ending == .over)
        #expect(try await tv.poll(codes).refusal == .expiredToken)
        #expect(try await browser.type(codes.userCode).devicePage().notice == .unknownCode)
        #expect(try await tv.server.deviceEvents() == [])
    }

    @Test("What was confirmed and not fetched in time is expired_token as well")
    func fetchedLate() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        _ = try await browser.press(.confirm, on: tv.shown(codes, in: browser)).devicePage()
        tv.server.clock.advance(by: .minutes(10))
        #expect(try await tv.poll(codes).refusal == .expiredToken)
        #expect(try await tv.server.rows(of: "sessions") == 0)
    }

    @Test("Each poll before its time adds five seconds, also after a restart")
    func slowDown() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        #expect(try await tv.poll(codes).refusal == .authorizationPending)
        tv.server.clock.advance(by: .seconds(2))
        #expect(try await tv.poll(codes).refusal == .slowDown)
        let restarted = try await tv.at(tv.server.restarted())
        restarted.server.clock.advance(by: .seconds(5))
        #expect(try await restarted.poll(codes).refusal == .slowDown)
        restarted.server.clock.advance(by: .seconds(15))
        #expect(try await restarted.poll(codes).refusal == .authorizationPending)
    }

    @Test("Rows are removed once no device can ask for them any more")
    func swept() async throws {
        let tv = try await TestTelevision.set()
        _ = try await tv.ask().get()
        tv.server.clock.advance(by: .minutes(21))
        _ = try await Sweep.run(tv.server.context.database, now: tv.server.clock.now())
        #expect(try await tv.server.rows(of: "device_grants") == 0)
    }

    @Test("It is off until the operator turns it on, and a client without a redirect URI may have it alone")
    func offByDefault() async throws {
        let server = try await TestServer.start()
        let tv = TestTelevision(client: try await server.bearerClient())
        let show = AdminRequest(["client", "show", "app"])
        #expect(try await server.administer(show)["deviceGrant"]?.bool == false)
        #expect(try await tv.ask().refusal == .unauthorizedClient)
        #expect(try await tv.client.token(.deviceCode(DeviceCode("wad_x"))).refusal == .unauthorizedClient)
        try await server.administer(["client", "update", "app", "--device-grant"])
        #expect(try await server.administer(show)["deviceGrant"]?.bool == true)
        _ = try await tv.ask().get()
        try await server.administer([
            "client", "create", "till", "--name", "Till", "--public", "--device-grant", "--scope", "openid",
        ])
    }
}

extension Result<DeviceAuthorizationResponse, OAuthRefusal> {
    /// Why it was refused; `nil` where it was not.
    var refusal: OAuthRefusal? { if case .failure(let refusal) = self { refusal } else { nil } }
}
