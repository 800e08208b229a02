import ArgumentParser
import Foundation
import Programs
import Testing

@testable import Operations
@testable import walletauth

@Suite("Where a mistake on the command line points to", .covers("a mistyped command or option is left unexplained"))
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

    @Test(
        "A server takes every setting as a flag, also before the subcommand",
        arguments: [
            ["serve", "--port", "8080"], ["--port=8080", "serve"], ["--config", "a.yaml", "serve", "--port", "8080"],
        ])
    func flagsOfServer(_ arguments: [String]) throws {
        let flags = try SettingFlags(taking: Program.settings(for: arguments), from: arguments)
        #expect(flags.values["port"] == "8080")
        #expect(flags.rest == ["serve"])
    }

    @Test(
        "An invalid configuration and command line end with a status on which the example unit does not restart",
        arguments: [
            (["serve", "--port", "0", "--environment", "production"], 78),
            (["serve", "--port", "many"], 78), (["client", "list", "--config", "/nonexistent/walletauth.yaml"], 78),
            (["serve", "--no-such-flag"], 64),
        ] as [([String], Int32)])
    func notRestarted(_ arguments: [String], _ expected: Int32) async throws {
        #expect(await Program.run(arguments: arguments, environment: [:]) == expected)
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Examples/Deployment/walletauth.service")
        let line = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix("RestartPreventExitStatus=") }
        #expect(line?.split(whereSeparator: { "= ".contains($0) }).contains("\(expected)") == true)
    }

    @Test("A file called serve makes no server of another subcommand")
    func fileCalledServe() throws {
        let arguments = ["--config", "serve", "client", "list", "--port", "8080"]
        let flags = try SettingFlags(taking: Program.settings(for: arguments), from: arguments)
        #expect(flags.values == ["config": "serve"])
        #expect(flags.rest == ["client", "list", "--port", "8080"])
    }

    @Test("The help of a command names the flags of the settings, once; the version is the version alone")
    func settingsInHelp() throws {
        for command in [
            ["client", "create"], ["account", "set-password"], ["database", "restore-report"], ["client"], [],
        ] {
            let help = try printed(by: command + ["--help"])
            #expect(help.hasPrefix("OVERVIEW: "))
            #expect(help.components(separatedBy: "--master-key-file").count == 2, "\(help)")
            #expect(help.hasSuffix("`walletauth configuration` describes them."), "\(help)")
        }
        let settings = try printed(by: ["serve", "--help"])
        #expect(settings.contains("--master-key-file"))
        #expect(!settings.contains("describes them"))
        #expect(try printed(by: ["--version"]) == ProgramVersion.current)
    }

    private func printed(by arguments: [String]) throws -> String {
        let error = try #require(throws: (any Error).self) {
            var command = try WalletAuthCommand.parseAsRoot(arguments)
            try command.run()
        }
        return WalletAuthCommand.completed(WalletAuthCommand.fullMessage(for: error))
    }

    @Test("PINs of accounts are turned on and off for a brand, and nothing else is taken for an answer")
    func accountPINs() throws {
        for (word, isOn) in [("on", Switch.on), ("off", .off)] {
            let parsed = try WalletAuthCommand.parseAsRoot(
                ["brand", "update", "default", "--account-pin", word])
            let update = try #require(parsed as? Subcommand<BrandUpdate>).command
            #expect(update.id == "default")
            #expect(update.change.accountPIN == isOn)
        }
        #expect(try WalletAuthCommand.parseAsRoot(["account", "remove-pin", "ada"]) is Subcommand<AccountRemovePIN>)
        for wrong in [
            ["brand", "update", "default", "--account-pin", "yes"],
            ["brand", "update", "default", "--account-pin"], ["account", "remove-pin"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try WalletAuthCommand.parseAsRoot(wrong) }
        }
    }

    @Test("An address or number is replaced or removed, not both, and only a new one is vouched for")
    func contacts() throws {
        func check(_ arguments: [String]) throws {
            switch try WalletAuthCommand.parseAsRoot(["account"] + arguments) {
            case let email as Subcommand<AccountSetEmail>: try email.command.checkRequest()
            case let phone as Subcommand<AccountSetPhone>: try phone.command.checkRequest()
            case let other: Issue.record("another command: \(other)")
            }
        }
        for arguments in [
            ["set-email", "ada", "--email", "a@example.com"], ["set-email", "--account", "1", "--remove"],
            ["set-phone", "ada", "--brand", "acme", "--phone", "+1234567", "--verified"],
        ] {
            #expect(throws: Never.self, "\(arguments)") { try check(arguments) }
        }
        for arguments in [
            ["set-email", "ada"], ["set-email", "ada", "--verified"],
            ["set-email", "ada", "--email", "a@example.com", "--remove"],
            ["set-email", "ada", "--remove", "--verified"], ["set-phone", "ada"],
            ["set-phone", "ada", "--phone", "+1234567", "--remove"],
        ] {
            #expect(throws: ValidationError.self, "\(arguments)") { try check(arguments) }
        }
    }

    @Test(
        "Only what nothing undoes asks for the name to be typed, and --yes spares that",
        arguments: [
            (["account", "erase", "ada"], "ada"), (["account", "erase", "--account", "1"], "1"),
            (["account", "merge", "guest", "--into", "ada"], "guest"),
            (["client", "delete", "app"], "app"), (["keys", "revoke", "a", "b"], "a b"),
            (["database", "change-issuer", "https://id.example.com"], "https://id.example.com"),
            (["account", "deactivate", "ada"], nil), (["device", "remove", "1"], nil),
            (["account", "merge", "guest", "--into", "ada", "--dry-run"], nil),
        ] as [([String], String?)])
    func confirmations(_ words: [String], typed: String?) throws {
        func confirmation(_ words: [String]) throws -> Operations.Confirmation? {
            try #require(try WalletAuthCommand.parseAsRoot(words) as? any OperatorCommand).confirmation
        }
        #expect(try confirmation(words)?.word == typed)
        if typed != nil { #expect(try confirmation(words + ["--yes"]) == nil) }
    }

    @Test("The age of passwords is a brand's, in days")
    func passwordDays() throws {
        let parsed = try WalletAuthCommand.parseAsRoot(["brand", "update", "acme", "--password-days", "90"])
        let update = try #require(parsed as? Subcommand<BrandUpdate>).command
        #expect(update.id == "acme")
        #expect(update.change.passwordDays == 90)
        #expect(throws: (any Error).self) {
            try WalletAuthCommand.parseAsRoot(["brand", "update", "acme", "--password-days", "soon"])
        }
    }

    @Test("Google is an OpenID provider whose issuer and label are known, and which has a secret")
    func google() throws {
        let base = ["provider", "add", "google", "--client-id", "1234"]
        let parsed = try WalletAuthCommand.parseAsRoot(base + ["--client-secret-stdin", "--brand", "acme"])
        let registration = try #require(parsed as? Subcommand<ProviderAddGoogle>).command.registration(secret: "hidden")
        #expect(registration.id == "google")
        #expect(registration.brand == "acme")
        #expect(registration.issuer == "https://accounts.google.com")
        #expect(registration.clientID == "1234")
        #expect(registration.isOnSignInPage)
        #expect(registration.label == "Google")
        #expect(!registration.trustsEmail && !registration.emailIsSecondFactor && !registration.redirectsToOtherHosts)
        #expect(throws: (any Error).self) { try WalletAuthCommand.parseAsRoot(base) }
    }

    @Test("DPoP is required or bearer tokens are allowed, not both; what is left out is the kind's own default")
    func tokenBinding() throws {
        let create = ["client", "create", "--name", "App", "--public", "--first-party"]
        for (flags, expected) in [([], nil), (["--require-dpop"], true), (["--allow-bearer"], false)]
            as [([String], Bool?)]
        {
            let made = try WalletAuthCommand.parseAsRoot(create + flags)
            #expect(try #require(made as? Subcommand<ClientCreate>).command.binding.requiresDPoP == expected)
            let changed = try WalletAuthCommand.parseAsRoot(["client", "update", "app", "--name", "App"] + flags)
            #expect(try #require(changed as? Subcommand<ClientUpdate>).command.change.binding.requiresDPoP == expected)
        }
        for command in [create, ["client", "update", "app"]] {
            let error = #expect(throws: (any Error).self) {
                try WalletAuthCommand.parseAsRoot(command + ["--require-dpop", "--allow-bearer"])
            }
            let message = error.map { WalletAuthCommand.message(for: $0) }
            #expect(message == "use either --require-dpop or --allow-bearer, not both")
        }
    }

    @Test(
        "An update with an unknown option is refused for that option; one without any is refused when it runs",
        arguments: [["client", "update", "app"], ["brand", "update", "acme"], ["account", "update", "ada"]])
    func emptyUpdates(_ update: [String]) throws {
        let misspelled = #expect(throws: (any Error).self) {
            try WalletAuthCommand.parseAsRoot(update + ["--no-such-thing", "x"])
        }
        let message = misspelled.map { WalletAuthCommand.message(for: $0) } ?? ""
        #expect(message.contains("Unknown option '--no-such-thing'"), "\(message)")
        let command = try #require(try WalletAuthCommand.parseAsRoot(update) as? any OperatorCommand)
        #expect(throws: ValidationError.self) { try command.checkRequest() }
    }

    @Test("A message of the parser's is continued by the help to look at, as one sentence")
    func fullStop() {
        let wrong = ["brand", "update", "default", "--account-pin", "maybe"]
        let line = line(of: wrong)
        #expect(line.hasPrefix("the value 'maybe' is invalid"), "\(line)")
        #expect(line.hasSuffix("'on' and 'off'; see `walletauth brand update --help`"), "\(line)")
    }

    @Test(
        "A misspelled command or option gets the intended one as a suggestion, and one that resembles none gets the help alone",
        arguments: [
            (["acount", "show", "ada"], "unknown command 'acount'; did you mean 'account'? See `walletauth --help`"),
            (["acount", "--json"], "unknown command 'acount'; did you mean 'account'? See `walletauth --help`"),
            (
                ["client", "crate", "--name", "App"],
                "unknown command 'crate'; did you mean 'create'? See `walletauth client --help`"
            ),
            (["nonsense"], "unknown command 'nonsense'; see `walletauth --help`"),
            (
                ["account", "show", "--acount", "1"],
                "unknown option '--acount'; did you mean '--account'? See `walletauth account show --help`"
            ),
            (
                ["client", "create", "app", "--nmae", "App"],
                "unknown option '--nmae'; did you mean '--name'? See `walletauth client create --help`"
            ),
            (["doctor", "--prot"], "unknown option '--prot'; did you mean '--port'? See `walletauth doctor --help`"),
            (["doctor", "--isu"], "unknown option '--isu'; see `walletauth doctor --help`"),
            (["doctor", "--iss"], "unknown option '--iss'; did you mean '--issuer'? See `walletauth doctor --help`"),
            (["doctor", "--foo"], "unknown option '--foo'; see `walletauth doctor --help`"),
            (
                ["--limit", "9", "account", "list"],
                "the option '--limit' goes after `walletauth account list`; see `walletauth account list --help`"
            ),
            (["--json"], "the option '--json' goes after a command's name, and none is given; see `walletauth --help`"),
            (
                ["client", "list", "app"],
                "`walletauth client list` takes no argument like 'app'; `walletauth client show` shows a single one; "
                    + "see `walletauth client list --help`"
            ),
            (
                ["client", "show", "a", "b"],
                "'b' is one argument too many: `walletauth client show` takes <id>; see `walletauth client show --help`"
            ),
            (
                ["doctor", "a.yaml"],
                "`walletauth doctor` takes no argument like 'a.yaml'; --config FILE names the configuration; "
                    + "see `walletauth doctor --help`"
            ),
            (["client", "show"], "<id> is missing; see `walletauth client show --help`"),
            (
                ["audit", "evidence", "-r0ny_0VURurC22qtonz9Q"],
                "'-r0ny_0VURurC22qtonz9Q' begins like an option; put '--' before it if it is the <id>; "
                    + "see `walletauth audit evidence --help`"
            ),
            (["brand", "create", "acme"], "--name <name> is missing; see `walletauth brand create --help`"),
        ])
    func suggestions(_ arguments: [String], _ expected: String) {
        #expect(line(of: arguments) == expected)
    }

    @Test(
        "Help for a command that does not exist is refused like the command itself",
        arguments: [
            (["help", "srve"], "unknown command 'srve'; did you mean 'serve'? See `walletauth --help`"),
            (
                ["help", "client", "crate"],
                "unknown command 'crate'; did you mean 'create'? See `walletauth client --help`"
            ),
        ])
    func unknownHelp(_ arguments: [String], _ expected: String) async throws {
        let error = #expect(throws: (any Error).self) { try WalletAuthCommand.refuseHelpForUnknown(arguments) }
        #expect(error.map { WalletAuthCommand.mistake(for: $0, in: arguments).line } == expected)
        #expect(await Program.run(arguments: arguments, environment: [:]) == 64)
    }

    @Test(
        "Help for a command that exists is given",
        arguments: [["help"], ["help", "serve"], ["help", "client", "create"], ["help", "client"], ["srve"]])
    func knownHelp(_ arguments: [String]) {
        #expect(throws: Never.self) { try WalletAuthCommand.refuseHelpForUnknown(arguments) }
    }

    @Test(
        "--json may stand before the command and before each of its words, but not as a value of another option",
        arguments: [
            (["--json", "client", "list"], ["client", "list", "--json"]),
            (["client", "--json", "list"], ["client", "list", "--json"]),
            (["--json", "account", "show", "--", "-x"], ["account", "show", "--json", "--", "-x"]),
            (["client", "create", "--name", "--json"], ["client", "create", "--name", "--json"]),
            (["--json", "cleint", "list"], ["cleint", "list", "--json"]),
            (["serve"], ["serve"]),
        ])
    func jsonFirst(_ typed: [String], _ parsed: [String]) {
        #expect(WalletAuthCommand.commandFirst(typed, moving: OutputOptions.self) == parsed)
    }

    /// The line for a mistaken command line, where the parser does not know the flags `--port` and `--issuer`.
    private func line(of arguments: [String]) -> String {
        let error = #expect(throws: (any Error).self) { try WalletAuthCommand.parseAsRoot(arguments) }
        return error.map { WalletAuthCommand.mistake(for: $0, in: arguments, flags: ["--port", "--issuer"]).line } ?? ""
    }

    @Test("A thing is named once, and after two dashes its name may begin with a dash")
    func names() throws {
        for right in [
            ["account", "show", "ada"], ["account", "show", "--account", "x"],
            ["account", "show", "--brand", "acme", "--", "-rf"],
        ] {
            #expect(try WalletAuthCommand.parseAsRoot(right) is Subcommand<AccountShow>, "\(right)")
        }
        let dashed = try WalletAuthCommand.parseAsRoot(["client", "show", "--", "-app"])
        #expect(try #require(dashed as? Subcommand<ClientShow>).command.client.id == "-app")
        for wrong in [
            ["account", "show"], ["account", "show", "ada", "eve"], ["client", "show"],
            ["account", "show", "ada", "--account", "x"], ["client", "show", "a", "b"], ["account", "create"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try WalletAuthCommand.parseAsRoot(wrong) }
        }
    }

    @Test("No heading of a command's help has more options than fit on a screen")
    func headings() {
        for command in Administration.nouns.flatMap({ $0.commands }) {
            let help = command.subcommand.helpMessage(columns: 200).split(separator: "\n")
            let counted = help.reduce(into: [(heading: Substring, options: Int)]()) { counted, line in
                if line.hasSuffix(":"), !line.hasPrefix(" ") {
                    counted.append((line, 0))
                } else if line.hasPrefix("  -"), !counted.isEmpty {
                    counted[counted.count - 1].options += 1
                }
            }
            for section in counted { #expect(section.options <= 16, "\(command.title) \(section)") }
        }
        let create = ClientCreate.subcommand.helpMessage(columns: 200)
        for heading in ["PAGES AND LINKS:", "GUESTS:", "AUTHENTICATION:", "LIFETIMES AND TOKENS:"] {
            #expect(create.contains("\n\(heading)\n"), "\(create)")
        }
    }

    @Test("No command of a noun names what it is about by an option; only accounts have a second name, their id")
    func positionalNames() {
        for noun in Administration.nouns {
            for command in noun.commands {
                let options = command.subcommand.helpMessage(includeHidden: true, columns: 200).split(separator: "\n")
                    .filter { $0.hasPrefix("  -") }.flatMap { $0.split(separator: " ") }
                for name in ["--id", "--username", "--purpose", "--\(noun.title)"] where name != "--account" {
                    #expect(!options.contains { $0 == name }, "\(command.title) \(name)")
                }
            }
        }
    }
}
