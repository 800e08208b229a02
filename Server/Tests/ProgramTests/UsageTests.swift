import ArgumentParser
import AuthFlows
import Programs
import Testing

@testable import walletauth

@Suite("Where a mistake on the command line points to")
struct UsageTests {
    @Test(
        "The help that is named is the subcommand's own",
        arguments: [
            (["client", "create", "--no-such-option"], "walletauth client create"),
            (["--database", "sqlite:a.db", "account", "set-password"], "walletauth account set-password"),
            (["client", "crate"], "walletauth client"), (["clent"], "walletauth"), ([], "walletauth"),
            (["serve", "--port"], "walletauth serve"), (["database", "backup"], "walletauth database backup"),
        ])
    func help(_ arguments: [String], _ expected: String) {
        #expect(WalletAuthCommand.named(in: arguments) == expected)
    }

    @Test("PINs of accounts are turned on and off for a brand, and nothing else is taken for an answer")
    func accountPINs() throws {
        for (word, isOn) in [("on", true), ("off", false)] {
            let parsed = try WalletAuthCommand.parseAsRoot(
                ["brand", "update", "--id", "default", "--account-pin", word])
            let update = try #require(parsed as? BrandUpdate)
            guard case .brand(.update(let id, let change)) = try update.command(), id == "default" else {
                Issue.record("another command")
                return
            }
            #expect(change == BrandChange(accountPIN: isOn))
        }
        #expect(try WalletAuthCommand.parseAsRoot(["account", "remove-pin", "ada"]) is AccountRemovePIN)
        for wrong in [
            ["brand", "update", "--id", "default", "--account-pin", "yes"],
            ["brand", "update", "--id", "default", "--account-pin"], ["account", "remove-pin"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try WalletAuthCommand.parseAsRoot(wrong) }
        }
    }

    @Test("A message of the command line's ends without its full stop where the help is named after it")
    func fullStop() {
        let wrong = ["brand", "update", "--id", "default", "--account-pin", "maybe"]
        let error = #expect(throws: (any Error).self) { try WalletAuthCommand.parseAsRoot(wrong) }
        let message = error.map { WalletAuthCommand.message(for: $0).withoutFullStop }
        #expect(message?.contains("'on' and 'off'") == true)
        #expect(message?.hasSuffix(".") == false, "\(String(describing: message))")
    }

    @Test("A user name is given as the argument or as an option, and not twice")
    func usernames() throws {
        #expect(try WalletAuthCommand.parseAsRoot(["account", "show", "ada"]) is AccountShow)
        #expect(try WalletAuthCommand.parseAsRoot(["account", "show", "--username", "ada"]) is AccountShow)
        #expect(try WalletAuthCommand.parseAsRoot(["client", "show", "app"]) is ClientShow)
        #expect(try WalletAuthCommand.parseAsRoot(["client", "show", "--id", "app"]) is ClientShow)
        for wrong in [
            ["account", "show"], ["account", "show", "ada", "--username", "eve"], ["client", "show"],
            ["account", "show", "ada", "--account", "x"], ["client", "show", "a", "--id", "b"], ["account", "create"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try WalletAuthCommand.parseAsRoot(wrong) }
        }
    }
}
