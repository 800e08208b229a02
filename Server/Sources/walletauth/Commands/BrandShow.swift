import ArgumentParser
import AuthFlows

/// Shows a brand.
struct BrandShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Everything about a brand.")

    @Option(help: "The brand id, as it stands in URLs.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.show(id: id))
    }
}
