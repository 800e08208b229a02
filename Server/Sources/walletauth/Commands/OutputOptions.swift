import ArgumentParser
import Operations
import Programs

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

    /// - Throws: `Refusal` if the command was refused.
    func require(_ answer: AdministrationAnswer) throws(Refusal) {
        guard answer.status == .done else { throw Refusal(answer) }
    }
}

/// The help text on settings that all groups of subcommands share.
enum LocatingSettings {
    static let discussion = """
        Accepts --config, --environment, --database, --admin-socket and the --master-key… flags, like the server; see \
        `walletauth configuration`.
        """
}
