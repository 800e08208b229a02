import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("Agreeing on a hosted page")
struct ConsentPageTests {
    @Test("The page shows the operation, the password agrees, and the app asks what came of it")
    func wholeWay() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        let page = try #require(browser.page)
        #expect(browser.isAsking)
        #expect(try page.operation == TestShop.transfer())
        #expect(page.requester == "Backend")
        #expect(page.app == "App")
        #expect(page.username == "ada")
        let before = try await setting.outcome(of: event).get()
        #expect(before.reason == .notChallenged)
        try await browser.agree()
        #expect(
            browser.location
                == "https://app.example.com/agreed?event_id=\(event.rawValue)&wallet_operation_id=op-1")
        let after = try await setting.outcome(of: event).get()
        #expect(after == SCAAttemptResponse(status: .verified, reason: .valid, remainingAttempts: 5))
        let authorized = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        guard case .verified(let consent) = try setting.shop.claims(of: authorized.authenticationCode).basis else {
            Issue.record("it is exempt")
            return
        }
        #expect(consent.methods == ["otp", "pwd"])
    }

    @Test("The password is one category: after an idle session the app is told that another factor is needed")
    func additionalFactor() async throws {
        let setting = try await TestConsentPage.open(tokensLast: .minutes(30))
        setting.shop.server.clock.advance(by: .minutes(6))
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.agree()
        #expect(browser.location != nil)
        let half = try await setting.outcome(of: event).get()
        #expect(half.status == .failed)
        #expect(half.reason == .additionalFactorRequired)
        #expect(half.availableVerifications.map(\.verification) == [.sms, .email])
        try await browser.open(ticket)
        #expect(browser.end == .superseded)
        try await setting.shop.agree(to: event)
        let whole = try await setting.outcome(of: event).get()
        #expect(whole.status == .verified)
    }

    @Test("attack: a password that has to be changed agrees to nothing, neither on an open page nor on a new one")
    func expiredPassword() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        // Alone: whoever expires one ends the sessions with it, and what is left here is the page.
        try await setting.shop.server.context.database.write { connection in
            _ = try connection.execute("UPDATE accounts SET password_state = 'expired'", [])
        }
        try await browser.agree()
        #expect(browser.location == nil)
        #expect(try await setting.outcome(of: event).get().status == .failed)
        let again = try await setting.shop.challenge(.password, of: event, returnURL: TestConsentPage.returnURL)
        guard case .verificationUnavailable? = again.refusal else {
            Issue.record("it was challenged")
            return
        }
    }

    @Test("The fifth wrong password locks the event, and the right one comes too late")
    func fiveWrong() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        for left in [4, 3, 2, 1] {
            try await browser.agree("not the password")
            #expect(browser.page?.notice == .wrong(remaining: left))
            #expect(browser.isAsking)
            let told = try await setting.outcome(of: event).get()
            #expect(
                told == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: Int64(left)))
        }
        try await browser.agree("not the password")
        #expect(browser.end == .locked)
        try await browser.agree()
        #expect(browser.end == .locked)
        let told = try await setting.outcome(of: event)
        #expect(told.refusal == .over(.locked))
        let messages = try await setting.shop.server.messages()
        #expect(messages.contains { $0.kind == "consent_locked" })
    }

    @Test("attack: of a thousand passwords at once five are compared")
    func thousand() async throws {
        let setting = try await TestConsentPage.open()
        let (_, ticket) = try await setting.link()
        let browser = try await setting.browser(ticket)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    var tab = browser
                    try await tab.agree("not the password \(number)")
                }
            }
            try await group.waitForAll()
        }
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 5)
        let status = try await setting.shop.status()
        #expect(status == .failed)
    }

    @Test("Wrong passwords are counted over all events: a new operation brings no endless tries")
    func acrossEvents() async throws {
        let setting = try await TestConsentPage.open()
        for number in 0..<2 {
            var browser = try await setting.browser(setting.link("op-\(number)").ticket)
            for _ in 0..<5 { try await browser.agree("not the password") }
            #expect(browser.end == .locked)
        }
        var third = try await setting.browser(setting.link("op-3").ticket)
        try await third.agree()
        guard case .tooManyAttempts? = third.page?.notice else {
            Issue.record("it was compared")
            return
        }
        setting.shop.server.clock.advance(by: .minutes(1))
        try await third.agree()
        #expect(third.location != nil)
    }

    @Test("Cancel leaves everything as it was: the page can be opened again")
    func cancel() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.press(.cancel)
        #expect(browser.location?.hasPrefix(TestConsentPage.returnURL) == true)
        let status = try await setting.shop.status()
        #expect(status == .scaRequired)
        let told = try await setting.outcome(of: event).get()
        #expect(told == SCAAttemptResponse(status: .failed, reason: .notChallenged, remainingAttempts: 5))
        try await browser.open(ticket)
        #expect(browser.isAsking)
        try await browser.agree()
        #expect(browser.location != nil)
    }

    @Test("Who did not ask for it refuses it: nobody can agree any more, and the audit record says so")
    func refuse() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.press(.refuse)
        #expect(browser.end == .refused)
        try await browser.agree()
        #expect(browser.end == .over)
        let told = try await setting.outcome(of: event)
        #expect(told.refusal == .over(.cancelled))
        let status = try await setting.shop.status()
        #expect(status == .cancelled)
        let audited = try await setting.shop.server.context.database.read { connection in
            try connection.query("SELECT kind FROM security_events WHERE kind LIKE 'operation.%'", [])
                .map { try $0.text(0) }
        }
        #expect(audited.contains("operation.refused"))
        let evidence = try await setting.shop.verifiedEvidence()
        #expect(evidence.status == .cancelled)
        #expect(evidence.steps.map(\.kind) == [.requested, .challenged, .refused])
        let messages = try await setting.shop.server.messages().filter { $0.kind == "consent_refused" }
        #expect(messages.count == 1)
        #expect(try messages.first?.content.string("amount") == "90.00 EUR")
        #expect(try messages.first?.content.string("payee") == "Anna Verna")
    }

    @Test("The holder reads what was refused, and what to do where it was not they, or was they")
    func refusalRead() async throws {
        let setting = try await TestConsentPage.open()
        var browser = try await setting.browser(setting.link().ticket)
        try await browser.press(.refuse)
        let reader = try #require(setting.shop.server.flows.messages)
        let message = try #require(try await reader.recent(limit: 10).first { $0.kind == "consent_refused" })
        #expect(message.channel == "email")
        #expect(message.text.contains("90.00 EUR to account DE02120300000000202051 (Anna Verna)"))
        #expect(message.text.contains("Then somebody else began it"))
        #expect(message.text.contains("change your password"))
    }

    @Test("attack: refusing again and again fills no mailbox: the first five are told, and each stays on record")
    func manyRefusals() async throws {
        let setting = try await TestConsentPage.open()
        for number in 1...8 {
            var browser = try await setting.browser(setting.link("op-\(number)").ticket)
            try await browser.press(.refuse)
            #expect(browser.end == .refused)
            // Twice is once: it is over then.
            try await browser.press(.refuse)
        }
        let told = try await setting.shop.server.messages().filter { $0.kind == "consent_refused" }
        #expect(told.count == 5)
        let recorded = try await setting.shop.server.context.database.read {
            try $0.row("SELECT COUNT(*) FROM security_events WHERE kind = 'operation.refused'", [])?.integer(0)
        }
        #expect(recorded == 8)
    }

    @Test("Refusing also undoes what somebody else agreed to in the app, while it was not carried out")
    func refuseLate() async throws {
        let setting = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await setting.shop.agree(to: event)
        try await browser.press(.refuse)
        #expect(browser.end == .refused)
        let consumed = try await setting.shop.consume(TestShop.transfer(), event: event)
        #expect(consumed.refusal == .over(.cancelled))
        // What was carried out stays carried out.
        let (second, link) = try await setting.link("op-2")
        var late = try await setting.browser(link)
        try await late.agree()
        _ = try await setting.shop.consume(TestShop.transfer(), event: second, id: "op-2").get()
        try await late.press(.refuse)
        #expect(late.end == .agreed)
    }

    @Test("attack: whoever voids a page by another challenge does not take the refusal from the one who has it open")
    func refuseSuperseded() async throws {
        let setting = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        _ = try await setting.shop.challenge(.sms, of: event).get()
        try await browser.press(.refuse)
        #expect(browser.end == .refused)
        let agreed = try await setting.shop.attempt(setting.shop.code(), .sms, at: event)
        #expect(agreed.refusal == .over(.cancelled))
        // A link that is opened only now is told that it is void, and has no form to refuse by.
        let (second, first) = try await setting.link("op-2")
        _ = try await setting.ticket(of: second, id: "op-2")
        let late = try await setting.browser(first)
        #expect(late.end == .superseded)
        #expect(late.form == nil)
    }

    @Test("A page that is sent again after it agreed compares nothing, and leads back once more")
    func replay() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.agree()
        try await browser.agree("not the password")
        #expect(browser.location != nil)
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 1)
        try await browser.open(ticket)
        #expect(browser.end == .agreed)
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        try await browser.agree()
        #expect(browser.end == .agreed)
    }

    @Test("Another challenge voids the page before it, and its password is not compared")
    func superseded() async throws {
        let setting = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, first) = try await setting.link()
        var old = try await setting.browser(first)
        let second = try await setting.ticket(of: event)
        #expect(first != second)
        try await old.agree("not the password")
        #expect(old.end == .superseded)
        _ = try await setting.shop.challenge(.sms, of: event).get()
        var new = try await setting.browser(second)
        #expect(new.end == .superseded)
        try await new.open(first)
        #expect(new.end == .superseded)
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 0)
    }

    @Test("attack: a link or a form that was changed, made for something else or served to another browser is stale")
    func forged() async throws {
        let setting = try await TestConsentPage.open()
        let (_, ticket) = try await setting.link()
        let (_, other) = try await setting.link("op-2")
        var changed = Array(ticket)
        changed[changed.count / 2] = changed[changed.count / 2] == "A" ? "B" : "A"
        for wrong in [String(changed), "", "ticket", String(ticket.dropLast(8))] {
            let browser = try await setting.browser(wrong)
            #expect(browser.isStale)
        }
        let browser = try await setting.browser(ticket)
        let form = try #require(browser.form)
        let elsewhere = try #require(try await setting.browser(other).form)
        let right = ConsentPageSubmission.Action.agree(try Password(TestConsentPage.password))
        // The ticket is no form, a form is no ticket, and no token is another form's.
        for (request, csrf) in [
            (ticket, form.csrf), (form.request, "forged"), (form.request, elsewhere.csrf),
            (elsewhere.request, form.csrf),
        ] {
            var tab = browser
            try await tab.send(ConsentPageSubmission(request: request, csrf: csrf, action: right))
            #expect(tab.isStale)
        }
        let opened = try await setting.browser(form.request)
        #expect(opened.isStale)
        for binding in [nil, "", Base64URL.encode([UInt8](repeating: 1, count: 32))] as [String?] {
            var stranger = browser
            stranger.cookies.binding = binding
            try await stranger.press(right)
            #expect(stranger.isStale)
        }
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 0)
    }

    @Test("attack: a ticket signs nobody in, and a form of the sign-in page agrees to nothing")
    func singlePurpose() async throws {
        let setting = try await TestConsentPage.open()
        let (_, ticket) = try await setting.link()
        let browser = try await setting.browser(ticket)
        let form = try #require(browser.form)
        for request in [ticket, form.request] {
            let answer = try await setting.shop.server.flows.authorization.submit(
                PageSubmission(request: request, csrf: form.csrf, action: .cancel), cookies: browser.cookies,
                origin: TestServer.origin)
            guard case .refused(.stalePage) = answer.outcome else {
                Issue.record("a form of the consent page was taken for a sign-in")
                continue
            }
            let account = try await setting.shop.server.flows.accountPages.submit(
                AccountPageSubmission(request: request, csrf: form.csrf, action: .show), cookies: browser.cookies,
                origin: TestServer.origin)
            guard case .refused(.stalePage) = account.outcome else {
                Issue.record("a form of the consent page was taken for the account's")
                continue
            }
        }
        #expect(browser.cookies.session == nil)
        #expect(browser.cookies.device == nil)
    }

    @Test("attack: a link that is sent to somebody else takes the holder's password, and nobody else's")
    func sentToAVictim() async throws {
        let setting = try await TestConsentPage.open()
        _ = try await setting.shop.server.account("bob", password: "bobs own battery staple")
        let (event, ticket) = try await setting.link()
        var bob = try await setting.browser(ticket)
        #expect(bob.page?.username == "ada")
        try await bob.agree("bobs own battery staple")
        #expect(bob.page?.notice == .wrong(remaining: 4))
        let told = try await setting.outcome(of: event).get()
        #expect(told.status == .failed)
    }

    @Test("A page is good for as long as its event, and not for longer than fifteen minutes")
    func expired() async throws {
        let setting = try await TestConsentPage.open(tokensLast: .minutes(30))
        let event = try await setting.shop.required(TestShop.transfer())
        setting.shop.server.clock.advance(by: .minutes(4))
        let ticket = try await setting.ticket(of: event)
        var browser = try await setting.browser(ticket)
        setting.shop.server.clock.advance(by: .minutes(11))
        try await browser.agree()
        #expect(browser.end == .over)
        setting.shop.server.clock.advance(by: .minutes(4))
        try await browser.open(ticket)
        #expect(browser.isStale)
        try await browser.agree()
        #expect(browser.isStale)
    }

    @Test("A page ends with the session whose operation it is, with the account, and with its return URL")
    func ended() async throws {
        let signedOut = try await TestConsentPage.open()
        var browser = try await signedOut.browser(signedOut.link().ticket)
        let session = try await signedOut.shop.session()
        let id = try #require(UniqueID(bytes: session.bytes))
        let now = signedOut.shop.server.clock.now()
        try await signedOut.shop.server.context.database.write { connection in
            _ = try connection.execute(
                "UPDATE sessions SET revoked_at = $1, revoked_reason = 'logout' WHERE id = $2", [.time(now), .id(id)])
        }
        try await browser.agree()
        #expect(browser.isStale)

        let closed = try await TestConsentPage.open()
        var closing = try await closed.browser(closed.link().ticket)
        try await closed.shop.server.administer(.account(.deactivate(.username("ada", brand: nil))))
        try await closing.agree()
        #expect(closing.isStale)

        let moved = try await TestConsentPage.open()
        var moving = try await moved.browser(moved.link().ticket)
        var change = ClientChange()
        change.removedReturnURLs = [TestConsentPage.returnURL]
        try await moved.shop.server.administer(.client(.update(id: "app", change)))
        try await moving.agree()
        #expect(moving.isStale)
    }

    @Test(
        "Open redirect: a return URL that is not registered to the letter is refused before anything else",
        arguments: [
            "https://evil.example/", "https://app.example.com@evil.example/agreed",
            "https://app.example.com/agreed/..;/evil", "https://app.example.com/agreed/../x",
            "https://APP.example.com/agreed", "https://app.example.com/%61greed", "https://app.example.com./agreed",
            "https://app.example.com/agreed#fragment", "https://*.example.com/agreed", "javascript:alert(1)",
            "http://localhost/agreed", "https://app.example.com/agreed?more", "https://app.example.com/agreed/",
            "https://app.example.com/Agreed", "https://app.example.com:8443/agreed", "//evil.example/agreed",
            "https://app.example.com/callback",
        ])
    func openRedirect(url: String) async throws {
        let setting = try await TestConsentPage.open()
        let event = try await setting.shop.required(TestShop.transfer())
        // What is no redirect URI at all is refused where the request is parsed.
        guard (try? RedirectURI(url)) != nil else { return }
        let outcome = try await setting.shop.challenge(.password, of: event, returnURL: url)
        #expect(outcome.refusal == .returnURLNotRegistered)
        let challenged = try await setting.shop.server.context.database.read { connection in
            try connection.row("SELECT state FROM wallet_operations", [])?.text(0)
        }
        #expect(challenged == "open")
    }

    @Test("Without a return URL no page is offered, and there is no PIN of the account to type on one")
    func unavailable() async throws {
        let without = try await TestShop.open(methods: ["otp"])
        let asked = try await without.ask(TestShop.transfer()).get()
        #expect(!asked.availableVerifications.contains { $0.verification.channel == .redirect })
        let setting = try await TestConsentPage.open()
        let response = try await setting.shop.ask(TestShop.transfer()).get()
        #expect(response.availableVerifications.map(\.verification) == [.password])
        let event = try #require(response.eventID)
        let pin = try await setting.shop.challenge(.hostedPIN, of: event, returnURL: TestConsentPage.returnURL)
        guard case .verificationUnavailable(let offered)? = pin.refusal else {
            Issue.record("it was challenged")
            return
        }
        #expect(offered.map(\.verification) == [.password])
    }
}
