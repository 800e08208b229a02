import Foundation
import Testing

/// The account's own page, walked as a person does in a browser without script.
@Suite("The account's own page against the running server")
struct AccountPageEndToEndTests {
    private func page(_ arrival: HeadlessBrowser.Arrival) throws -> (url: URL, answer: WebAnswer) {
        guard case .page(let url, let answer) = arrival else {
            throw HeadlessBrowser.Stuck(description: "no page: \(arrival)")
        }
        return (url, answer)
    }

    /// Presses a button, whichever form of the page it stands in: they carry the same hidden fields.
    private func press(
        _ action: String, on page: (url: URL, answer: WebAnswer), in browser: HeadlessBrowser,
        typing fields: [String: String] = [:]
    ) async throws -> (url: URL, answer: WebAnswer) {
        let form = try await browser.form(on: page.answer, at: page.url)
        let typed = fields.merging(["action": action]) { _, new in new }
        return try self.page(await browser.submit(form, typing: typed, until: "none:"))
    }

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
            let asked = try page(await browser.open(address, until: "none:"))
            let overview = try await press("sign_in", on: asked, in: browser, typing: login)
            #expect(overview.answer.text.contains("Not set up"))
            let waiting = try await press("set_up_authenticator", on: overview, in: browser)
            #expect(waiting.url == address)
            let secret = try secret(on: waiting.answer)
            server.ledger.enter(secret)
            let app = AuthenticatorApp(secret: secret)
            let wrong = try await press(
                "confirm_authenticator", on: waiting, in: browser, typing: ["code": "00000x"])
            #expect(wrong.answer.status == 400)
            let done = try await press(
                "confirm_authenticator", on: wrong, in: browser, typing: ["code": app.code(stepsAway: -1)])
            #expect(done.answer.status == 200)
            #expect(done.answer.text.contains("The authenticator app is on."))

            // Another browser, an app's sign-in: the page asks for the code.
            let client = StandardClient(try await server.makePublicClient(), at: server)
            let journey = await client.beginAuthorization()
            let other = HeadlessBrowser(ledger: server.ledger)
            let first = try page(await other.open(journey.url, until: client.client.redirectURI))
            let second = try page(
                await other.submit(
                    other.form(on: first.answer, at: first.url), typing: login, until: client.client.redirectURI))
            #expect(second.answer.text.contains("Enter the code that your authenticator app shows."))
            let arrival = try await other.submit(
                other.form(on: second.answer, at: second.url), typing: ["answer": app.code()],
                until: client.client.redirectURI)
            guard case .callback(let callback) = arrival else {
                Issue.record("the code was not taken: \(arrival)")
                return
            }
            let code = try #require(queryItems(of: callback.absoluteString)["code"])
            _ = try client.tokens(await client.redeem(code, verifier: journey.verifier))

            // The cookie that this sign-in left opens the account's page, and changes nothing by itself.
            let seen = try page(await other.open(address, until: "none:"))
            #expect(seen.answer.text.contains("make_recovery_codes"))
            let again = try await press("make_recovery_codes", on: seen, in: other)
            #expect(again.answer.text.contains("name=\"password\""))
            let factor = try await press("sign_in", on: again, in: other, typing: login)
            let made = try await press(
                "answer_factor", on: factor, in: other, typing: ["answer": app.code(stepsAway: 1)])
            let codes = made.answer.text.matches(of: /<li><code>([A-Z2-7-]{19})<\/code>/).map { String($0.output.1) }
            #expect(codes.count == 10, "\(made.answer.text)")
            for code in codes { server.ledger.enter(code) }
        }
    }
}
