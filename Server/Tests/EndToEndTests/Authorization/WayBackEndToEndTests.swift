import Foundation
import Testing

/// The hosted page in a browser that applies a page's policy to what the app does next.
@Suite("The way back to the app against the running server", .covers("an app's callback redirects on"))
struct WayBackEndToEndTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    @Test("In Chromium, every button reaches an app whose callback redirects to another origin", .onceForAllEngines)
    func chromium() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let output = try await server.require([
                "client", "create", "broker", "--name", "Broker", "--confidential", "--first-party",
                "--redirect-uri", Self.redirectURI, "--scope", "openid", "--json",
            ])
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            let secret = try #require(object?["clientSecret"] as? String)
            server.ledger.enter(secret)
            let client = StandardClient(
                RegisteredClient(id: "broker", secret: secret, redirectURI: Self.redirectURI), at: server)
            let journey = await client.beginAuthorization(scope: "openid")
            let result = try await ChildProcess.run(
                Programs.python,
                [
                    Programs.peers.appending(path: "chromium_way_back.py").path, journey.url.absoluteString,
                    person.username,
                ], folder: server.folder, input: person.password + "\n")
            try #require(result.succeeded, "Chromium stopped: \(result.errors.suffix(3_000))")
            let seen = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            for button in ["cancel", "form_post", "sign_in", "again"] { #expect(seen?[button] is String, "\(button)") }
            #expect(seen?["console"] as? [String] == [])
        }
    }
}
