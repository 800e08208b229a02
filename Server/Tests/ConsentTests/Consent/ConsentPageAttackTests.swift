import ArgumentParser
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Attacks on the page on which people agree", .threat("open redirect: user information", "Phishing for a consent"))
struct ConsentPageAttackTests {
    @Test("attack: a password that has to be changed agrees to nothing, neither on an open page nor on a new one")
    func expiredPassword() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        // Alone: expiring a password ends the sessions too, and only the page is left here.
        try await setting.shop.server.context.database.write { connection in
            _ = try connection.execute("UPDATE accounts SET password_state = 'expired'", [])
        }
        try await browser.agree()
        #expect(browser.location == nil)
        #expect(try await setting.outcome(of: event).get().status == .failed)
        let again = try await setting.shop.challenge(.password, of: event, returnURL: TestConsentPage.returnURL)
        guard case .verificationUnavailable? = again.refusal else {
            Issue.record("it was challenged: \(String(describing: again.refusal))")
            return
        }
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
            #expect(browser.errorLook == nil, "a forged link borrows a brand's look")
        }
        let browser = try await setting.browser(ticket)
        let form = try #require(browser.form)
        let elsewhere = try #require(try await setting.browser(other).form)
        let right = ConsentPage.Action.agree(try Password(TestConsentPage.password))
        // The ticket is no form, a form is no ticket, and no token is another form's.
        for (request, csrf) in [
            (ticket, form.csrf), (form.request, "forged"), (form.request, elsewhere.csrf),
        ] {
            var tab = browser
            try await tab.send(PageSubmission(request: request, csrf: csrf, action: right))
            #expect(tab.isStale)
        }
        // A form of another browser is worth as much as its link.
        var tab = browser
        try await tab.send(PageSubmission(request: elsewhere.request, csrf: form.csrf, action: right))
        #expect(tab.restart?.hasPrefix("https://auth.example.com/consent?ticket=") == true)
        let opened = try await setting.browser(form.request)
        #expect(opened.isStale)
        let another = Base64URL.encode([UInt8](repeating: 1, count: 32))
        for binding in [nil, "", another] as [String?] {
            var stranger = browser
            stranger.cookies.binding = binding
            try await stranger.press(right)
            #expect((stranger.restart != nil) == (binding == another))
            #expect(stranger.page == nil && stranger.location == nil)
        }
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 0)
    }

    @Test("attack: a ticket does not sign in, and a form of the sign-in page agrees to nothing")
    func singlePurpose() async throws {
        let setting = try await TestConsentPage.open()
        let (_, ticket) = try await setting.link()
        let browser = try await setting.browser(ticket)
        let form = try #require(browser.form)
        for request in [ticket, form.request] {
            let answer = try await setting.shop.server.flows.signIn.authorization.submit(
                PageSubmission(request: request, csrf: form.csrf, action: .cancel), cookies: browser.cookies,
                origin: TestServer.origin)
            guard case .refused(.stalePage) = answer.outcome else {
                Issue.record(
                    "a form of the consent page was taken for a sign-in: \(String(describing: answer.outcome))")
                continue
            }
            let account = try await setting.shop.server.flows.signIn.accountPages.submit(
                PageSubmission(request: request, csrf: form.csrf, action: .show), cookies: browser.cookies,
                origin: TestServer.origin)
            guard case .refused(.stalePage) = account.outcome else {
                Issue.record(
                    "a form of the consent page was taken for the account's: \(String(describing: account.outcome))")
                continue
            }
        }
        #expect(browser.cookies.session == nil)
        #expect(browser.cookies.device == nil)
    }

    @Test("attack: an app that is no longer first-party has people agree by a link or an open page from before")
    func formerOwnApp() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var open = try await setting.browser(ticket)
        var change = try ClientChange.parse([])
        change.firstParty = false
        try await setting.shop.server.administer {
            try await ClientAdministration($0).update(setting.shop.device.app.client.id.rawValue, change)
        }
        try await open.agree()
        #expect(open.isStale)
        let other = try await setting.browser(ticket)
        #expect(other.isStale)
        #expect(try await setting.shop.consume(TestShop.transfer(), event: event).refusal == .notVerified)
    }

    @Test("attack: a link that is sent to another person takes only the holder's password")
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
            try connection.row("SELECT state FROM wallet_operations", [])?.text("state")
        }
        #expect(challenged == "open")
    }
}
