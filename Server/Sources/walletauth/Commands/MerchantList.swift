import ArgumentParser
import AuthFlows

/// Lists the merchants.
struct MerchantList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "One line for each merchant.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.list)
    }
}
