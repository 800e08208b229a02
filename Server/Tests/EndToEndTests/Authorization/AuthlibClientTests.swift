import Foundation
import Testing

/// An unmodified client library of other authors.
@Suite("Authlib as a client", .covers("Authlib, unmodified, as a client"), .onceForAllEngines)
struct AuthlibClientTests {
    /// What the script reports, by name.
    private struct Report: Decodable {
        let token_type: String
        let expires_in: Int
        let refresh_token: Bool
        let id_token_algorithm: String
        let subject: String
        let access_token_type: String
        let userinfo_status: Int
        let userinfo_subject: String
        let refresh_rotates: Bool
        let refresh_new_access_token: Bool
        let revocation_status: Int
        let refresh_after_revocation: String
        let secrets: [String]
    }

    @Test(
        "Authlib, unmodified, signs in with code and PKCE, verifies the ID token, refreshes and revokes",
        .conformance("oidcc-idtoken-signature", "oidcc-ensure-request-with-valid-pkce-succeeds"))
    func wholeJourney() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let client = try await server.makeRelyingApp()
            let output = try await server.peer(
                "authlib_client.py",
                [await server.issuer.absoluteString, client.id, client.redirectURI, person.username],
                input: person.password + "\n")
            let report = try JSONDecoder().decode(Report.self, from: output)
            report.secrets.forEach(server.ledger.enter)

            #expect(report.token_type.lowercased() == "bearer")
            #expect(report.expires_in == 300)
            #expect(report.refresh_token)
            #expect(report.id_token_algorithm == "RS256")
            #expect(report.access_token_type == "at+jwt")
            #expect(report.userinfo_status == 200)
            #expect(report.userinfo_subject == report.subject)
            #expect(report.refresh_rotates)
            #expect(report.refresh_new_access_token)
            #expect(report.revocation_status == 200)
            #expect(report.refresh_after_revocation == "invalid_grant")
        }
    }

    /// What the script of a backend reports.
    private struct BackendReport: Decodable {
        let downgraded: String
        let subject: String
        let userinfo_status: Int
        let userinfo_subject: String
        let new_access_token: Bool
        let secrets: [String]
    }

    @Test(
        "As a backend without PKCE it signs in by nonce, with its secret in the form; a verifier that it adds is refused",
        .conformance("oidcc-server-client-secret-post")
    )
    func withoutPKCE() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let redirectURI = "https://partner.example.com/callback"
            let client = try await server.makeConfidentialClient(
                "partner", scope: "openid profile offline_access",
                options: ["--redirect-uri", redirectURI, "--without-pkce"])
            let output = try await server.peer(
                "authlib_backend.py", [await server.issuer.absoluteString, client.id, redirectURI, person.username],
                input: "\(try #require(client.secret))\n\(person.password)\n")
            let report = try JSONDecoder().decode(BackendReport.self, from: output)
            report.secrets.forEach(server.ledger.enter)
            #expect(report.downgraded == "invalid_grant")
            #expect(report.userinfo_status == 200)
            #expect(report.userinfo_subject == report.subject)
            #expect(report.new_access_token)
        }
    }
}
