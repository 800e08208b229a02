import Foundation
import Testing

/// `wallet recover`, as a person at a terminal and as a script use it.
@Suite("Recovery with the wallet program", .onceForAllEngines)
struct WalletRecoveryCommandTests {
    private func withReachablePerson(
        _ body: (RunningServer, TerminalWallet, Person) async throws -> Void
    ) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            try await body(server, await TerminalWallet(server, client), person)
        }
    }

    @Test(
        "The new password is typed twice, and again where the two differ; then the person learns what cools, and until when"
    )
    func atTheTerminal() async throws {
        try await withReachablePerson { server, wallet, person in
            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            let recovered = try await wallet.run(
                ["recover", "--username", person.username],
                answering: [
                    ("Code from the e-mail", .sentCode(digits: 8)), ("New password: ", .text("short")),
                    ("New password: ", .text(new)), ("New password again: ", .text(new + "x")),
                    ("New password: ", .text(new)),
                    ("New password again: ", .text(new)),
                ])
            #expect(recovered.succeeded, "\(recovered.output)")
            #expect(recovered.output.contains("at least 8 characters"))
            #expect(recovered.output.contains("The two entries do not match."))
            #expect(!recovered.output.contains(new), "a password shows")
            let told = try #require(
                recovered.output.firstMatch(of: /recovered recently: until (\S+Z) you cannot enroll a device/))
            let until = try Date(String(told.output.1), strategy: .iso8601)
            #expect((86_000...86_400).contains(until.timeIntervalSinceNow))

            // That a device cannot be enrolled yet is said before a sign-in with two factors is asked for.
            let enrolling = try await wallet.run("device", "enroll", "Terminal")
            #expect(enrolling.ending == .exited(1))
            #expect(enrolling.errors.contains("recovered recently: until"), "\(enrolling.errors)")
            #expect(!enrolling.errors.contains("--two-factors"), "\(enrolling.errors)")

            let listed = try await wallet.run("mfa", "list", "--json")
            #expect(try listed.json["coolingUntil"] as? String == String(told.output.1))
            let shown = try await server.require(["account", "show", person.username])
            #expect(shown.contains("until \(told.output.1) no device can be enrolled"), "\(shown)")
            #expect(try await wallet.run("sign-out").succeeded)
            let old = try await wallet.signIn(person)
            #expect(old.ending == .exited(1))
        }
    }

    @Test(
        "A factor that a recovery cannot be made by is wrong usage, which names those it can; nothing was sent by then")
    func factors() async throws {
        try await withReachablePerson { server, wallet, person in
            for factor in ["bogus", "email", "secret_question"] {
                let refused = try await wallet.run("recover", "--username", person.username, "--factor", factor)
                #expect(refused.ending == .exited(64))
                #expect(refused.errors.contains("--factor \(factor)"), "\(refused.errors)")
                #expect(refused.errors.contains("use authenticator, sms or recovery_code;"), "\(refused.errors)")
                #expect(refused.errorLines.count == 1)
            }
            let signIn = try await wallet.run("sign-in", "--username", person.username, "--factor", "bogus")
            #expect(signIn.ending == .exited(64))
            let sent = try await server.require(["outbox", "list"])
            #expect(sent == "No messages.")
        }
    }
}
