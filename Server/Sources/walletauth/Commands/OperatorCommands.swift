import Apple
import ArgumentParser
import Operations
import Programs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The commands of a noun on the command line.
///
/// This folder owns the way of a command from the command line to its execution, and the subcommands that use this machine's
/// files. The commands themselves are declared in AuthAdministration and the targets above it.
struct OperatorCommands<Noun: CommandNoun>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Noun.title, abstract: Noun.abstract,
            discussion: """
                Accepts --config, --environment, --database, --admin-socket and the --master-key… flags, like the server; \
                see `walletauth configuration`.
                """,
            subcommands: Noun.commands.map { $0.subcommand })
    }
}

extension CommandNoun {
    static var subcommand: any ParsableCommand.Type { OperatorCommands<Self>.self }
}

/// A subcommand that executes one administrative command.
protocol OperatorCommand: ProgramCommand {
    var effect: CommandEffect { get throws }
}

extension Subcommand: OperatorCommand {
    var effect: CommandEffect { command.effect }

    func run(in invocation: Invocation) async throws {
        try command.checkRequest()
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let channel = AdministrationChannel(configuration: configuration)
        let output = OutputOptions(json: json)
        if command.effect != .migrates { try channel.requireDestination() }
        if configuration.database.isPostgreSQL, let remedy = Command.remedyWithPostgreSQL { throw Refusal(remedy) }
        if let precondition = try command.precondition {
            try output.require(await channel.answer(to: .words(precondition)))
        }
        let request = AdminRequest(invocation.flags.rest, input: try command.readInput(from: LocalInput()))
        let answer = try await channel.answer(to: .words(request), for: command.effect)
        try output.require(answer)
        channel.report(command.effect, asJSON: json)
        try output.print(answer)
    }
}

/// The operator's terminal and files.
struct LocalInput: CommandInputReader {
    func secret(_ name: String, isChosen: Bool) throws -> String {
        try Terminal.read(Terminal.Secret(name: name, isChosen: isChosen))
    }

    func file(_ path: String, named name: String, upTo limit: Int) throws -> String {
        do throws(ReadableFile.Unreadable) {
            return try ReadableFile.text(path, upTo: limit)
        } catch {
            throw Refusal("\(name) \(path) \(error.reason)")
        }
    }

    func absolutePath(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}
