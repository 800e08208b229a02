import ArgumentParser
import AuthAdministration

struct ClientList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the clients.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.list)
    }
}
