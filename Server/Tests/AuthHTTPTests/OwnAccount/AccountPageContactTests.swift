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
    "The holder's address, number and language on the account's page", .threat("The account's own page"),
    .covers("changing an address by a code to the new one"))
struct AccountPageContactTests {
    private static let new = "maria.new@example.com"

    private func text(_ key: OwnAccountPageText) -> String { Language.english.ownAccountPageText[key] }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("The page says who is signed in, and to a cookie alone with most of the address hidden")
    func whoIsSignedIn() async throws {
        try await AccountPageVisit.make(name: "Maria Petrova") { visit in
            let page = visit.overview.text
            #expect(page.contains("<h1>Your account</h1>"))
            for words in ["You are signed in as maria.", "<p>Maria Petrova</p>", AccountPageVisit.email] {
                #expect(page.contains(words), "\(words)")
            }
            let warning = HTMLEscaping().escapeText(Language.english.accountText[.cookieLead])
            #expect(!page.contains(warning))
            let stolen = try await visit.stolen().1.text
            #expect(stolen.contains(warning), "\(stolen)")
            #expect(stolen.contains("m…\u{2060}@example.com"))
            #expect(!stolen.contains(AccountPageVisit.email))
        }
    }

    @Test("A code to the new address changes it: the old one gets word first, and this browser stays signed in")
    func email() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_email", on: visit.overview)
            #expect(form.status == .ok)
            #expect(form.text.contains("<h1>\(text(.emailHeading))</h1>"))
            #expect(form.text.contains("sign in and recover the account with the new address instead of the old one."))
            #expect(form.text.contains("Your apps stay signed in, your other browsers are signed out"))
            #expect(form.text.contains("you can’t close the account for 24\u{A0}hours."))
            #expect(!text(.phoneLead).contains("address"))
            let typo = try await visit.press("send_email_code", on: form, [("email", "maria at home")])
            #expect(typo.status == .badRequest)
            #expect(typo.hasAtField(text(.unusableEmail)))
            #expect(typo.text.contains("value=\"maria at home\""))
            let same = try await visit.press("send_email_code", on: typo, [("email", AccountPageVisit.email)])
            #expect(same.status == .conflict)
            #expect(same.hasAtField(text(.emailUnchanged)))
            let sent = try await visit.press("send_email_code", on: same, [("email", " \(Self.new) ")])
            #expect(sent.status == .ok)
            // In full, so that a typing error is noticed, also after a wrong code.
            #expect(sent.text.replacing("<wbr>", with: "").contains("We sent a code to \(Self.new)."))
            #expect(try await visit.server.sentKinds(to: AccountPageVisit.email).first == "email_change_requested")
            let code = try await visit.server.sentCode(to: Self.new)
            let missed = try await visit.press("confirm_email", on: sent, [("contact_code", wrong(code))])
            #expect(missed.status == .badRequest)
            #expect(missed.hasAtField(Language.english.text[.invalidCode]))
            #expect(missed.text.replacing("<wbr>", with: "").contains("We sent a code to \(Self.new)."))
            let done = try await visit.press("confirm_email", on: missed, [("contact_code", code)])
            #expect(done.status == .ok)
            #expect(done.text.contains(text(.emailChanged)))
            for address in [AccountPageVisit.email, Self.new] {
                #expect(try await visit.server.sentKinds(to: address).contains("email_changed"))
            }
            // The sign-in on this page still counts.
            #expect(try await visit.press("choose_language", on: done).text.contains(text(.languageHeading)))
        }
    }

    @Test("A double click sends one code and changes the address once, with the same page for both clicks")
    func doubleClick() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_email", on: visit.overview)
            var sent = form
            for _ in 0..<2 {
                sent = try await visit.press("send_email_code", on: form, [("email", Self.new)])
                #expect(sent.text.contains("name=\"contact_code\""), "\(sent.text)")
            }
            #expect(try await visit.server.sentKinds(to: Self.new).count == 1)
            let code = try await visit.server.sentCode(to: Self.new)
            var missed = sent
            for _ in 0..<2 {
                missed = try await visit.press("confirm_email", on: sent, [("contact_code", wrong(code))])
                #expect(missed.hasAtField(Language.english.text[.invalidCode]), "\(missed.text)")
            }
            #expect(try await visit.server.count("SELECT tries AS n FROM contact_changes") == 1)
            for _ in 0..<2 {
                let done = try await visit.press("confirm_email", on: missed, [("contact_code", code)])
                #expect(done.text.contains(text(.emailChanged)), "\(done.text)")
            }
            let events = "SELECT COUNT(*) AS n FROM security_events WHERE kind = 'account.email_changed'"
            #expect(try await visit.server.count(events) == 1)
        }
    }

    @Test("attack: after five wrong codes even the right one changes nothing, and the form asks for the address again")
    func guessing() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_email", on: visit.overview)
            var page = try await visit.press("send_email_code", on: form, [("email", Self.new)])
            let code = try await visit.server.sentCode(to: Self.new)
            for _ in 0..<5 {
                page = try await visit.press("confirm_email", on: page, [("contact_code", wrong(code))])
                #expect(page.status == .badRequest)
            }
            #expect(page.hasAtField(text(.codeOver)), "\(page.text)")
            let late = try await visit.press("confirm_email", on: page, [("contact_code", code)])
            #expect(late.hasAtField(text(.codeOver)))
            #expect(try await visit.server.sentKinds(to: Self.new) == ["new_email_code"])
        }
    }

    @Test("A number is added by a code to it, and a mistyped one is named at its field")
    func phone() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_phone", on: visit.overview)
            let typo = try await visit.press("send_phone_code", on: form, [("phone", "0049301234")])
            #expect(typo.status == .badRequest)
            #expect(typo.hasAtField(text(.unusablePhone)))
            let sent = try await visit.press("send_phone_code", on: typo, [("phone", "+359 2 123 4567")])
            let code = try await visit.server.sentCode(to: "+35921234567")
            let done = try await visit.press("confirm_phone", on: sent, [("contact_code", code)])
            #expect(done.text.contains(text(.phoneAdded)), "\(done.text)")
            // Of the first number, nothing says that it changed.
            #expect(form.text.contains("Once the number is added"))
            let activity = try await visit.press("show_activity", on: done)
            #expect(activity.text.contains(">The phone number was added.</h2>"), "\(activity.text)")
            #expect(!activity.text.contains("The phone number was changed."))
            let again = try await visit.press("change_phone", on: done)
            #expect(again.text.contains("When it changes"), "\(again.text)")
        }
    }

    @Test("Codes that are asked for too often wait, which the field says")
    func limit() async throws {
        try await AccountPageVisit.make { visit in
            var page = visit.overview
            for number in 0...5 {
                let form = try await visit.press("change_email", on: page)
                page = try await visit.press("send_email_code", on: form, [("email", "maria\(number)@example.com")])
            }
            #expect(page.status == .tooManyRequests, "\(page.text)")
            #expect(page.headers[.retryAfter] != nil)
            #expect(page.text.contains("value=\"maria5@example.com\""))
            #expect(page.text.contains("aria-invalid=\"true\""))
        }
    }

    @Test("Where no SMS is sent, the row says so, and the form as well")
    func withoutSMS() async throws {
        try await TestServer.use(settings: { $0.undeliverableFactors = [.sms] }) { server in
            try await server.serve { client in
                var visit = try await AccountPageVisit.begin(server, client)
                #expect(visit.overview.text.contains(HTMLEscaping().escapeText(text(.phoneOff))))
                #expect(!visit.overview.text.contains("value=\"change_phone\""))
                let form = try await visit.press("change_phone", on: visit.overview)
                let refused = try await visit.press("send_phone_code", on: form, [("phone", "+35921234567")])
                #expect(refused.status == .conflict)
                #expect(refused.hasAtField(text(.phoneOff)))
            }
        }
    }

    @Test("attack: a stolen cookie neither changes the address nor sends a code", arguments: ["email", "phone"])
    func stolenCookie(kind: String) async throws {
        try await AccountPageVisit.make { visit in
            var (thief, page) = try await visit.stolen()
            let typed = [(kind, kind == "email" ? "eve@example.com" : "+35921234567")]
            let attempts: [(String, [(String, String)])] = [("change_\(kind)", []), ("send_\(kind)_code", typed)]
            for (action, more) in attempts {
                let asked = try await thief.press(action, on: page, more)
                #expect(asked.text.contains("name=\"password\""), "\(action)")
            }
            let form = try await thief.press("choose_language", on: page)
            #expect(form.text.contains("name=\"password\""))
            #expect(try await visit.server.count("SELECT COUNT(*) AS n FROM contact_changes") == 0)
            page = try await thief.press("set_language", on: page, [("language", "bg")])
            #expect(page.text.contains("name=\"password\""))
        }
    }

    @Test(
        "attack: during the cooling period after a recovery nothing is changed, exported or closed",
        arguments: ["change_email", "change_phone", "choose_language", "ask_to_export", "ask_to_close"])
    func cooling(action: String) async throws {
        try await AccountPageVisit.make { visit in
            try await visit.server.server.context.database.write {
                _ = try $0.execute("UPDATE accounts SET cooling_until = 9000000000000", [])
            }
            let refused = try await visit.press(action, on: visit.overview)
            #expect(refused.status == .forbidden, "\(refused.text)")
            #expect(refused.text.contains("The account was recovered recently."))
        }
    }

    @Test("attack: a sign-in that is minutes old changes, exports and closes nothing")
    func staleSignIn() async throws {
        try await AccountPageVisit.make { visit in
            try await visit.server.server.context.database.write {
                _ = try $0.execute("UPDATE browser_sessions SET auth_time = auth_time - 3600000", [])
            }
            for action in ["change_email", "change_phone", "choose_language", "ask_to_export", "ask_to_close"] {
                let asked = try await visit.press(action, on: visit.overview)
                #expect(asked.text.contains("name=\"password\""), "\(action)")
            }
        }
    }

    @Test("attack: a code that another session asked for is taken by that session alone")
    func stolenSession() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_email", on: visit.overview)
            _ = try await visit.press("send_email_code", on: form, [("email", Self.new)])
            let code = try await visit.server.sentCode(to: Self.new)
            var other = try await AccountPageVisit.again(visit.server, visit.browser.client)
            let ownForm = try await other.press("change_email", on: other.overview)
            let refused = try await other.press("confirm_email", on: ownForm, [("contact_code", code)])
            #expect(refused.hasAtField(text(.codeOver)), "\(refused.text)")
        }
    }

    @Test("attack: members of the account in the form, and another account's id, change nothing (mass assignment)")
    func massAssignment() async throws {
        try await AccountPageVisit.make { visit in
            let more = [
                ("email", Self.new), ("email_state", "verified"), ("emailVerified", "true"), ("username", "eve"),
                ("phone", "+35921234567"), ("account", "00000000-0000-4000-8000-000000000000"),
            ]
            let form = try await visit.press("change_email", on: visit.overview)
            let sent = try await visit.press("send_email_code", on: form, more)
            #expect(sent.text.contains("name=\"contact_code\""))
            let account = try await visit.server.server.context.database.read {
                try #require(try Accounts.find(named: "maria", brand: "default", on: $0))
            }
            let vault = AccountVault(visit.server.server.context.sealing)
            #expect(vault.email(of: account) == AccountPageVisit.email)
            #expect(account.phone == nil)
        }
    }

    @Test("attack: markup in what was typed is text")
    func markup() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_email", on: visit.overview)
            let attack = "\"><script>alert(1)</script>"
            let page = try await visit.press("send_email_code", on: form, [("email", attack)])
            #expect(!page.text.contains("<script"))
            #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        }
    }

    @Test("The language of messages is chosen from the five, and the next message is in it")
    func language() async throws {
        try await AccountPageVisit.make { visit in
            let list = try await visit.press("choose_language", on: visit.overview)
            for name in ["English", "Deutsch", "Français", "Español", "Български"] {
                #expect(list.text.contains(">\(name)</h2>"), "\(name)")
            }
            let done = try await visit.press("set_language", on: list, [("language", "de")])
            let sentence = "From now on, we’ll write to you in German (Deutsch)."
            #expect(done.text.contains(HTMLEscaping().escapeText(sentence)), "\(done.text)")
            #expect(done.text.contains("<p>Deutsch</p>"))
            let activity = try await visit.press("show_activity", on: done)
            #expect(activity.text.contains(">The language of your messages was changed.</h2>"), "\(activity.text)")
            let form = try await visit.press("change_email", on: done)
            _ = try await visit.press("send_email_code", on: form, [("email", Self.new)])
            let messages = try await visit.server.server.messages?.recent(limit: 20) ?? []
            let word = try #require(messages.first { $0.kind == "email_change_requested" })
            #expect(word.text.contains("Für Ihr Konto"))
            #expect(try await visit.press("set_language", on: done, [("language", "xx")]).status == .badRequest)
        }
    }
}
