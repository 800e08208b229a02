package import ArgumentParser

extension ParsableCommand {
    /// The subcommand on a command line, as far as it is recognized: `walletauth client create`.
    /// - Parameter arguments: the command line without the program's name.
    package static func named(in arguments: some Sequence<String>) -> String {
        var words = [_commandName]
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else {
                continue
            }
            words.append(argument)
            command = next
        }
        return words.joined(separator: " ")
    }
}
