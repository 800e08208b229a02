import ArgumentParser
import AuthAdministration

struct BrandList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the brands.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.list)
    }
}
