import ArgumentParser
import AuthAdministration

struct AccountDeactivate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "End every session and refuse every sign-in until the account is reactivated.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.deactivate(try account.reference))
    }
}
