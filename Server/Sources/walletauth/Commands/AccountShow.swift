import ArgumentParser
import AuthAdministration

struct AccountShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an account, and what keeps it from signing in.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.show(try account.reference))
    }
}
