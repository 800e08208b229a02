import ArgumentParser
import AuthAdministration

struct MerchantList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the merchants.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.list)
    }
}
