import Foundation
import Testing

/// Every page of the sandbox in Chromium, judged by axe-core and measured.
@Suite("The pages of the running server in Chromium")
struct PageFaultsTests {
    private struct Seen: Decodable {
        let pages: Int
        let faults: [String]
    }

    private static let languages = ["en", "de", "fr", "es", "bg"]

    // A browser and a server for each, so that they are visited at the same time.
    @Test(
        "At three widths axe-core finds no fault, nothing scrolls sideways and no texts overlap; both color schemes contrast",
        .onceForAllEngines, arguments: languages)
    func faults(language: String) async throws {
        let options = ["--host", "localhost", "--admin-console", "true"]
        try await ConsentPageEndToEndTests().withSetting(options) { setting in
            let server = setting.server
            let payment = try await setting.link("pages").page.absoluteString
            // A word that is longer than a line, among others.
            let operation = ConsentPageEndToEndTests.operation.replacing(
                "Anna Verna", with: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk Wien und Umgebung")
            let long = try await setting.link("long", operation: operation).page.absoluteString
            let output = try await server.peer(
                "chromium_pages.py",
                [
                    await server.issuer.absoluteString, Programs.walletauth.path, language, "payment=" + payment,
                    "payment to a long name=" + long,
                ], environment: server.environment, limit: .seconds(900))
            let seen = try JSONDecoder().decode(Seen.self, from: output)
            #expect(seen.pages > 30)
            #expect(seen.faults.isEmpty, "\(seen.faults.joined(separator: "\n"))")
        }
    }
}
