import ArgumentParser
import AuthFlows
import OneLineText

/// A subcommand that is one administrative command: carried out by the running server, or on the database itself.
protocol AdministrativeCommand: ProgramCommand {
    /// How the answer is printed.
    var output: OutputOptions { get }

    /// Whether the subcommand is there to make a database.
    var makesDatabase: Bool { get }

    /// A command that must succeed before this one asks for anything, so that people do not type a password for an account that
    /// does not exist.
    var precondition: AdministrationCommand? { get throws }

    /// Checks that the options ask for anything. The parser has named an option that it does not know by then, which it does only
    /// after `validate()`.
    ///
    /// - Throws: `ValidationError` where they ask for nothing.
    func checkRequest() throws

    /// What is to be done, from the subcommand's options.
    ///
    /// - Throws: Where the options do not fit together, or a file or standard input cannot be read.
    func command() throws -> AdministrationCommand
}

extension AdministrativeCommand {
    var makesDatabase: Bool { false }
    var precondition: AdministrationCommand? { nil }

    func checkRequest() throws {}

    func run(in invocation: Invocation) async throws {
        try checkRequest()
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let channel = AdministrationChannel(configuration: configuration)
        if !makesDatabase { try channel.requireDestination() }
        if let precondition = try precondition { try require(await channel.answer(to: precondition)) }
        let answer = try await channel.answer(to: try command())
        try require(answer)
        try output.print(answer)
    }

    private func require(_ answer: AdministrationAnswer) throws {
        guard answer.status == .done else {
            if output.json { try Terminal.say(answer.json) }
            throw Refusal(answer.lines.joined(separator: " "))
        }
    }
}

/// For a person or for a script.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false

    /// Prints an answer. Names and user agents in it are what others chose: they steer no terminal.
    func print(_ answer: AdministrationAnswer) throws(Refusal) {
        if json {
            try Terminal.say(answer.json.jsonEscapedForTerminal)
        } else {
            for line in answer.lines {
                try Terminal.say(line.escapedForOneLine)
            }
        }
    }
}

/// What every group of subcommands says about the settings it takes.
enum LocatingSettings {
    static let discussion = """
        Takes --config, --environment, --database, --admin-socket and the --master-key… flags, like the server; see \
        `walletauth configuration`.
        """
}
