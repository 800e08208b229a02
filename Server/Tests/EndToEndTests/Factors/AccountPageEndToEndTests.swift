import Foundation
import Testing

/// The account's own page, walked as a person does in a browser without script.
@Suite("The account's own page against the running server")
struct AccountPageEndToEndTests {
    private func secret(on page: WebAnswer) throws -> String {
        let link = try #require(page.text.firstMatch(of: /href="(otpauth:\/\/totp\/[^"]*)"/), "\(page.text)")
        let uri = String(link.output.1).replacing("&amp;", with: "&")
        return try #require(queryItems(of: uri)["secret"])
    }

    @Test("An authenticator app is set up on the page, a page's sign-in asks for its code, and recovery codes follow")
    func walk() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let login = ["username": person.username, "password": person.password]
            let address = await server.url("/account")
            let browser = HeadlessBrowser(ledger: server.ledger)
            let asked = try await browser.open(address, until: "none:").shown
            let overview = try await browser.press("sign_in", on: asked, typing: login)
            #expect(overview.answer.text.contains("Not set up"))
            let waiting = try await browser.press("set_up_authenticator", on: overview)
            #expect(waiting.url.path() == address.path())
            let secret = try secret(on: waiting.answer)
            server.ledger.enter(secret)
            let app = AuthenticatorApp(secret: secret)
            let wrong = try await browser.press(
                "confirm_authenticator", on: waiting, typing: ["code": "00000x"])
            #expect(wrong.answer.status == 400)
            let done = try await browser.press(
                "confirm_authenticator", on: wrong, typing: ["code": try await app.nextCode()])
            #expect(done.answer.status == 200)
            #expect(done.answer.text.contains("The authenticator app is on."))

            // Another browser, an app's sign-in: the page asks for the code.
            let client = StandardClient(try await server.makePublicClient(options: ["--allow-bearer"]), at: server)
            let journey = await client.beginAuthorization()
            let other = HeadlessBrowser(ledger: server.ledger)
            let first = try await other.open(journey.url, until: client.client.redirectURI).shown
            let second = try await other.submit(
                other.form(on: first.answer, at: first.url), typing: login, until: client.client.redirectURI
            ).shown
            #expect(second.answer.text.contains("Enter the code from your authenticator app."))
            let arrival = try await other.submit(
                other.form(on: second.answer, at: second.url), typing: ["answer": try await app.nextCode()],
                until: client.client.redirectURI)
            guard case .callback(let callback) = arrival else {
                Issue.record("the code was not taken: \(arrival)")
                return
            }
            let code = try #require(queryItems(of: callback.absoluteString)["code"])
            _ = try client.tokens(await client.redeem(code, verifier: journey.verifier))

            // The cookie that this sign-in left opens the account's page, and changes nothing by itself.
            let seen = try await other.open(address, until: "none:").shown
            #expect(seen.answer.text.contains("make_recovery_codes"))
            let again = try await other.press("make_recovery_codes", on: seen)
            #expect(again.answer.text.contains("name=\"password\""))
            let factor = try await other.press("sign_in", on: again, typing: login)
            let made = try await other.press(
                "answer_factor", on: factor, typing: ["answer": try await app.nextCode()])
            let codes = made.answer.text.matches(of: /<li><code>([A-Z2-7-]{19})<\/code>/).map { String($0.output.1) }
            #expect(codes.count == 10, "\(made.answer.text)")
            for code in codes { server.ledger.enter(code) }
        }
    }

    @Test("A person adds an address by its code, closes the account on the page, and takes that back without a session")
    func closing() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let login = ["username": person.username, "password": person.password]
            let browser = HeadlessBrowser(ledger: server.ledger)
            let asked = try await browser.open(await server.url("/account"), until: "none:").shown
            let overview = try await browser.press("sign_in", on: asked, typing: login)
            let form = try await browser.press("change_email", on: overview)
            let sent = try await browser.press("send_email_code", on: form, typing: ["email": "ada@example.com"])
            let code = try await server.newestCode()
            server.ledger.enter(code)
            let changed = try await browser.press("confirm_email", on: sent, typing: ["contact_code": code])
            #expect(changed.answer.text.contains("Your e-mail address was added."), "\(changed.answer.text)")
            // As a day later.
            try await server.write("UPDATE attempts SET expires_at = 1 WHERE next_allowed_at > expires_at - 1000")

            // The address is a second factor now.
            let factor = try await browser.press("ask_to_close", on: changed)
            let proof = try await server.newestCode()
            server.ledger.enter(proof)
            let question = try await browser.press("answer_factor", on: factor, typing: ["answer": proof])
            let closed = try await browser.press("close_account", on: question)
            let keepCode = try #require(
                closed.answer.text.firstMatch(of: /<code>([A-Z2-7-]{19})<\/code>/), "\(closed.answer.text)"
            ).output.1
            server.ledger.enter(String(keepCode))
            let refused = try await browser.press(
                "sign_in", on: browser.open(await server.url("/account"), until: "none:").shown, typing: login)
            #expect(refused.answer.status >= 400, "\(refused.answer.text)")

            let other = HeadlessBrowser(ledger: server.ledger)
            let keeping = try await other.open(await server.url("/account/keep"), until: "none:").shown
            let kept = try await other.press("keep_account", on: keeping, typing: ["keep_code": String(keepCode)])
            #expect(kept.answer.text.contains("Your account stays open"), "\(kept.answer.text)")
        }
    }
}
