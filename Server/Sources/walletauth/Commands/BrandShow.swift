import ArgumentParser
import AuthAdministration

struct BrandShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show everything about a brand.")

    @OptionGroup var brand: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.show(id: try brand.value))
    }
}
