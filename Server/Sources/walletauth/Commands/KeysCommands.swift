import ArgumentParser
import AuthAdministration

struct KeysCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List and rotate the keys that sign and seal.",
        discussion: LocatingSettings.discussion,
        subcommands: [KeysList.self, KeysRotate.self])
}

struct KeysList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys, without key material.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .keys(.list)
    }
}

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
