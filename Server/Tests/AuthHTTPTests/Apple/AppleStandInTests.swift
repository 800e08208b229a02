import HTTPTypes
import HummingbirdTesting
import Kernel
import Testing

@testable import AppleStandIn
@testable import Consent
@testable import HTTP
@testable import SignIn
@testable import Transactions
@testable import Web

@Suite("The stand-in for Apple over HTTP")
struct AppleStandInTests {
    private static let console = "/sandbox/apple"

    @Test("attack: another site's page breaks nothing in the console, whichever header the browser names it by")
    func otherSites() async throws {
        try await TestServer.serve { _, client in
            for headers: HTTPFields in [
                [.origin: "https://evil.example"], [.origin: "null"], [.secFetchSite: "cross-site"],
                [.secFetchSite: "same-site"],
            ] {
                let refused = try await client.post(Self.console, ["action": "outage"], headers)
                #expect(refused.status == .forbidden, "\(headers)")
            }
            #expect(try await client.get(Self.console + "/auth/keys").status == .ok)
            // The console's own form, and a program, which names no site.
            for headers: HTTPFields in [[.secFetchSite: "same-origin"], [.origin: "http://127.0.0.1:8700"], [:]] {
                let taken = try await client.post(Self.console, ["action": "roll-keys"], headers)
                #expect(taken.status == .ok, "\(headers)")
            }
        }
    }

    @Test("Production has neither the stand-in nor its console, page, phone or key")
    func production() async throws {
        let paths = ["", "/auth/authorize", "/auth/keys", "/AuthKey_SANDBOXKEY.p8"].map { Self.console + $0 }
        try await TestServer.serve(
            issuer: "https://id.example.com", environment: .production, TestServer.behindLocalProxy
        ) { _, client in
            for path in paths { #expect(try await client.get(path).status == .notFound, "\(path)") }
            for path in ["", "/auth/authorize", "/auth/token", "/auth/revoke", "/native"] {
                let answer = try await client.post(Self.console + path, ["action": "outage"])
                #expect(answer.status == .notFound, "\(path)")
            }
        }
    }

    @Test("The console has the endpoints answer each of Apple's errors, and serve again")
    func refusals() async throws {
        try await TestServer.serve { _, client in
            let console = try await client.get(Self.console)
            for error in [
                "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
                "invalid_scope",
            ] {
                #expect(console.text.contains(#"value="\#(error)""#), "\(error)")
                let told = try await client.post(Self.console, ["action": error])
                #expect(told.text.contains("refused with \(error)"), "\(error)")
                for path in ["/auth/token", "/auth/revoke"] {
                    let answer = try await client.post(Self.console + path, ["client_id": "com.example.wallet"])
                    #expect(answer.status == .badRequest)
                    #expect(try answer.member("error") == error)
                }
                #expect(try await client.get(Self.console + "/auth/keys").status == .ok)
            }
            #expect(try await client.post(Self.console, ["action": "recovery"]).status == .ok)
            let answer = try await client.post(Self.console + "/auth/token", [:])
            #expect(try answer.member("error_description")?.contains("missing") == true)
        }
    }

    @Test("attack: a page whose own name leads to this machine gets no credential from the stand-in's phone")
    func rebinding() async throws {
        try await TestServer.serve { _, client in
            let connection = try await RawConnection.open(port: try #require(client.port))
            let body = #"{"client_id":"com.example.wallet","nonce":"n"}"#
            try await connection.send(
                "POST \(Self.console)/native HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
            let answer = try await connection.textUntilClosed()
            #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(answer.prefix(60))")
        }
    }
}
