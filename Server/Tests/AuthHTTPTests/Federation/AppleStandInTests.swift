import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthHTTP

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
