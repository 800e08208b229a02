import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing

@testable import HTTP
@testable import Web

@Suite("The brand on the pages", .threat("a forged link with a brand's look; CSS by branding"))
struct BrandPagesTests {
    private static let logo = "https://cdn.example.com/logo.svg"

    private func dress(_ server: TestServer, color: String) async throws {
        try await server.execute([
            "brand", "update", "default", "--name", "Aurora", "--color", color, "--logo-url", Self.logo,
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

    @Test(
        "The sign-in page has the brand's own text in each language that has one, escaped; another brand's has the program's"
    )
    func ownTexts() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.execute(["brand", "create", "other", "--name", "Other"])
            for (language, text) in [("de", "Willkommen bei “Aurora”"), ("en", "Welcome to “Aurora”, it’s \"you\"")] {
                try await server.execute([
                    "brand", "text", "default", "--language", language, "--key", "pages.signInHeading",
                    "--text",
                    text,
                ])
            }
            try await server.execute([
                "brand", "text", "other", "--language", "fr", "--key", "pages.signInHeading", "--text", "Autre",
            ])
            for (language, heading) in [
                ("de", "Willkommen bei “Aurora”"), ("en", "Welcome to “Aurora”, it’s &quot;you&quot;"),
                ("fr", HTMLEscaping().escapeText(Language.french.text[.signInHeading])),
            ] {
                let page = try await Journey.open(client, ["ui_locales": language])
                #expect(page.text.contains("<h1>\(heading)</h1>"), "\(language)")
            }
        }
    }

    @Test(
        "A brand with support has a link to it on its pages, in each language, and its sentences name it; another has neither"
    )
    func support() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let bare = try await Journey.open(client)
            #expect(!bare.text.contains("<footer><a"))
            try await server.execute([
                "brand", "update", "default", "--name", "Aurora", "--support", "help@example.com",
            ])
            for language in Language.allCases {
                let page = try await Journey.open(client, ["ui_locales": language.rawValue])
                let label = HTMLEscaping().escapeText(language.text[.supportLabel, ["brand": "Aurora"]])
                #expect(page.text.contains(#"<a href="mailto:help@example.com" rel="noreferrer">\#(label)</a>"#))
            }
            try await server.makeAccount("maria")
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
            try await server.execute(["account", "deactivate", "maria"])
            let refused = try await browser.press(
                "sign_in", on: page, at: "/sign-in", [("username", "maria"), ("password", "correct horse battery")])
            #expect(refused.text.contains("Contact Aurora (help@example.com) to have it reactivated."))
        }
    }

    @Test("XSS by a brand's text that was stored without the check: the page has the program's")
    func markup() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let attack = "</h1><script>alert(1)</script>{{form.csrf}}"
            let profile = "{\"texts\":{\"en\":{\"pages\":{\"signInHeading\":\"\(attack)\"}}}}"
            _ = try await server.server.context.database.write {
                try Brands.update("default", name: "Aurora", settings: profile, on: $0)
            }
            let page = try await Journey.open(client)
            #expect(page.text.contains("<h1>\(Language.english.text[.signInHeading])</h1>"))
            #expect(!page.text.contains("alert"))
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
