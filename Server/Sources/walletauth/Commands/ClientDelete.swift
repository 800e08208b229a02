import ArgumentParser
import AuthAdministration

struct ClientDelete: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Remove a client; its sessions end.")

    @OptionGroup var client: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.delete(id: try client.value))
    }
}
