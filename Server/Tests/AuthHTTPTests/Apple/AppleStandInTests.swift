import Core
import HTTPTypes
import HummingbirdTesting
import Store
import Testing

@testable import AppleStandIn
@testable import HTTP
@testable import Kernel
@testable import Operations
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
                #expect(taken.status == .seeOther, "\(headers)")
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
                let told = try await press(["action": error], client)
                #expect(told.text.contains("refused with \(error)"), "\(error)")
                for path in ["/auth/token", "/auth/revoke"] {
                    let answer = try await client.post(Self.console + path, ["client_id": "com.example.wallet"])
                    #expect(answer.status == .badRequest)
                    #expect(try answer.member("error") == error)
                }
                #expect(try await client.get(Self.console + "/auth/keys").status == .ok)
            }
            #expect(try await press(["action": "recovery"], client).text.contains("responds normally again"))
            let answer = try await client.post(Self.console + "/auth/token", [:])
            #expect(try answer.member("error_description")?.contains("missing") == true)
        }
    }

    /// Presses a button of the console, and follows the redirect to the page that says what it did.
    private func press(
        _ fields: KeyValuePairs<String, String>, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        let pressed = try await client.post(Self.console, fields)
        #expect(pressed.status == .seeOther, "\(pressed.text)")
        return try await client.get(try #require(pressed.headers[.location]))
    }

    @Test(
        "The console says what a button did, in the language of the browser, and does nothing more when it is loaded again"
    )
    func reload() async throws {
        try await TestServer.serve { _, client in
            let pressed = try await client.post(
                Self.console, ["action": "state", "account": "ada", "client_id": "com.example.wallet"])
            #expect(pressed.headers[.location] == Self.console + "?done=state&with=none")
            for language in Language.allCases {
                let headers: HTTPFields = [.acceptLanguage: language.rawValue]
                let page = try await client.get(Self.console + "?done=state&with=none", headers)
                #expect(page.text.contains(language.appleStandIn[.isNotListed]), "\(language)")
                let down = try await client.get(Self.console + "?done=outage", headers)
                #expect(down.text.contains(language.appleStandIn[.isDown]), "\(language)")
            }
            #expect(try await client.get(Self.console + "/auth/keys").status == .ok, "the address alone is no outage")
        }
    }

    @Test("The console begins with the commands that register it, until they have run, and links to the test sign-in")
    func registration() async throws {
        try await TestServer.serve { server, client in
            for isRegistered in [false, true] {
                let page = try await client.get(Self.console).text
                let commands = try #require(page.firstRange(of: "walletauth provider add apple"))
                let service = try #require(page.firstRange(of: "Rotate the signing keys"))
                #expect((service.upperBound < commands.lowerBound) == isRegistered)
                #expect(page.contains("Run this in the server’s folder"))
                #expect(page.contains("<a href=\"/sandbox/sign-in\">Try a sign-in</a>"), "\(page)")
                let record = IdentityProviderRecord(
                    brandID: "default", id: "apple", kind: "apple", settings: "{}", secret: nil,
                    createdAt: server.server.context.clock.now())
                _ = try await server.server.context.database.write { try IdentityProviders.add(record, on: $0) }
            }
        }
    }

    @Test(
        "attack: an address of the console shows no text of another site's",
        arguments: [
            "done=Call+Apple", "done=state&with=You+won", "done=consent-revoked&with=2000", "done=outage&with=You+won",
            "done=Call+Apple&with=200",
        ])
    func foreignOutcome(query: String) async throws {
        try await TestServer.serve { _, client in
            let page = try await client.get(Self.console + "?" + query)
            #expect(page.status == .ok)
            #expect(!page.text.contains("class=\"notice"), "\(page.text)")
            #expect(!page.text.contains("You won") && !page.text.contains("Call Apple"))
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
