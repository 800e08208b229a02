import Foundation
import Testing

/// A secret that is typed at a terminal, in both programs.
@Suite("A secret that is typed", .covers("a terminal without echo after Ctrl-C at a secret"), .onceForAllEngines)
struct HiddenTypingTests {
    @Test("Ctrl-C while a secret is typed ends the program by that signal, and the terminal echoes again")
    func interrupted() async throws {
        try await withTerminalWallet { server, wallet, person in
            let operators = try await server.administer(
                ["account", "set-password", person.username], interruptingAt: "New password: ")
            expectInterrupted(operators)
            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            let again = try await server.administer(
                ["account", "set-password", person.username],
                answering: [("New password: ", new), ("New password again: ", new)])
            #expect(again.succeeded, "\(again.output)")
            #expect(!again.output.contains("without an echo"), "\(again.output)")

            let persons = try await wallet.run(
                ["sign-in", "--username", person.username], answering: [("Password for ", .interrupt)])
            expectInterrupted(persons)
            let signedIn = try await wallet.run(
                ["sign-in", "--username", person.username], answering: [("Password for ", .text(new))])
            #expect(signedIn.succeeded, "\(signedIn.output)")
            #expect(!signedIn.output.contains("without an echo"), "\(signedIn.output)")
        }
    }

    private func expectInterrupted(_ result: CommandResult) {
        #expect(result.output.contains("ended by signal 2"), "\(result.output)")
        #expect(!result.output.contains("without an echo"), "\(result.output)")
        #expect(result.ending == .exited(130))
    }
}
