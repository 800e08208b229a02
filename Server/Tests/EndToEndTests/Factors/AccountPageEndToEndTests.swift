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
            let address = await server.url("/account/security")
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
}
