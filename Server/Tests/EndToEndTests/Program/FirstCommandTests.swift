import Foundation
import Testing

/// What a new user sees at the first commands.
@Suite("First commands", .onceForAllEngines, .covers("account set-email, account set-phone"))
struct FirstCommandTests {
    @Test("Both programs tell one version")
    func version() async throws {
        try await withWalletAlone { wallet in
            let theirs = try await wallet.run(["--version"])
            let ours = try await ChildProcess.run(Programs.walletauth, ["--version"], folder: wallet.folder)
            #expect(theirs.succeeded && ours.succeeded, "\(theirs.errors) \(ours.errors)")
            #expect(!theirs.output.isEmpty)
            #expect(theirs.output == ours.output)
        }
    }

    @Test("What the wallet does not understand is one line that names the help to look at")
    func usage() async throws {
        try await withWalletAlone { wallet in
            for (arguments, command) in [
                (["sign-in", "--no-such-option"], "wallet sign-in"), (["device", "enrol"], "wallet device"),
                (["sign-in", "--username"], "wallet sign-in"), (["nonsense"], "wallet"),
                (["call", "https://api.example.com", "--request", "GET it"], "wallet call"),
                (["call", "https://api.example.com", "--request", ""], "wallet call"),
            ] {
                let result = try await wallet.run(arguments)
                #expect(result.ending == .exited(64), "\(arguments)")
                #expect(result.errorLines.count == 1, "\(result.errors)")
                #expect(result.errors.lowercased().contains("see `\(command) --help`"), "\(result.errors)")
                #expect(result.output.isEmpty)
            }
            let help = try await wallet.run(["help", "sign-in"])
            #expect(help.succeeded)
            #expect(help.output.contains("USAGE: wallet sign-in"))
        }
    }

    @Test("A new password is asked for once it is known whose; --password-stdin says where it comes from")
    func setPassword() async throws {
        try await withServer { server in
            // Nothing is on standard input: the error is that there is no such account.
            let unknown = try await server.administer(["account", "set-password", "nobody"])
            #expect(unknown.ending == .exited(1))
            #expect(unknown.errors.contains("nobody"), "\(unknown.errors)")
            #expect(!unknown.errors.contains("standard input"), "\(unknown.errors)")
            let person = try await server.makeAccount()
            let password = "Pw-\(UUID().uuidString)"
            server.ledger.enter(password)
            try await server.require(
                ["account", "set-password", person.username, "--password-stdin"], input: password + "\n")
        }
    }

    @Test("At a terminal an operator types a new password twice, and where the two differ nothing is set")
    func setPasswordTwice() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let password = "Pw-\(UUID().uuidString)"
            server.ledger.enter(password)
            let arguments = ["account", "set-password", person.username]
            let differing = try await server.administer(
                arguments, answering: [("New password: ", password), ("New password again: ", password + "x")])
            #expect(differing.ending == .exited(1), "\(differing.output)")
            #expect(
                differing.output.contains("the two entries do not match. Nothing was changed"), "\(differing.output)")
            let changes = ["audit", "tail", "--kind", "account.password_changed"]
            #expect(try await server.require(changes) == "No entries.")
            let set = try await server.administer(
                arguments, answering: [("New password: ", password), ("New password again: ", password)])
            #expect(set.succeeded, "\(set.output)")
            #expect(!set.output.contains(password))
            #expect(try await server.require(changes) != "No entries.")
            let none = try await server.administer(
                ["account", "create", "bob", "--password-stdin"],
                answering: [("Password: ", password), ("Password again: ", password + "x")])
            #expect(none.ending == .exited(1), "\(none.output)")
            #expect(try await server.administer(["account", "show", "bob"]).ending == .exited(1))
        }
    }

    @Test("An address is changed, confirmed at once, and removed while the server runs, and is in the audit log")
    func setEmail() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let change = ["account", "set-email", person.username, "--email", "new@example.com", "--verified"]
            let changed = try await server.require(change)
            #expect(changed.contains("has a new e-mail address, which is confirmed"), "\(changed)")
            let again = try await server.administer(change)
            #expect(again.ending == .exited(1))
            #expect(again.errors.contains("There is nothing to change"), "\(again.errors)")
            let shown = try await server.require(["account", "show", person.username])
            #expect(shown.contains("new@example.com"), "\(shown)")
            let removed = try await server.require(["account", "set-email", person.username, "--remove"])
            #expect(removed.contains("no longer has an e-mail address"), "\(removed)")
            #expect(removed.contains("can no longer recover the account by e-mail"), "\(removed)")
            try await server.require(["account", "set-phone", person.username, "--phone", "+359 888 123456"])
            for kind in ["account.email_changed", "account.email_removed", "account.phone_changed"] {
                let entries = try await server.require(["audit", "tail", "--kind", kind])
                #expect(entries.contains(kind), "\(entries)")
                #expect(!entries.contains("example.com") && !entries.contains("+359"), "\(entries)")
            }
        }
    }
}
