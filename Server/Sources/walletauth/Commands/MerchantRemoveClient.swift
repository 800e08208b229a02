import ArgumentParser
import AuthAdministration

struct MerchantRemoveClient: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-client",
        abstract: "Remove a client from a merchant; its sessions there end at their next renewal.")

    @Option(help: "The merchant id.")
    var merchant: String

    @Option(help: "The client id.")
    var client: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.removeClient(merchant: merchant, client: client))
    }
}
