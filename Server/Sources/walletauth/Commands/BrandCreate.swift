import ArgumentParser
import AuthAdministration

struct BrandCreate: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a brand.")

    @Option(help: "The brand id, as it appears in URLs.")
    var id: String

    @Option(help: "The name that people see on the pages.")
    var name: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.create(id: id, name: name))
    }
}
