import ArgumentParser
import AuthFlows

/// Rotates a key.
struct KeysRotate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new key for a purpose; old ones go on opening what they sealed.")

    @Option(help: "The purpose, by its name in `keys list`; `signatures` for those that sign tokens.")
    var purpose = "signatures"

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .keys(.rotate(purpose: purpose))
    }
}
