import ArgumentParser
import AuthFlows

/// Lists the brands.
struct BrandList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "One line for each brand.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.list)
    }
}
