import Foundation
import Testing

/// A browser's history: no page of it is the answer to a form.
@Suite(
    "Back and Reload against the running server", .covers("a form in a second tab, a double click or a reload fails"))
struct HistoryEndToEndTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    private struct Seen: Decodable {
        /// The page of a payment after a wrong password and six reloads. After the approval Reload, Back and Forward.
        let reloaded: String
        let payment: [String]
        /// Back after a sign-in with name, password and code, and where its page leads.
        let faultless: [String]
        let onward: String
        /// The same after a wrong password.
        let mistyped: [String]
        /// The account page after a new password, also reloaded, and Back from there.
        let changed: String
        let changedAndReloaded: String
        let account: [String]

        var all: [String] {
            [reloaded, onward, changed, changedAndReloaded] + payment + faultless + mistyped + account
        }
    }

    @Test(
        "In Chromium, Back and Reload never ask whether to send a form again, and say where things are",
        .onceForAllEngines)
    func chromium() async throws {
        try await ConsentPageEndToEndTests().withSetting { setting in
            let server = setting.server
            let output = try await server.require([
                "client", "create", "broker", "--name", "Broker", "--confidential", "--first-party",
                "--redirect-uri", Self.redirectURI, "--scope", "openid", "--json",
            ])
            let created = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            let secret = try #require(created?["clientSecret"] as? String)
            server.ledger.enter(secret)
            let client = StandardClient(
                RegisteredClient(id: "broker", secret: secret, redirectURI: Self.redirectURI), at: server)
            let journey = await client.beginAuthorization(scope: "openid")
            let (_, payment) = try await setting.link("history")
            let next = "Pw-\(UUID().uuidString)"
            server.ledger.enter(next)
            let printed = try await server.peer(
                "chromium_history.py",
                [
                    await server.issuer.absoluteString, journey.url.absoluteString, payment.absoluteString,
                    setting.person.username,
                ], input: setting.person.password + "\n" + next + "\n")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let seen = try decoder.decode(Seen.self, from: printed)
            for text in seen.all {
                #expect(!text.contains("ERR_CACHE_MISS") && !text.contains("Confirm Form Resubmission"), "\(text)")
                #expect(!text.contains("This page has expired"), "\(text)")
            }
            #expect(seen.reloaded.contains("Attempts left: 4."), "\(seen.reloaded)")
            for text in seen.payment { #expect(text.contains("Approved"), "\(text)") }
            for text in seen.faultless + seen.mistyped.prefix(2) {
                #expect(text.contains("You’re signed in") && text.contains("Back to Broker"), "\(text)")
            }
            #expect(seen.onward.contains("Continue as \(setting.person.username)?"), "\(seen.onward)")
            for text in [seen.changed, seen.changedAndReloaded] {
                #expect(text.contains("Your password was changed."), "\(text)")
            }
        }
    }
}
