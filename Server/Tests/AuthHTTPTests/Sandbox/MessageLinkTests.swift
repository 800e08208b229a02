import HTTPTypes
import HummingbirdTesting
import Testing

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import Web

@Suite("The way from a page that asks for a code to the sandbox's outbox")
struct MessageLinkTests {
    private static let link = "<a href=\"/sandbox/outbox\" target=\"_blank\" rel=\"noreferrer\">"

    /// The page for the code of a recovery.
    private func recovery(
        _ server: TestServer, _ client: any TestClientProtocol, _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var registration = AccountRegistration(username: "maria", password: "correct horse battery")
        registration.email = "maria@example.com"
        registration.emailVerified = true
        try await server.execute { try await AccountAdministration($0).create(registration) }
        var visit = BrowserOverHTTP(client: client, headers: headers)
        let asked = try await visit.press("forgot_password", on: visit.open(BrowserOverHTTP.accountPage))
        #expect(!asked.text.contains("/sandbox/outbox"), "no code was sent yet")
        let page = try await visit.press("recover", on: asked, [("username", "maria")])
        #expect(page.text.contains("name=\"recovery_answer\""), "\(page.text)")
        return page
    }

    @Test("Pages that ask for a sent code link to the outbox, in the page's language")
    func sandbox() async throws {
        try await TestServer.serve { server, client in
            let german = try await recovery(server, client, [.acceptLanguage: "de"])
            #expect(german.text.contains(Self.link + "Sandbox: Nachricht lesen</a>"), "\(german.text)")
            var visit = BrowserOverHTTP(client: client)
            let factor = try await visit.signIn()
            #expect(factor.text.contains("name=\"answer\""), "\(factor.text)")
            #expect(factor.text.contains(Self.link + "Sandbox: read the message</a>"), "\(factor.text)")
        }
    }

    @Test("With an issuer that has a path, the link leads to the outbox below that path")
    func issuerPath() async throws {
        try await TestServer.serve(issuer: "http://127.0.0.1:8700/auth") { server, client in
            let page = try await recovery(server, client)
            #expect(page.text.contains("<a href=\"/auth/sandbox/outbox\""), "\(page.text)")
        }
    }

    @Test("In production no page links to an outbox")
    func production() async throws {
        try await TestServer.serve(
            issuer: "https://id.example.com", environment: .production, TestServer.behindLocalProxy
        ) { server, client in
            let page = try await recovery(server, client, [.xForwardedProto: "https"])
            #expect(!page.text.contains("outbox"), "\(page.text)")
            #expect(!page.text.contains("Sandbox"), "\(page.text)")
        }
    }
}
