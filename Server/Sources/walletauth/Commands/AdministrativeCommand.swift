import ArgumentParser
import Operations
import Programs

/// A subcommand that executes one administrative command (``AdministrationChannel``).
///
/// This folder owns the command line: options, input and output. The commands are executed in AuthAdministration.
protocol AdministrativeCommand: OperatorCommand {
    var output: OutputOptions { get }

    /// Whether the subcommand may create a database.
    var makesDatabase: Bool { get }

    /// A command that must succeed before this one asks for input, so that people do not type a password for an account
    /// that does not exist.
    var precondition: AdministrationCommand? { get throws }

    /// Checks that the options request something. This runs after the parser has reported unknown options, which it
    /// does only after `validate()`.
    ///
    /// - Throws: `ValidationError` if they request nothing.
    func checkRequest() throws

    /// The command that the options describe.
    ///
    /// - Throws: an error if the options conflict, or if a file or standard input is unreadable.
    func command() throws -> AdministrationCommand
}

extension AdministrativeCommand {
    var makesDatabase: Bool { false }
    var precondition: AdministrationCommand? { nil }

    func checkRequest() throws {}

    var effect: CommandEffect { get throws { try command().effect } }

    func run(in invocation: Invocation) async throws {
        try checkRequest()
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let channel = AdministrationChannel(configuration: configuration)
        if !makesDatabase { try channel.requireDestination() }
        if let precondition = try precondition { try output.require(await channel.answer(to: precondition)) }
        let requested = try command()
        let answer = try await channel.answer(to: requested)
        try output.require(answer)
        channel.report(requested.effect, asJSON: output.json)
        try output.print(answer)
    }
}

/// Output for people, or as JSON for scripts.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false

    init() {}

    init(json: Bool) { self.json = json }

    /// Prints an answer. Names and user agents in it come from others and may contain control characters, so they are
    /// escaped.
    func print(_ answer: AdministrationAnswer) throws(Refusal) {
        if json {
            try Terminal.say(answer.json.jsonEscapedForTerminal)
        } else {
            for line in answer.lines {
                try Terminal.say(line.escapedForOneLine)
            }
        }
    }

    /// - Throws: `Refusal` if the command was refused; scripts get the answer first.
    func require(_ answer: AdministrationAnswer) throws(Refusal) {
        guard answer.status == .done else {
            if json { try Terminal.say(answer.json.jsonEscapedForTerminal) }
            throw Refusal(answer.lines.joined(separator: " "))
        }
    }
}

/// The help text on settings that all groups of subcommands share.
enum LocatingSettings {
    static let discussion = """
        Accepts --config, --environment, --database, --admin-socket and the --master-key… flags, like the server; see \
        `walletauth configuration`.
        """
}

/// An id, as an argument or an option. The option is for scripts, and for ids that begin with a dash.
struct IDOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The id.", valueName: "id"))
    private var argument: String?

    @Option(help: "The id, as an option.")
    private var id: String?

    func validate() throws {
        guard argument == nil || id == nil else { throw ValidationError("the id is specified twice") }
        _ = try value
    }

    var value: String {
        get throws {
            guard let value = argument ?? id else { throw ValidationError("specify an id, as shown by `list`") }
            return value
        }
    }
}
