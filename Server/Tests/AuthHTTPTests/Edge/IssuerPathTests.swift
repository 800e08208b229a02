import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@Suite("An issuer with a path")
struct IssuerPathTests {
    private static let issuer = "http://127.0.0.1:8700/auth"

    /// The path of a URL of this host.
    private func path(_ url: String) throws -> String {
        try #require(url.hasPrefix("http://127.0.0.1:8700/"), "\(url)")
        return String(url.dropFirst("http://127.0.0.1:8700".count))
    }

    @Test("What is served at a path is served below the issuer's as well, for proxies that pass it on")
    func bothPaths() async throws {
        try await TestServer.serve(issuer: Self.issuer) { _, client in
            for path in [
                "/.well-known/openid-configuration", "/.well-known/jwks.json", "/health/live", "/account",
                "/sandbox/outbox", "/",
            ] {
                for prefix in ["", "/auth"] {
                    let status = try await client.get(prefix + path).status
                    #expect(status == .ok, "\(prefix + path)")
                }
            }
            // A proxy that removes "/auth" makes "/auth/health/live" of "/auth/auth/health/live": operating.md has it refuse that.
            for path in ["/auth", "/auth//health/live", "/authx/health/live", "/auth/auth/health/live"] {
                let status = try await client.get(path).status
                #expect(status == .notFound, "\(path)")
            }
        }
    }

    @Test("The URLs of the metadata and of a page lead to the server without a proxy")
    func ownURLs() async throws {
        try await TestServer.serve(issuer: Self.issuer) { server, client in
            try await server.makeBearerClient()
            let metadata = try await client.get("/.well-known/oauth-authorization-server/auth")
            let keys = try #require(try metadata.json["jwks_uri"]?.string)
            let status = try await client.get(path(keys)).status
            #expect(status == .ok)
            let endpoint = try #require(try metadata.json["authorization_endpoint"]?.string)
            let page = try await client.get(path(endpoint) + "?" + Journey.query())
            #expect(page.status == .ok)
            let links = page.text.matches(of: /(?:href|src)="(\/[^"]*)"/).map { String($0.output.1) }
            #expect(links.contains { $0.hasPrefix("/auth/assets/") })
            for link in links { #expect(try await client.get(link).status == .ok, "\(link)") }
        }
    }

    @Test("A path that the routes have is not removed: behind a proxy that removes it, what is left may begin with it")
    func pathOfRoutes() async throws {
        try await TestServer.serve(issuer: "http://127.0.0.1:8700/oauth2") { _, client in
            let token = try await client.post("/oauth2/token", [:])
            #expect(token.status != .notFound)
            let live = try await client.get("/oauth2/health/live")
            #expect(live.status == .notFound)
            let own = try await client.get("/health/live")
            #expect(own.status == .ok)
        }
    }
}
