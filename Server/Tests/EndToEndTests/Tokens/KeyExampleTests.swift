import Foundation
import Testing

@Suite("A backend with a key instead of a secret", .onceForAllEngines)
struct KeyExampleTests {
    @Test(
        "As docs/backend.md prints it, Authlib gets a token by private_key_jwt; by another key it does not, and the log says why"
    )
    func key() async throws {
        let page = try String(contentsOf: Programs.repository.appending(path: "docs/backend.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "### Without a secret\n").last)
        func block(_ language: String) throws -> String {
            let rest = try #require(section.components(separatedBy: "```\(language)\n").dropFirst().first)
            return try #require(rest.components(separatedBy: "```").first)
        }
        let steps = try block("sh").components(separatedBy: "\nwalletauth ")
        let arguments = try #require(steps.last).split(whereSeparator: \.isWhitespace).map(String.init)
        try await withServer { server in
            let folder = server.folder.appending(path: "kiosk")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func run(_ program: URL, _ arguments: [String]) async throws -> CommandResult {
                let path = Programs.python.deletingLastPathComponent().path + ":/usr/bin:/bin"
                return try await ChildProcess.run(
                    program, arguments,
                    environment: ["PATH": path, "ISSUER": await server.issuer.absoluteString], folder: folder)
            }
            func makeKeys() async throws {
                let made = try await run(URL(filePath: "/bin/sh"), ["-ec", steps[0]])
                try #require(made.succeeded, "\(made.errors)")
            }
            try await makeKeys()
            let keys = folder.appending(path: "kiosk.json").path
            try await server.require(arguments.map { $0 == "kiosk.json" ? keys : $0 })
            let program = folder.appending(path: "kiosk.py")
            try block("python").write(to: program, atomically: true, encoding: .utf8)
            let first = try await run(Programs.python, [program.path])
            #expect(first.succeeded && first.output.hasPrefix("eyJ"), "\(first.errors)")
            server.ledger.enter(first.output.trimmingCharacters(in: .whitespacesAndNewlines))
            try await makeKeys()
            let other = try await run(Programs.python, [program.path])
            #expect(!other.succeeded && other.errors.contains("Client authentication failed."), "\(other.errors)")
            #expect(server.logText().contains("has a wrong signature"), "\(server.logText().suffix(2_000))")
        }
    }
}
