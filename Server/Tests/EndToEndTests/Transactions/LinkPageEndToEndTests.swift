import Foundation
import QRCodes
import Testing

/// The scripts of the pages, in a browser that applies a page's policy to them.
@Suite("The scripts of the pages against the running server", .onceForAllEngines)
struct LinkPageEndToEndTests {
    @Test(
        "In Chromium, a button shows a typed password until it is sent, and the page of a link has the code to scan and goes on"
    )
    func chromium() async throws {
        try await withServer { server in
            let link =
                await server.url("/t/0190b3f2-0000-7000-8000-00000000002a").absoluteString
                + "#AAAAAAAAAAAAAAAAAAAAAA"
            let output = try await server.peer(
                "chromium_scripts.py", [await server.url("/account").absoluteString, link])
            let seen = try JSONSerialization.jsonObject(with: output) as? [String: Any]
            #expect(seen?["types"] as? [String] == ["password", "text", "password"])
            #expect(seen?["sent"] as? [String] == ["password", "a typed password"])
            #expect(seen?["code"] as? String == QRCode(link)?.svgPath)
            #expect(seen?["address"] as? String == link)
            #expect(seen?["next"] as? String == QRCode(link)?.svgPath)
            #expect(seen?["console"] as? [String] == [])
        }
    }
}
