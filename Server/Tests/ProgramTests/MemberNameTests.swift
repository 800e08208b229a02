import Foundation
import Programs
import Testing

@testable import wallet

@Suite("The members of what --json prints are in camelCase")
struct MemberNameTests {
    private struct Sample: Report {
        let clientID = "app"
        let redirectURIs = ["http://127.0.0.1/callback"]
        let logoURL = "https://example.com/logo.svg"
        let wasSignedIn = true
        /// Names that another side chose.
        let headers = ["X-Request-ID": "1", "clientID": "2"]

        var lines: [String] { [] }
    }

    @Test("Abbreviations in the wallet's properties are words of a member, and another side's names stay as they are")
    func wallet() throws {
        let text = try #require(Terminal.json(of: Sample()))
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(document.map { Set($0.keys) } == ["clientId", "redirectUris", "logoUrl", "wasSignedIn", "headers"])
        #expect(document?["headers"] as? [String: String] == Sample().headers)
    }

    @Test("A document is one line, in both programs")
    func oneLine() throws {
        let text = try #require(Terminal.json(of: Sample()))
        #expect(text.hasPrefix(#"{"clientId":"app","headers":{"#), "\(text)")
        #expect(!text.contains("\n"))
        let failure = String(
            decoding: try JSONEncoder.forTerminal.encode(FailureDocument("usage", "no")), as: UTF8.self)
        #expect(failure == #"{"error":{"code":"usage","message":"no"}}"#)
    }

    @Test("Every member that an operator's command declares is in camelCase, with abbreviations as words")
    func operators() throws {
        // The ways in which a command names a member.
        let declarations = [
            #/\.set\("(?<name>[^"]+)"/#,
            #/\b(?:json|details|members|document|answer|error|object)\["(?<name>[^"]+)"\]/#,
            #/\.list\(\s*"(?<name>[^"]+)"/#, #/\bmember: "(?<name>[^"]+)"/#,
        ]
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        var names: Set<String> = []
        for folder in ["Operations", "walletauth", "Apple"] {
            let files = FileManager.default.enumerator(
                at: sources.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                // These know Apple's own documents, SCIM's, OpenID's and the audit log's details, and seal what people gave away.
                let others = [
                    "AppleGrants.swift", "AppleService.swift", "OperatorApproval.swift", "OperatorCall.swift",
                    "ListPage.swift", "Pings.swift", "RefusedSignIn.swift", "SCIMDiscovery.swift",
                ]
                guard !others.contains(file.lastPathComponent) else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                names.formUnion(declarations.flatMap { text.matches(of: $0) }.map { String($0.output.name) })
            }
        }
        #expect(names.count > 150, "the ways to declare a member have changed: \(names.count)")
        let wrong = names.filter { $0.wholeMatch(of: #/[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)*/#) == nil }
        #expect(wrong.isEmpty, "\(wrong)")
    }
}
