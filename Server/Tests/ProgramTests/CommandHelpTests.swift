import ArgumentParser
import Programs
import Testing

@testable import wallet
@testable import walletauth

@Suite("The help of a command")
struct CommandHelpTests {
    /// Both programs with every command below them.
    private static let commands: [any ParsableCommand.Type] = below(WalletAuthCommand.self) + below(WalletProgram.self)

    private static func below(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(below)
    }

    @Test("Options that a command needs come before all others, in the usage line and in the list")
    func required() throws {
        var found = 0
        for command in Self.commands {
            let parsers = command.helpMessage(columns: 100)
            let help = CommandHelp.requiredFirst(parsers)
            let lines = help.split(separator: "\n")
            let usage = try #require(lines.first { $0.hasPrefix("USAGE: ") })
            let needed = usage.replacing(#/\[[^\]]*\]/#, with: "").matches(of: #/--[a-z-]+/#).map { String($0.output) }
            let optional = usage.firstIndex(of: "[") ?? usage.endIndex
            for option in needed {
                #expect(usage.ranges(of: option).allSatisfy { $0.lowerBound < optional }, "\(usage)")
            }
            let listed = lines.filter { $0.hasPrefix("  -") }.prefix(needed.count)
            #expect(listed.compactMap { $0.split(separator: " ").first.map(String.init) } == needed, "\(help)")
            #expect(help.contains("REQUIRED:\n  -") == !needed.isEmpty, "\(help)")
            // Nothing is lost.
            let names = { (text: String) in text.split(separator: "\n").filter { $0.hasPrefix("  -") }.sorted() }
            #expect(names(help) == names(parsers), "\(help)")
            found += needed.count
        }
        #expect(found >= 20, "\(found)")
    }

    /// Nouns of a value that is what the option says.
    private static let ownNames: Set<String> = [
        "account", "amount", "brand", "factor", "kind", "name", "number", "port", "provider", "reason", "role", "scope",
        "text", "username",
    ]

    @Test("A value is named by its kind, not by its option: --access-token-lifetime <seconds>")
    func values() {
        for command in Self.commands {
            for line in command.helpMessage(columns: 100).split(separator: "\n") {
                guard let option = line.firstMatch(of: #/^ +(?:-\w, )?--(?<name>[a-z-]+) <(?<value>[^>]+)>/#) else {
                    continue
                }
                let (name, value) = (String(option.name), String(option.value))
                #expect(name != value || Self.ownNames.contains(name), "\(command._commandName) --\(name) <\(value)>")
            }
        }
    }

    @Test("The help of sign-in-elsewhere describes a sign-in page's code and its button, and no transaction")
    func signInElsewhere() {
        let help = SignInElsewhere.helpMessage(columns: 200)
        #expect(help.contains("WALLET-LOGIN") && help.contains("Sign in with your phone"), "\(help)")
        #expect(!help.lowercased().contains("transaction"), "\(help)")
    }

    @Test("What is read from standard input is named by its option: --password-stdin, never --stdin")
    func standardInput() {
        let all: [String] = Self.commands.flatMap { Self.longOptions(of: $0) }
        let options = all.filter { $0.contains("stdin") }
        #expect(options.count >= 10)
        #expect(options.allSatisfy { $0.hasSuffix("-stdin") && $0.count > "--stdin".count }, "\(options)")
    }

    private static func longOptions(of command: any ParsableCommand.Type) -> [String] {
        command.helpMessage(columns: 100).split(separator: "\n")
            .compactMap { $0.firstMatch(of: #/^ +(--[a-z-]+)/#).map { String($0.output.1) } }
    }

    @Test("A section that becomes empty loses its heading, and text that is not help stays as it is")
    func headings() {
        let help = """
            OVERVIEW: Copy.

            USAGE: copy [--json] --to <folder>

            WHERE:
              --to <folder>           The folder,
                                      on this machine.

            OPTIONS:
              --json                  Print JSON.
            """
        let expected = """
            OVERVIEW: Copy.

            USAGE: copy --to <folder> [--json]

            REQUIRED:
              --to <folder>           The folder,
                                      on this machine.

            OPTIONS:
              --json                  Print JSON.
            """
        #expect(CommandHelp.requiredFirst(help) == expected)
        let script = "#compdef copy\nUSAGE: copy --to <folder>"
        #expect(CommandHelp.requiredFirst(script) == script)
    }
}
