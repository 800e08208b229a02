import Foundation
import TestSupport
import Testing

@Suite(
    "Listeners of their own, at the running server", .covers("operators' console", "commands over HTTP", "GET /metrics")
)
struct OwnListenerEndToEndTests {
    @Test(
        "Support signs in at the issuer for a console at a port of its own, and the paths answer there alone, also after a restart",
        .onceForAllEngines
    )
    func console() async throws {
        let (operators, metrics) = (try FreePorts.next(), try FreePorts.next())
        let own = "http://127.0.0.1:\(operators)"
        let arguments = [
            "--admin-console", "true", "--admin-api", "true", "--admin-listen", "127.0.0.1:\(operators)",
            "--metrics-listen", "127.0.0.1:\(metrics)",
        ]
        try await withServer(arguments) { server in
            let ada = try await server.makeReachableAccount("ada")
            _ = try await server.makeAccount("grace")
            try await server.require(["operator", "grant", "ada", "--role", "support"])
            try await server.require(["account", "deactivate", "grace"])
            let browser = HeadlessBrowser(ledger: server.ledger)
            let search = try #require(URL(string: "\(own)/admin?q=grace"))
            let asked = try await browser.open(search, until: "none:").shown
            #expect(await asked.url.port == server.issuer.port, "\(asked.url)")
            let second = try await browser.press(
                "sign_in", on: asked, typing: ["username": ada.username, "password": ada.password])
            let code = try await server.newestCode()
            server.ledger.enter(code)
            let page = try await browser.press("answer_factor", on: second, typing: ["answer": code])
            #expect(page.url.absoluteString.hasPrefix("\(own)/admin/account?id="), "\(page.url)")
            let mended = try await browser.press("account_reactivate_closed", on: page)
            #expect(mended.url.absoluteString.hasPrefix("\(own)/admin/account?id="), "\(mended.url)")
            #expect(mended.answer.text.contains("Nothing keeps grace from signing in"), "\(mended.answer.text)")

            let web = WebClient(ledger: server.ledger)
            _ = try await server.stop()
            try await server.start()
            for path in ["/admin", "/admin/account", "/admin/v1/account/show?username=grace", "/metrics"] {
                #expect(try await web.get(server.url(path)).status == 404, "\(path)")
            }
            let api = try #require(URL(string: "\(own)/admin/v1/account/show?username=grace"))
            #expect(try await web.get(api).status == 401)
            for path in ["/oauth2/authorize", "/account", "/metrics"] {
                let url = try #require(URL(string: own + path))
                #expect(try await web.get(url).status == 404, "\(path)")
            }
            let numbers = try #require(URL(string: "http://127.0.0.1:\(metrics)/metrics"))
            let scraped = try await web.get(numbers).text
            #expect(scraped.contains(#"route="/admin/v1/account/show""#), "\(scraped.prefix(2_000))")
        }
    }
}
