import Foundation
import Testing

/// `pin_client.py`, WPIN-1 a second time: it shares no code with the SDK or the server, and holds the server to the page.
@Suite(
    "WPIN-1 by a client that was written from the page alone", .covers("WPIN-1 by a client written from its page alone")
)
struct ForeignPINClientTests {
    @Test(
        "It sets a PIN, signs in, changes it, is locked, repeats each request, reaches the limits and sends what is refused",
        .onceForAllEngines, arguments: ["enrollment", "use", "lock", "repeats", "limits", "malformed"])
    func scenario(name: String) async throws {
        try await withServer { server in
            let report = try await run(name, at: server)
            #expect(report.held.count > 5)
            #expect(report.broken == nil, "\(report)")
        }
    }

    @Test(
        "It signs a draft by the PIN: once, with one answer for equal signatures, and not by a wrong PIN or another hash",
        .onceForAllEngines
    )
    func transactions() async throws {
        try await withServer(["--devices-cooling-period", "1s"]) { server in
            let report = try await run("transactions", at: server)
            #expect(report.held.contains("the draft is signed"), "\(report)")
            #expect(report.broken == nil, "\(report)")
        }
    }

    @Test("attack: a server that is killed in the middle of two hundred guesses gives no try back")
    func crash() async throws {
        try await withServer { server in
            let report = try await run("crash", at: server, when: "guessing") {
                await server.crash()
                try await server.start()
            }
            #expect(report.broken == nil, "\(report)")
        }
    }

    @Test("It sets a PIN that an old sign-in might not set by the same request after another sign-in")
    func stale() async throws {
        try await withServer { server in
            let report = try await run("stale", at: server, when: "grow old") {
                try await server.write("UPDATE sessions SET auth_time = auth_time - 600000")
            }
            #expect(report.held.contains("the same body sets it after another sign-in"), "\(report)")
            #expect(report.broken == nil, "\(report)")
        }
    }

    @Test("It says no to a server that does not do what the page says", .onceForAllEngines)
    func saysNo() async throws {
        try await withServer { server in
            // Without a confirmed address there is no second factor, and a PIN is set behind two.
            let person = try await server.makeAccount("grace")
            let report = try await run("use", at: server, as: person)
            #expect(report.broken != nil)
            #expect(!report.held.contains("the PIN signs in"))
        }
    }

    /// What the program prints.
    private struct Report: Decodable, Sendable, CustomStringConvertible {
        let held: [String]
        var broken: Detail?
        var description: String { "\(broken?.text ?? "all is well") after: \(held.suffix(3))" }

        /// What did not hold, in words, or the server's refusal.
        struct Detail: Decodable, Sendable {
            let text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let words = try? container.decode(String.self) {
                    text = words
                } else {
                    text = "refused: \(try container.decode(Refusal.self).code ?? "")"
                }
            }

            private struct Refusal: Decodable {
                let code: String?
            }
        }
    }

    /// Runs a scenario with an account of its own.
    private func run(_ scenario: String, at server: RunningServer, as person: Person? = nil) async throws -> Report {
        let arguments = try await arguments(scenario, at: server, as: person)
        let result = try await ChildProcess.run(
            Programs.python, arguments.command, folder: server.folder, input: arguments.input,
            limit: Duration.patience * 4)
        return try #require(
            try? JSONDecoder().decode(Report.self, from: Data(result.output.utf8)),
            "\(scenario) stopped: \(result.errors.suffix(3_000))")
    }

    /// Runs a scenario that prints a word and then waits for what only its test can do.
    private func run(
        _ scenario: String, at server: RunningServer, when word: String, _ act: () async throws -> Void
    ) async throws -> Report {
        let arguments = try await arguments(scenario, at: server)
        let client = try ChildProcess(
            Programs.python, arguments.command, folder: server.folder,
            log: server.folder.appending(path: "client.log"), input: Data(arguments.input.utf8))
        var last = ""
        for await line in client.lines {
            last = line
            if line == word { try await act() }
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(last.utf8))
        let ending = await client.wait()
        #expect(ending == .exited(report.broken == nil ? 0 : 1))
        return report
    }

    private func arguments(
        _ scenario: String, at server: RunningServer, as given: Person? = nil
    ) async throws -> (command: [String], input: String) {
        for pin in ["804613972558", "591382740663", "370915826142", "170395826641"] { server.ledger.enter(pin) }
        let client = try await server.makePublicClient()
        let person: Person
        if let given { person = given } else { person = try await server.makeReachableAccount("grace") }
        return (
            [
                Programs.peers.appending(path: "pin_client.py").path, scenario, "--issuer",
                await server.issuer.absoluteString, "--client", client.id, "--username", person.username,
            ], person.password + "\n"
        )
    }
}
