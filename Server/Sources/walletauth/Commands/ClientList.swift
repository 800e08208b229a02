import ArgumentParser
import AuthFlows

/// Lists the clients.
struct ClientList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "One line for each client.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.list)
    }
}
