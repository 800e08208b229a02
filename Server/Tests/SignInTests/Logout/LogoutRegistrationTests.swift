import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations

@Suite("Where a client may return to after a sign-out", .covers("/oauth2/logout"))
struct LogoutRegistrationTests {
    @Test("Post-logout redirect URIs are added and taken away; one of no kind or outside of the site is refused")
    func uris() async throws {
        let server = try await TestServer.start()
        try await server.administer([
            "client", "create", "web", "--name", "Web", "--confidential", "--site-url", "https://app.example.com",
            "--redirect-uri", "https://app.example.com/callback", "--post-logout-redirect-uri",
            "https://app.example.com/out",
        ])
        let changed = try await server.administer([
            "client", "update", "web", "--add-post-logout-redirect-uri", "https://app.example.com/away",
            "--remove-post-logout-redirect-uri", "https://app.example.com/out",
        ])
        let shown = try await server.administer(["client", "show", "web"])
        for json in [changed, shown] {
            #expect(json["postLogoutRedirectUris"]?.array?.compactMap(\.string) == ["https://app.example.com/away"])
        }
        for words in [
            ["--add-post-logout-redirect-uri", "http://example.com/"],
            ["--add-post-logout-redirect-uri", "javascript:alert(1)"],
            ["--add-post-logout-redirect-uri", "https://app.example.com/out#x"],
            ["--add-post-logout-redirect-uri", "https://evil.example/out"],
            ["--add-post-logout-redirect-uri", "https://app.example.com@evil.example/out"],
            ["--remove-post-logout-redirect-uri", "https://app.example.com/out"],
        ] {
            let answer = await server.flows.administration.execute(AdminRequest(["client", "update", "web"] + words))
            #expect(answer.status == .refused, "\(words) \(answer.lines)")
        }
    }
}
