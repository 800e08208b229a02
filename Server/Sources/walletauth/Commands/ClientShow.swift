import ArgumentParser
import AuthAdministration

struct ClientShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything about a client, except its secret.")

    @OptionGroup var client: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.show(id: try client.value))
    }
}
