import HTTPTypes
import HummingbirdTesting
import Operations
import Testing

@testable import AppleStandIn
@testable import Consent
@testable import HTTP
@testable import SignIn
@testable import Transactions
@testable import Web

@Suite("The brand on the pages", .threat("a forged link with a brand's look; CSS by branding"))
struct BrandPagesTests {
    private static let logo = "https://cdn.example.com/logo.svg"

    private func dress(_ server: TestServer, color: String) async throws {
        try await server.execute([
            "brand", "update", "--id", "default", "--name", "Aurora", "--color", color, "--logo-url", Self.logo,
        ])
    }

    @Test("The sign-in page and the form_post page load the brand's color and logo, and the policy lets them")
    func dressed() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            try await dress(server, color: "c2185b")
            let page = try await Journey.open(client, ["response_mode": "form_post"])
            let answer = try await Journey.signIn(client, on: page)
            for page in [page, answer] {
                #expect(page.text.contains("<img class=\"logo\" src=\"\(Self.logo)\" alt=\"Aurora\">"))
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.contains("img-src 'self' https://cdn.example.com;"))
                let link = try #require(page.text.firstMatch(of: /href="(\/assets\/brand-[^"]+)"/))
                let stylesheet = try await client.get(String(link.output.1))
                #expect(stylesheet.status == .ok)
                #expect(stylesheet.text.contains("--accent: #c2185b; --on-accent: #ffffff;"))
            }
        }
    }

    @Test("A forged link borrows no brand: error pages bear the server's own name and no logo")
    func faults() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await dress(server, color: "c2185b")
            for change in [["client_id": "nobody"], ["redirect_uri": "https://evil.example/"]] {
                let page = try await Journey.open(client, change)
                #expect(page.status == .badRequest)
                #expect(!page.text.contains("Aurora") && !page.text.contains(Self.logo))
                #expect(page.headers[.contentSecurityPolicy]?.contains("img-src 'self';") == true)
            }
        }
    }

    @Test(
        "A color that hides text is served with ink, links and edges that do not",
        arguments: ["ffffff", "000000", "ffff00", "777777", "00ff00", "0000ff", "f3f5f8", "171d25"])
    func badColors(hex: String) throws {
        let color = try #require(BrandColor(hex))
        let schemes = color.stylesheet.split(separator: "@media")
        try #require(schemes.count == 2)
        func value(_ name: String, in scheme: Substring) throws -> BrandColor {
            let pattern = try Regex("--\(name): #([0-9a-f]{6});")
            let match = try #require(scheme.firstMatch(of: pattern))
            let digits = try #require(match.output[1].substring)
            return try #require(BrandColor(digits))
        }
        #expect(try value("on-accent", in: schemes[0]).contrast(with: color) >= 4.5)
        for (scheme, grounds) in [(schemes[0], ["f3f5f8", "ffffff"]), (schemes[1], ["0e1217", "171d25"])] {
            for ground in grounds {
                let surface = try #require(BrandColor(ground))
                #expect(try value("link", in: scheme).contrast(with: surface) >= 4.5)
                #expect(try value("edge", in: scheme).contrast(with: surface) >= 3)
            }
        }
    }
}
