import Foundation
import Testing

/// A backend that names a person, whose phone is the terminal wallet.
@Suite(
    "Sign-in on the phone for a backend", .covers("sign-in on the phone for a client"), .onceForAllEngines)
struct BackchannelEndToEndTests {
    private static let pin = TillWorld.pin

    @Test(
        "The backend waits; the wallet shows who asks and the message, signs with the PIN; the backend gets its tokens once"
    )
    func wholeJourney() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await server.write("UPDATE devices SET cooling_until = 0")
            let desk = try await server.makeConfidentialClient(
                "desk", scope: "openid", options: ["--first-party", "--ciba", "poll"])
            let basic = "Basic " + Data("desk:\(desk.secret ?? "")".utf8).base64EncodedString()
            let web = WebClient(ledger: server.ledger)
            let asked = try await web.post(
                await server.url("/oauth2/bc-authorize"),
                form: ["scope": "openid", "login_hint": person.username, "binding_message": "K7QX"],
                headers: ["Authorization": basic])
            let id = try #require(asked.members["auth_req_id"], "\(asked.text)")
            func poll() async throws -> [String: String] {
                try await web.post(
                    await server.url("/oauth2/token"),
                    form: ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": id],
                    headers: ["Authorization": basic]
                ).members
            }
            #expect(try await poll()["error"] == "authorization_pending")
            let list = try await wallet.succeeds("approvals", "list", "--json")
            let waiting = try #require((try list.json["approvals"] as? [[String: Any]])?.first?["id"] as? String)
            let signed = try await wallet.run(
                ["approvals", "approve", waiting, "--yes", "--pin-stdin"], input: Self.pin + "\n")
            #expect(signed.succeeded, "\(signed.output) \(signed.errors)")
            for seen in ["\"Sign in to\": \"Backend\"", "\"Message\": \"K7QX\""] {
                #expect((signed.output + signed.errors).contains(seen), "\(signed.output) \(signed.errors)")
            }
            let tokens = try await poll()
            #expect(tokens["token_type"] == "Bearer", "\(tokens.keys)")
            #expect(tokens["id_token"] != nil)
            #expect(try await poll()["error"] == "invalid_grant")
        }
    }
}
