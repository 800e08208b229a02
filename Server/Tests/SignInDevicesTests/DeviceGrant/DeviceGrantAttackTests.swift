import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Attacks on sign-in by a device's code", .threat("A device's code that a stranger sends"))
struct DeviceGrantAttackTests {
    @Test("attack: a code sent by a stranger names the stranger's network, and connects nothing by being opened")
    func phishing() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask(from: TestTelevision.elsewhere).get()
        let browser = TestBrowser(tv.server)
        let page = try await tv.shown(codes, in: browser)
        let device = try #require(page.confirmation)
        #expect(device.isElsewhere)
        #expect(device.network == "198.51.100.0/24")
        #expect(try await tv.wait(codes).refusal == .authorizationPending)
        // Nor by the form that a page of the sign-in would send.
        let form = try #require(page.form)
        let confirmed = PageSubmission(request: form.request, csrf: form.csrf, action: SignInPage.Action.confirm)
        let answer = try await tv.server.flows.signIn.authorization.submit(
            confirmed, cookies: browser.cookies, origin: TestServer.origin)
        #expect(answer.outcome.fault == .stalePage)
        #expect(try await tv.wait(codes).refusal == .authorizationPending)
    }

    @Test("attack: a proof that was used before asks for no codes")
    func usedProof() async throws {
        let tv = try await TestTelevision.set()
        let proof = try TestKey().present(to: tv.server, at: Endpoints.deviceAuthorization.path)
        var refusals: [OAuthRefusal?] = []
        for _ in 0..<2 {
            refusals.append(
                try await tv.server.flows.tokens.deviceAuthorizations.begin(
                    DeviceAuthorizationRequest(client: tv.client.authentication, scope: nil), proof: proof,
                    origin: TestTelevision.home
                ).refusal)
        }
        #expect(refusals == [nil, .invalidDPoPProof("The proof has already been used.")])
        #expect(try await tv.server.rows(of: "device_grants") == 1)
    }

    @Test("attack: a page for one person is not confirmed by another who has signed in since")
    func otherPerson() async throws {
        let tv = try await TestTelevision.set()
        _ = try await tv.server.account("grace")
        let app = try await tv.server.publicClient()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        let page = try await tv.shown(codes, in: browser)
        let binding = browser.cookies.binding
        _ = try await browser.signIn(app.request { $0["prompt"] = "login" }, "grace").code()
        browser.cookies.binding = binding
        let asked = try await browser.press(.confirm, on: page).page()
        #expect(asked.step == .credentials(username: nil))
        // Who signs in instead sees the device first.
        let shown = try await browser.enterPassword(on: asked, as: "grace").devicePage()
        #expect(shown.confirmation?.username == "grace")
        #expect(try await tv.wait(codes).refusal == .authorizationPending)
    }

    @Test("attack: another browser's form and a form without its token are refused, and connect nothing")
    func forgedForm() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let (victim, attacker) = (TestBrowser(tv.server), TestBrowser(tv.server))
        let page = try await tv.shown(codes, in: victim)
        let form = try #require(page.form)
        let pages = tv.server.flows.signIn.devicePages
        for csrf in ["", "forged", try #require(attacker.openDevice().form).csrf] {
            let answer = try await pages.submit(
                PageSubmission(request: form.request, csrf: csrf, action: DevicePage.Action.confirm),
                cookies: victim.cookies, origin: TestServer.origin)
            #expect(answer.outcome.fault == .stalePage, "\(csrf)")
        }
        #expect(try await attacker.press(.confirm, on: page).restart == "https://auth.example.com/device")
        #expect(try await tv.wait(codes).refusal == .authorizationPending)
    }

    @Test("attack: five wrong codes hold a browser, and twenty a network, also for the right code")
    func guessing() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        func wrong(_ number: Int) -> String {
            let letters = UserCode.alphabet
            return "BBBBBB\(letters[number / 20 % 20])\(letters[number % 20])"
        }
        let browser = TestBrowser(tv.server)
        // Text that can be no code is no guess.
        #expect(try await browser.type("AEIOU").devicePage().notice == .unknownCode)
        for number in 0..<5 {
            #expect(try await browser.type(wrong(number)).devicePage().notice == .unknownCode)
        }
        for code in [wrong(5), codes.userCode] {
            #expect(try await browser.type(code).devicePage().notice == .tooManyAttempts(retryAfter: 60))
        }
        // Without its cookies it is another browser, of the same network.
        for number in 5..<20 {
            #expect(try await TestBrowser(tv.server).type(wrong(number)).devicePage().notice == .unknownCode)
        }
        let held = try await TestBrowser(tv.server).type(codes.userCode).devicePage()
        #expect(held.notice == .tooManyAttempts(retryAfter: 60))
        _ = try await TestBrowser(tv.server).type(codes.userCode, from: TestTelevision.elsewhere).page()
        tv.server.clock.advance(by: .minutes(1))
        _ = try await TestBrowser(tv.server).type(codes.userCode).page()
    }

    @Test("A right code costs no guess, so that a household of televisions is not held")
    func rightCodes() async throws {
        let tv = try await TestTelevision.set()
        for _ in 0..<25 { _ = try await TestBrowser(tv.server).type(tv.ask().get().userCode).page() }
    }

    @Test(
        "attack: a network that asks for codes without end is refused after a hundred, which holds up no other client")
    func flood() async throws {
        let tv = try await TestTelevision.set()
        for _ in 0..<DeviceGrantLimits.openOfNetwork { _ = try await tv.ask().get() }
        let refused = try await tv.ask()
        guard case .temporarilyUnavailable = refused.refusal else {
            Issue.record("\(refused)")
            return
        }
        #expect(try await tv.server.rows(of: "device_grants") == DeviceGrantLimits.openOfNetwork)
        _ = try await tv.ask(from: TestTelevision.elsewhere).get()
        _ = try await TestTelevision(client: tv.server.television("other")).ask().get()
    }

    @Test("attack: another client's, an invented and a replayed device code are invalid_grant")
    func foreignCodes() async throws {
        let tv = try await TestTelevision.set()
        let other = TestTelevision(client: try await tv.server.television("other"))
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        _ = try await browser.press(.confirm, on: tv.shown(codes, in: browser)).devicePage()
        #expect(try await other.poll(codes).refusal == .invalidGrant)
        let invented = try await tv.client.token(.deviceCode(DeviceCode("wad_" + String(repeating: "A", count: 43))))
        #expect(invented.refusal == .invalidGrant)
        let tokens = try await tv.poll(codes).tokens()
        #expect(try await tv.wait(codes).refusal == .invalidGrant)
        // The session goes on: only its own device has the code, which may have lost the answer.
        _ = try await tv.client.refresh(try #require(tokens.refreshToken)).tokens()
    }

    @Test("attack: of two polls at once, one opens the session")
    func race() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        _ = try await browser.press(.confirm, on: tv.shown(codes, in: browser)).devicePage()
        tv.server.beforeNextWrite { _ = try await tv.poll(codes).tokens() }
        #expect(try await tv.poll(codes).refusal == .invalidGrant)
        #expect(try await tv.server.rows(of: "sessions") == 1)
    }

    @Test("The codes belong to the key that was proved for them, and so do the session and its tokens")
    func boundToKey() async throws {
        let tv = try await TestTelevision.set()
        let (key, other) = (TestKey(), TestKey())
        let codes = try await tv.ask(key: key).get()
        let browser = TestBrowser(tv.server)
        _ = try await browser.press(.confirm, on: tv.shown(codes, in: browser)).devicePage()
        #expect(try await tv.poll(codes).refusal == .invalidGrant)
        #expect(try await tv.poll(codes, key: other).refusal == .invalidGrant)
        let tokens = try await tv.poll(codes, key: key).tokens()
        #expect(tokens.tokenType == .dpop)
        let refreshToken = try #require(tokens.refreshToken)
        #expect(try await tv.client.refresh(refreshToken, proof: other).refusal != nil)
        _ = try await tv.client.refresh(refreshToken, proof: key).tokens()
    }

    @Test("A code of a client that was deleted meanwhile leads nowhere, typed or confirmed")
    func deletedClient() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        let page = try await tv.shown(codes, in: browser)
        try await tv.server.administer(["client", "delete", "tv"])
        #expect(try await browser.press(.confirm, on: page).devicePage().ending == .over)
        #expect(try await TestBrowser(tv.server).type(codes.userCode).devicePage().ending == .over)
        guard case .invalidClient = try await tv.wait(codes).refusal else {
            Issue.record("the deleted client got an answer")
            return
        }
    }

    @Test("After --no-device-grant, what was asked for before ends")
    func turnedOff() async throws {
        let tv = try await TestTelevision.set()
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        let page = try await tv.shown(codes, in: browser)
        try await tv.server.administer(["client", "update", "tv", "--no-device-grant"])
        #expect(try await browser.press(.confirm, on: page).devicePage().ending == .over)
        #expect(try await tv.wait(codes).refusal == .unauthorizedClient)
    }

    @Test("A locked account confirms no device, and one that is locked after it confirmed opens no session")
    func lockedAccount() async throws {
        let tv = try await TestTelevision.set()
        let browser = TestBrowser(tv.server)
        let (confirmed, shown) = (try await tv.ask().get(), try await tv.ask().get())
        _ = try await browser.press(.confirm, on: tv.shown(confirmed, in: browser)).devicePage()
        let page = try await browser.type(shown.userCode).devicePage()
        try await tv.server.administer(["account", "deactivate", "ada"])
        _ = try await browser.press(.confirm, on: page).page()
        #expect(try await tv.wait(shown).refusal == .authorizationPending)
        #expect(try await tv.wait(confirmed).refusal == .invalidGrant)
        #expect(try await tv.server.rows(of: "sessions") == 0)
    }

    @Test(
        "attack: a session by a device's code counts as one factor from elsewhere, however strong the sign-in on the page was"
    )
    func weakSession() async throws {
        let server = try await TestServer.start()
        let tv = TestTelevision(client: try await server.television())
        _ = try await server.reachableAccount()
        let codes = try await tv.ask(scope: "openid").get()
        let browser = TestBrowser(server)
        let asked = try await browser.enterPassword(on: browser.type(codes.userCode).page()).page()
        let page = try await browser.submit(asked, .answerFactor(Password(server.sentCode()))).devicePage()
        _ = try await browser.press(.confirm, on: page).devicePage()
        _ = try await tv.wait(codes).tokens()
        let session = try await server.context.database.read { connection in
            try connection.query("SELECT acr, amr FROM sessions", []).map { try $0.text("acr") + " " + $0.text("amr") }
        }
        #expect(session == ["urn:wallet-auth:acr:1fa pwd otp cross_device user_code"])
    }

    @Test("attack: the key of a device that its code signed in does not become known to the account")
    func unknownKey() async throws {
        let tv = try await TestTelevision.set()
        let key = TestKey()
        let codes = try await tv.ask(key: key).get()
        let browser = TestBrowser(tv.server)
        _ = try await browser.press(.confirm, on: tv.shown(codes, in: browser)).devicePage()
        let claims = try await tv.server.claims(of: tv.poll(codes, key: key).tokens())
        let account = try #require(UniqueID(uuid: claims.subject))
        let isKnown = try await tv.server.context.database.read {
            try Sessions.knows(key.thumbprint.bytes, by: "tv", of: account, on: $0)
        }
        #expect(!isKnown, "wrong passwords there would close the account")
    }

    @Test("attack: the form that gave a device's client access, sent again after a withdrawal or a refusal, gives none")
    func spentConsent() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        let tv = try await TestTelevision(
            client: server.relyingApp {
                $0.deviceGrant = true
                $0.requiresDPoP = false
            })
        let app = try await server.publicClient()
        let browser = TestBrowser(server)
        _ = try await browser.signIn(app.request()).code()
        let answers: [(SignInPage.Action, DevicePage.Ending)] = [
            (.cancel, .denied(client: "Aurora")), (.allow, .connected(client: "Aurora")),
        ]
        for (action, ending) in answers {
            let page = try await browser.type(tv.ask(scope: "openid").get().userCode).devicePage()
            let asked = try await browser.press(.confirm, on: page).page()
            #expect(try await browser.submit(asked, action).devicePage().ending == ending)
            if case .allow = action {
                #expect(try await server.consents() == ["aurora"])
                try await server.administer(["account", "consents", "ada", "--withdraw", "aurora"])
            }
            #expect(try await browser.submit(asked, .allow).devicePage().ending == ending)
            #expect(try await server.consents() == [])
        }
    }

    @Test("attack: who signs in for a device and refuses it, or finds its code expired, has given its client nothing")
    func refusedDevice() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        let tv = try await TestTelevision(
            client: server.relyingApp {
                $0.deviceGrant = true
                $0.requiresDPoP = false
            })
        for (action, wait, ending) in [(.deny, .zero, .denied(client: "Aurora")), (.confirm, .minutes(10), .over)]
            as [(DevicePage.Action, Duration, DevicePage.Ending)]
        {
            let browser = TestBrowser(server)
            let page = try await tv.shown(tv.ask(scope: "openid").get(), in: browser)
            var asked: SignInPage?
            if case .confirm = action { asked = try await browser.press(.confirm, on: page).page() }
            server.clock.advance(by: wait)
            let outcome =
                if let asked { try await browser.submit(asked, .allow) } else {
                    try await browser.press(action, on: page)
                }
            #expect(try outcome.devicePage().ending == ending)
            #expect(try await server.consents() == [])
        }
    }

    @Test("attack: who signs in for a device and refuses it is named to no receiver of its client")
    func refusedUnheard() async throws {
        let server = try await TestServer.start()
        let account = try await server.account("ada")
        let tv = try await TestTelevision(
            client: server.relyingApp {
                $0.deviceGrant = true
                $0.requiresDPoP = false
            })
        try await server.addWebhook(client: "aurora", kinds: [.signIns])
        let refusing = TestBrowser(server)
        let page = try await tv.shown(tv.ask(scope: "openid").get(), in: refusing)
        _ = try await refusing.press(.deny, on: page).devicePage()
        #expect(try await server.rows(of: "webhook_deliveries") == 0)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account.signed_in'") == 1)
        // Who gives it access is, once.
        let browser = TestBrowser(server)
        let shown = try await tv.shown(tv.ask(scope: "openid").get(), in: browser)
        let asked = try await browser.press(.confirm, on: shown).page()
        #expect(try await server.rows(of: "webhook_deliveries") == 0)
        #expect(try await browser.submit(asked, .allow).devicePage().ending == .connected(client: "Aurora"))
        let receiver = ScriptedReceiver()
        _ = try await server.delivery(to: receiver).deliverAllDue()
        #expect(receiver.types == ["account.signed_in"])
        #expect(try receiver.data.first?.string("sub") == account.rawValue)
    }

    @Test("The pages on the way offer no second device: a sign-in by scanning confirms none")
    func noScan() async throws {
        let tv = try await TestTelevision.set()
        try await tv.server.administer(["brand", "update", "default", "--scan-sign-in", "on"])
        let browser = TestBrowser(tv.server)
        let page = try await browser.type(tv.ask().get().userCode).page()
        #expect(!page.offersScan)
    }

    @Test("Scopes that administer the server are never given to a device")
    func operatorScope() async throws {
        let tv = try await TestTelevision.set {
            $0.scopes = ["admin", "openid"]
            $0.requiresDPoP = true
        }
        #expect(try await tv.ask(scope: "admin").refusal == .invalidScope(["admin"]))
        let codes = try await tv.ask().get()
        let browser = TestBrowser(tv.server)
        #expect(try await tv.shown(codes, in: browser).confirmation?.scopes == ["openid"])
    }
}
