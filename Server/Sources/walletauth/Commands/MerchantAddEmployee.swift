import ArgumentParser
import AuthAdministration

struct MerchantAddEmployee: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-employee", abstract: "Make a person an employee of a merchant.")

    @Option(help: "The merchant id.")
    var merchant: String

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.addEmployee(merchant: merchant, account: try account.reference))
    }
}
