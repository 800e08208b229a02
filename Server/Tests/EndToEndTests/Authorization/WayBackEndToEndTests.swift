import Foundation
import Testing

/// The hosted page in a browser that applies a page's policy to what the app does next.
@Suite("The way back to the app against the running server", .covers("an app's callback redirects on"))
struct WayBackEndToEndTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    @Test(
        "In Chromium, every button reaches an app whose callback redirects, and no error remains behind one with its own scheme",
        .onceForAllEngines)
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
            let phone = StandardClient(try await server.makePublicClient(), at: server)
            let ownScheme = await phone.beginAuthorization(scope: "openid", changes: ["prompt": "login"])
            let printed = try await server.peer(
                "chromium_way_back.py", [journey.url.absoluteString, person.username, ownScheme.url.absoluteString],
                input: person.password + "\n")
            let seen = try JSONSerialization.jsonObject(with: printed) as? [String: Any]
            for button in ["cancel", "form_post", "sign_in", "again"] { #expect(seen?[button] is String, "\(button)") }
            let address = try #require(seen?["own_scheme"] as? String)
            #expect(address.hasPrefix(phone.client.redirectURI + "?code="))
            let leftBehind = try #require(seen?["left_behind"] as? String)
            #expect(leftBehind.contains("You’re signed in"), "\(leftBehind)")
            #expect(!leftBehind.contains("Wrong username or password"), "\(leftBehind)")
            #expect(seen?["forms"] as? Int == 0)
            #expect(seen?["console"] as? [String] == [])
        }
    }
}
