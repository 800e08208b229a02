import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("A brand's look", .threat("a forged link with a brand's look; CSS by branding"))
struct BrandAppearanceTests {
    @Test("Name, color and logo of the brand's record are on its pages and on its form_post answers")
    func carried() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        try await server.administer([
            "brand", "update", "default", "--name", "Aurora", "--color", "#1F5EFF",
            "--logo-url", "https://cdn.example.com/logo.svg",
        ])
        let expected = BrandAppearance(
            name: "Aurora", color: "1f5eff", logo: try WebURL("https://cdn.example.com/logo.svg"))
        let browser = TestBrowser(server)
        #expect(try await browser.open(client.request()).page().appearance == expected)
        let posted = try client.request { $0["response_mode"] = "form_post" }
        #expect(try await browser.signIn(posted).redirect().appearance == expected)
        let faulty = try client.request {
            $0["response_mode"] = "form_post"
            $0["scope"] = "unknown"
        }
        #expect(try await browser.open(faulty).redirect().appearance == expected)
        #expect(try await browser.open(client.request { $0["prompt"] = "none" }).redirect().appearance == nil)
    }

    @Test("What is left out stays as it is, and an empty text takes it away")
    func partially() async throws {
        let server = try await TestServer.start()
        try await server.administer([
            "brand", "update", "default", "--color", "112233", "--logo-url", "https://cdn.example.com/logo.svg",
        ])
        let renamed = try await server.administer(["brand", "update", "default", "--name", "Blue"])
        #expect(renamed["color"]?.string == "112233")
        let bare = try await server.administer(["brand", "update", "default", "--logo-url", ""])
        #expect(bare["logoUrl"] == nil)
        #expect(bare["name"]?.string == "Blue")
        #expect(bare["color"]?.string == "112233")
    }

    @Test(
        "CSS and policy injection by branding: a color that is not one, and a logo that is not at an https host name, are refused",
        arguments: [
            ("--color", "red"), ("--color", "#12345"), ("--color", "000000;}"),
            ("--color", "１２３４５６"), ("--logo-url", "http://cdn.example.com/logo.png"),
            ("--logo-url", "http://127.0.0.1/logo.png"), ("--logo-url", "javascript:alert(1)"),
            ("--logo-url", "data:image/svg+xml,<svg/>"), ("--logo-url", "https://[::1]/logo.png"),
            ("--logo-url", "https://a.example; script-src *"), ("--logo-url", "//cdn.example.com/l.png"),
            ("--logo-url", "https://a@b.example/logo.png"), ("--name", ""),
            ("--support", "http://example.com/help"), ("--support", "javascript:alert(1)"), ("--support", "help"),
            ("--support", "mailto:help@example.com?bcc=evil@example.com"), ("--support", "tel:112"),
            ("--support", "a?b@example.com"),
        ])
    func injection(option: String, value: String) async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute(["brand", "update", "default", option, value])
        #expect(answer.status == .refused, "\(answer.lines)")
    }

    @Test(
        "Support is an https address, an e-mail address or a number, and what to call is in the sentence",
        arguments: [
            (
                "https://example.com/help?from=page", "https://example.com/help?from=page",
                "https://example.com/help?from=page"
            ),
            ("help@example.com", "mailto:help@example.com", "help@example.com"),
            ("mailto:help@example.com", "mailto:help@example.com", "help@example.com"),
            ("+359 (2) 888-123", "tel:+3592888123", "+3592888123"),
        ])
    func support(typed: String, stored: String, shown: String) async throws {
        let server = try await TestServer.start()
        let changed = try await server.administer(["brand", "update", "default", "--support", typed])
        #expect(changed["support"]?.string == stored)
        let look = try await BrandAppearance.of(BrandID("default"), in: server.context.database)
        #expect(look.support == stored)
        #expect(look.contact == "\(look.name) (\(shown))")
        let removed = try await server.administer(["brand", "update", "default", "--support", ""])
        #expect(removed["support"] == nil)
    }

    @Test("Records that are canonically equal, and differ in their bytes, are read as two looks")
    func bytes() throws {
        let logos = ["https://cdn.example.com/caf\u{E9}.svg", "https://cdn.example.com/cafe\u{301}.svg"]
        #expect(logos[0] == logos[1])
        for logo in logos {
            let profile = try BrandProfile(json: "{\"logoURL\":\"\(logo)\"}")
            #expect(profile.logoURL.map { Array($0.utf8) } == Array(logo.utf8))
        }
    }

    @Test("A brand that is not there is not made by changing it")
    func unknown() async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute([
            "brand", "update", "ghost", "--name", "Ghost",
        ])
        #expect(answer.status == .refused)
    }
}
