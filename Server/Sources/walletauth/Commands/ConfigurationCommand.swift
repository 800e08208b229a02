import ArgumentParser

struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration", abstract: "Show every setting: its flag, its variable, its default.")

    @Flag(help: "Print the page docs/configuration.md.")
    var markdown = false

    func run() throws {
        try Terminal.say(markdown ? ConfigurationDocument.markdown : ConfigurationDocument.help)
    }
}
