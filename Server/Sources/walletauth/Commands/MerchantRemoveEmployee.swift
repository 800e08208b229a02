import ArgumentParser
import AuthAdministration

struct MerchantRemoveEmployee: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-employee", abstract: "End an employment; sessions there end at their next renewal.")

    @Option(help: "The merchant id.")
    var merchant: String

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.removeEmployee(merchant: merchant, account: try account.reference))
    }
}
