package import ArgumentParser
internal import WalletAuthWire

extension ParsableCommand {
    /// The subcommand on a command line, as far as it is recognized: `walletauth client create`.
    /// - Parameter arguments: the command line without the program's name.
    package static func named(in arguments: some Sequence<String>) -> String { command(in: arguments).name }

    fileprivate static func command(
        in arguments: some Sequence<String>
    ) -> (name: String, type: any ParsableCommand.Type) {
        var words = [_commandName]
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else {
                continue
            }
            words.append(argument)
            command = next
        }
        return (words.joined(separator: " "), command)
    }
}

// MARK: - Options before the command

extension ParsableCommand {
    /// The command line with the options in front of a command's words behind them, where the parser looks for them.
    /// - Parameters:
    ///   - arguments: the command line without the program's name.
    ///   - options: those that every command takes.
    package static func commandFirst(
        _ arguments: [String], moving options: any ParsableArguments.Type
    ) -> [String] {
        guard arguments.contains(where: { $0.hasPrefix("-") }) else { return arguments }
        let known = longOptions(in: options.helpMessage(includeHidden: false))
        var (words, moved, rest) = ([String](), [String](), arguments[...])
        var command: any ParsableCommand.Type = Self.self
        while !command.configuration.subcommands.isEmpty, let word = rest.first {
            if let next = command.configuration.subcommands.first(where: { $0._commandName == word }) {
                words.append(rest.removeFirst())
                command = next
            } else if let hasValue = known[String(word.prefix { $0 != "=" })] {
                let count = hasValue && !word.contains("=") ? 2 : 1
                moved += rest.prefix(count)
                rest = rest.dropFirst(count)
            } else {
                // The mistake is in what follows.
                return words + rest + moved
            }
        }
        return words + moved + rest
    }

    /// The long options in a help, and whether they have a value: `  -X, --request <method>`.
    fileprivate static func longOptions(in help: String) -> [String: Bool] {
        let options = help.split(whereSeparator: { $0.isNewline }).compactMap { line in
            line.prefixMatch(of: #/\s\s(?:-\w, )?(--[a-z0-9-]+)( <)?/#).map {
                (String($0.output.1), $0.output.2 != nil)
            }
        }
        return Dictionary(options) { first, _ in first }.filter { !["--help", "--version"].contains($0.key) }
    }
}

// MARK: - Mistakes

/// A command that takes no argument, and knows what people mean who type one.
package protocol ArgumentExplaining: ParsableCommand {
    /// What to do instead, as a clause: `--profile NAME chooses another wallet`.
    static var insteadOfArgument: String { get }
}

/// What is wrong with a command line, what was probably meant, and which command shows the help.
package struct UsageMistake: Sendable {
    package let problem: String
    /// An option or command with a similar name.
    package let meant: String?
    /// The words of the command whose help to read.
    package let command: String

    package init(_ problem: String, meant: String? = nil, command: String) {
        self.problem = problem
        self.meant = meant
        self.command = command
    }

    package var hint: String { (meant.map { "Did you mean '\($0)'? " } ?? "") + "See `\(command) --help`" }

    package var line: String { "\(problem); \(hint.prefix(1).lowercased())\(hint.dropFirst())" }
}

extension ParsableCommand {
    /// - Parameters:
    ///   - error: what the parser has thrown.
    ///   - arguments: the command line without the program's name.
    ///   - flags: the options that the parser does not know.
    package static func mistake(
        for error: any Error, in arguments: [String], flags: [String] = []
    ) -> UsageMistake {
        let (name, type) = command(in: arguments)
        if let (word, known) = unknownCommand(in: arguments) {
            return UsageMistake("unknown command '\(word)'", meant: nearest(to: word, among: known), command: name)
        }
        let line = message(for: error).split(whereSeparator: { $0.isNewline }).map {
            $0.drop(while: { $0.isWhitespace })
        }
        .joined(separator: " ")
        if let option = line.wholeMatch(of: #/Unknown option '(-[^']+)'(?:\. Did you mean '[^']+'\?)?/#)?.output.1 {
            return unknownOption(String(option), of: type, called: name, flags: flags)
        }
        if let word = line.wholeMatch(of: #/Unexpected argument '(.*)'/#)?.output.1 {
            return UsageMistake(surplus(String(word), of: type, called: name), command: name)
        }
        if let missing = line.wholeMatch(of: #/Missing expected argument '(.*)'/#)?.output.1 {
            if let unknown = unknownOption(in: arguments, of: type, called: name, flags: flags) { return unknown }
            // An identifier may begin so. Two dashes are one of the options, which the parser names itself.
            if let word = arguments.first(where: { $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") }) {
                return UsageMistake(
                    "'\(word)' begins like an option; put '--' before it if it is the \(missing)", command: name)
            }
            return UsageMistake("\(missing) is missing", command: name)
        }
        // The line continues after it.
        let sentence = line.hasSuffix(".") ? line.dropLast() : line[...]
        return UsageMistake(sentence.prefix(1).lowercased() + sentence.dropFirst(), command: name)
    }

    /// The parser suggests even an option that has little in common, such as `--issuer` for `--user`, and the typed one itself if it is
    /// before its command.
    private static func unknownOption(
        _ option: String, of type: any ParsableCommand.Type, called name: String, flags: [String]
    ) -> UsageMistake {
        let typed = "--\(option.drop { $0 == "-" }.prefix { $0 != "=" })"
        let known = longOptions(of: type)
        if known.contains(typed) {
            return UsageMistake("the option '\(typed)' goes after `\(name)`", command: name)
        }
        if isKnown(typed, below: type) {
            return UsageMistake("the option '\(typed)' goes after a command's name, and none is given", command: name)
        }
        return UsageMistake(
            "unknown option '\(option)'", meant: nearest(to: typed, among: known + flags), command: name)
    }

    /// The first option that a command does not know. The parser reports the missing one first, which is often the same, misspelled.
    private static func unknownOption(
        in arguments: [String], of type: any ParsableCommand.Type, called name: String, flags: [String]
    ) -> UsageMistake? {
        let help = type.helpMessage(includeHidden: true)
        let known = Set(help.matches(of: #/--[a-z0-9-]+/#).map { String($0.output) }).union(flags)
        let takingValue = longOptions(in: help).filter(\.value)
        var rest = arguments.prefix { $0 != "--" }
        while let word = rest.popFirst() {
            let option = String(word.prefix { $0 != "=" })
            guard !word.hasPrefix("--") || known.contains(option) else {
                return unknownOption(option, of: type, called: name, flags: flags)
            }
            if takingValue[option] != nil, option == word { rest = rest.dropFirst() }
        }
        return nil
    }

    private static func isKnown(_ option: String, below type: any ParsableCommand.Type) -> Bool {
        type.configuration.subcommands.contains { longOptions(of: $0).contains(option) || isKnown(option, below: $0) }
    }

    /// What is wrong with an argument that a command does not take, and what to do instead.
    private static func surplus(
        _ word: String, of type: any ParsableCommand.Type, called name: String
    ) -> String {
        let arguments = type.helpMessage(includeHidden: false).split(whereSeparator: { $0.isNewline })
            .compactMap { $0.prefixMatch(of: #/\s\s(<[a-z-]+>)/#).map { String($0.output.1) } }
        guard arguments.isEmpty else {
            return "'\(word)' is one argument too many: `\(name)` takes \(arguments.joined(separator: " "))"
        }
        let problem = "`\(name)` takes no argument like '\(word)'"
        if let type = type as? any ArgumentExplaining.Type { return "\(problem); \(type.insteadOfArgument)" }
        let single = name.split(separator: " ").dropLast().joined(separator: " ") + " show"
        guard name.hasSuffix(" list"), command(in: single.split(separator: " ").map(String.init)).name == single else {
            return problem
        }
        return "\(problem); `\(single)` shows a single one"
    }

    /// The only name that begins with what was typed, from three letters on; otherwise the closest; nil if there is
    /// none.
    private static func nearest(to typed: String, among known: [String]) -> String? {
        let longer = Set(known.filter { $0.hasPrefix(typed) })
        guard longer.count == 1, typed.count(where: { $0.isLetter }) >= 3 else {
            return Spelling.correction(of: typed, among: known)
        }
        return longer.first
    }

    /// Refuses `help` for a command that does not exist. The parser would print the help of the one above, and call that a success.
    /// - Parameter arguments: the command line without the program's name.
    package static func refuseHelpForUnknown(_ arguments: [String]) throws {
        guard arguments.first == "help", let (word, _) = unknownCommand(in: arguments) else { return }
        throw ValidationError("unknown command '\(word)'")
    }

    /// The first word that has to name a subcommand and does not, and the names that it could have been. The parser calls it an
    /// unexpected argument, or its options unknown.
    private static func unknownCommand(in arguments: [String]) -> (word: String, known: [String])? {
        var command: any ParsableCommand.Type = Self.self
        // `help` is the parser's own command: the words after it name the one to explain.
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            guard let next = known.first(where: { $0._commandName == argument }) else {
                return (argument, known.map { $0._commandName })
            }
            command = next
        }
        return nil
    }

    /// The long options of a command.
    package static func longOptions(of command: any ParsableCommand.Type) -> [String] {
        longOptions(in: command.helpMessage(includeHidden: false)).keys.sorted()
    }
}
