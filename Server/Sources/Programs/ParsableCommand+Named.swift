package import ArgumentParser

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

// MARK: - Mistakes

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
        let (problem, meant) = mistake(in: arguments, of: type, message: message(for: error), flags: flags)
        return UsageMistake(problem, meant: meant, command: name)
    }

    /// The parser calls a misspelled subcommand an unexpected argument, or its options unknown. For an option it
    /// suggests even one with little in common, such as `--issuer` for `--user`.
    private static func mistake(
        in arguments: [String], of command: any ParsableCommand.Type, message: String, flags: [String]
    ) -> (problem: String, meant: String?) {
        if let (word, known) = unknownCommand(in: arguments) {
            return ("unknown command '\(word)'", nearest(to: word, among: known))
        }
        let line = message.split(whereSeparator: { $0.isNewline }).map { $0.drop(while: { $0.isWhitespace }) }
            .joined(separator: " ")
        if let option = line.wholeMatch(of: #/Unknown option '(-[^']+)'(?:\. Did you mean '[^']+'\?)?/#)?.output.1 {
            let typed = "--\(option.drop(while: { $0 == "-" }))"
            return ("unknown option '\(option)'", nearest(to: typed, among: longOptions(of: command) + flags))
        }
        // The line continues after it.
        let sentence = line.hasSuffix(".") ? line.dropLast() : line[...]
        return (sentence.prefix(1).lowercased() + sentence.dropFirst(), nil)
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

    /// The first word that has to name a subcommand and does not, and the names that it could have been.
    private static func unknownCommand(in arguments: [String]) -> (word: String, known: [String])? {
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            let known = command.configuration.subcommands
            // `help` is the parser's own command.
            guard !known.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            guard let next = known.first(where: { $0._commandName == argument }) else {
                return (argument, known.map { $0._commandName })
            }
            command = next
        }
        return nil
    }

    /// The long options of a command, as its help lists them: `  -X, --request <method>`.
    private static func longOptions(of command: any ParsableCommand.Type) -> [String] {
        command.helpMessage(includeHidden: false).split(whereSeparator: { $0.isNewline }).compactMap { line in
            line.prefixMatch(of: #/\s\s(?:-\w, )?(--[a-z0-9-]+)/#).map { String($0.output.1) }
        }
    }
}
