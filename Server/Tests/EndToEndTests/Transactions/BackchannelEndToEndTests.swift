import Foundation
import Testing

/// An unmodified client library of other authors, as another company's backend, and a person whose phone is the terminal wallet.
@Suite(
    "Sign-in on the phone for a backend", .covers("sign-in on the phone for a client"), .onceForAllEngines)
struct BackchannelEndToEndTests {
    private static let pin = TillWorld.pin
    private static let redirectURI = "https://partner.example.com/callback"

    /// What the script reports, by name.
    private struct Report: Decodable {
        let amounts: [String]
        let token_type: String
        let has_id_token: Bool
        let poll: String
        let secrets: [String]
        let shown: Bool?
        let auth_req_id: String?
        let interval: Int?
    }

    private func report(
        _ step: String, _ arguments: [String], input: [String?], at server: RunningServer
    ) async throws -> Report {
        let output = try await server.peer(
            "oauth2client_payment.py", [step, await server.issuer.absoluteString, "desk"] + arguments,
            input: input.map { ($0 ?? "") + "\n" }.joined())
        let report = try JSONDecoder().decode(Report.self, from: output)
        report.secrets.forEach(server.ledger.enter)
        return report
    }

    @Test(
        "requests_oauth2client has one payment authorized on a page, and the next by the wallet, which shows it and signs with the PIN"
    )
    func wholeJourney() async throws {
        try await withServer { server in
            let app = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, app)
            server.ledger.enter(Self.pin)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await server.write("UPDATE devices SET cooling_until = 0")
            let desk = try await server.makeConfidentialClient(
                "desk", scope: "openid",
                options: [
                    "--redirect-uri", Self.redirectURI, "--ciba", "poll", "--authorization-details-type",
                    "payment_initiation",
                ])

            let asked = try await report(
                "ask", [Self.redirectURI, person.username], input: [desk.secret, person.password], at: server)
            #expect(asked.shown == true)
            #expect(asked.amounts == ["12.50", "12.50", "12.50"])
            #expect(asked.interval == 5)
            #expect(asked.poll == "authorization_pending")
            let id = try #require(asked.auth_req_id)
            server.ledger.enter(id)

            let list = try await wallet.succeeds("approvals", "list", "--json")
            let waiting = try #require((try list.json["approvals"] as? [[String: Any]])?.first?["id"] as? String)
            let signed = try await wallet.run(
                ["approvals", "approve", waiting, "--yes", "--pin-stdin"], input: Self.pin + "\n")
            #expect(signed.succeeded, "\(signed.output) \(signed.errors)")
            for seen in ["\"Sign in to\": \"Backend\"", "\"Message\": \"K7QX\"", "9.90 EUR", "Bakery"] {
                #expect((signed.output + signed.errors).contains(seen), "\(signed.output) \(signed.errors)")
            }

            let fetched = try await report("fetch", [id], input: [desk.secret], at: server)
            #expect(fetched.amounts == ["9.90", "9.90", "9.90"])
            #expect(fetched.token_type == "Bearer")
            #expect(fetched.has_id_token)
            #expect(fetched.poll == "invalid_grant")
        }
    }
}
