import ArgumentParser
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
