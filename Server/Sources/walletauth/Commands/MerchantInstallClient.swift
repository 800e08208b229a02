import ArgumentParser
import AuthAdministration

struct MerchantInstallClient: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-client", abstract: "Install a client on a merchant.")

    @Option(help: "The merchant id.")
    var merchant: String

    @Option(help: "The client id.")
    var client: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.installClient(merchant: merchant, client: client))
    }
}
