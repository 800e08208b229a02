import ArgumentParser
import AuthFlows

/// Shows a client.
struct ClientShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Everything about a client, except its secret.")

    @Option(help: "The client id.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.show(id: id))
    }
}
