import Foundation
import Testing

/// Every page of the sandbox in Chromium, judged by axe-core and measured.
@Suite("The pages of the running server in Chromium")
struct PageFaultsTests {
    private struct Seen: Decodable {
        let pages: Int
        let faults: [String]
    }

    private static let languages = 5

    @Test(
        "In five languages at three widths axe-core finds no fault, nothing scrolls sideways and no texts overlap; both color schemes contrast",
        .onceForAllEngines)
    func faults() async throws {
        let options = ["--host", "localhost", "--admin-console", "true"]
        try await ConsentPageEndToEndTests().withSetting(options) { setting in
            let server = setting.server
            var arguments = [
                Programs.peers.appending(path: "chromium_pages.py").path, await server.issuer.absoluteString,
                Programs.walletauth.path,
            ]
            for number in 1...Self.languages {
                arguments.append("payment=" + (try await setting.link("pages-\(number)").page.absoluteString))
                // A word that is longer than a line, among others.
                let operation = ConsentPageEndToEndTests.operation.replacing(
                    "Anna Verna", with: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk Wien und Umgebung")
                let long = try await setting.link("long-\(number)", operation: operation)
                arguments.append("payment to a long name=" + long.page.absoluteString)
            }
            let result = try await ChildProcess.run(
                Programs.python, arguments, environment: server.environment, folder: server.folder,
                limit: .seconds(900))
            try #require(result.succeeded, "the visit stopped: \(result.errors.suffix(3_000))")
            let seen = try JSONDecoder().decode(Seen.self, from: Data(result.output.utf8))
            #expect(seen.pages > 30 * Self.languages)
            #expect(seen.faults.isEmpty, "\(seen.faults.joined(separator: "\n"))")
        }
    }
}
