import Foundation
import Testing

/// What support types for a person who cannot sign in.
@Suite("Why a person cannot sign in, at the command line", .covers("why a person cannot sign in"))
struct ExplainCommandTests {
    @Test("The first line names the command, which ends it; a refused request is found by the trace id of its answer")
    func explain() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeAccount("grace")
            let wallet = await TerminalWallet(server, client)
            let guess = Person(username: person.username, password: "Pw-\(UUID().uuidString)")
            server.ledger.enter(guess.password)

            for _ in 0..<3 { #expect(try await !wallet.signIn(guess).succeeded) }
            let refused = try await wallet.signIn(guess, "--json")
            let answer = try #require(try refused.json["error"] as? [String: Any], "\(refused.output)")
            let trace = try #require(answer["traceId"] as? String, "\(answer)")
            let request = try await server.require(["account", "explain", "--request", trace])
            #expect(request.hasPrefix("The request was refused at "), "\(request)")
            #expect(request.contains("4 wrong passwords in a row on unknown devices."), "\(request)")

            try await server.require(["account", "deactivate", person.username])
            let shown = try await server.administer(["account", "explain", person.username, "--json"])
            #expect(shown.succeeded, "\(shown.errors)")
            let verdict = try #require(try shown.json["verdict"] as? String)
            let command = "walletauth account reactivate \(person.username)"
            #expect(verdict == "grace cannot sign in until you run `\(command)`: an operator deactivated the account.")
            #expect(try await !wallet.signIn(person).succeeded)
            try await server.require(command.split(separator: " ").dropFirst().map(String.init))
            let signedIn = try await wallet.signIn(person)
            #expect(signedIn.succeeded, "\(signedIn.errors)")

            let unknown = try await server.administer(["account", "explain", "ada"])
            #expect(unknown.ending == .exited(1))
            #expect(unknown.errors.contains("There is no account ada"), "\(unknown.errors)")
        }
    }
}
