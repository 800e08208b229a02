import ArgumentParser
import AuthAdministration

struct AccountExport: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export everything that is stored about a person, as JSON.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.export(try account.reference))
    }
}
