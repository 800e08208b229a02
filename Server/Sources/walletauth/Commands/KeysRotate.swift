import ArgumentParser
import AuthAdministration

struct KeysRotate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Create a new key for a purpose; old keys still open what they sealed.")

    @Option(help: "The purpose, by its name in `keys list`; `signatures` for the keys that sign tokens.")
    var purpose = "signatures"

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .keys(.rotate(purpose: purpose))
    }
}
