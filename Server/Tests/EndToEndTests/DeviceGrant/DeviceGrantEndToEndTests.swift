import Foundation
import Testing

/// An unmodified client library of other authors, as a device without a browser.
@Suite("Sign-in on a device without a browser", .covers("devices without a browser"), .onceForAllEngines)
struct DeviceGrantEndToEndTests {
    /// What the script reports, by name.
    private struct Report: Decodable {
        let user_code: String
        let verification_uri: String
        let interval: Int
        let polls: [String]
        let code_shown: Bool
        let connected: Int
        let preferred_username: String
        let new_access_token: Bool
        let replay: String
        let listed: Bool
        let refused: String
        let secrets: [String]
    }

    @Test(
        "requests_oauth2client, unmodified, gets codes, waits for the person in the browser, calls, renews, and is refused"
    )
    func wholeJourney() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            try await server.require([
                "client", "create", "tv", "--name", "Television", "--public", "--first-party", "--allow-bearer",
                "--device-grant", "--scope", "openid profile offline_access",
            ])
            let issuer = await server.issuer.absoluteString
            let output = try await server.peer(
                "oauth2client_device.py", [issuer, "tv", person.username], input: person.password + "\n")
            let report = try JSONDecoder().decode(Report.self, from: output)
            report.secrets.forEach(server.ledger.enter)

            #expect(report.user_code.wholeMatch(of: /[B-Z]{4}-[B-Z]{4}/) != nil)
            #expect(report.verification_uri == issuer + "/device")
            #expect(report.interval == 5)
            #expect(report.polls == ["authorization_pending", "slow_down"])
            #expect(report.code_shown)
            #expect(report.connected == 200)
            #expect(report.preferred_username == person.username)
            #expect(report.new_access_token)
            #expect(report.replay == "invalid_grant")
            #expect(report.listed)
            #expect(report.refused == "access_denied")
        }
    }
}
