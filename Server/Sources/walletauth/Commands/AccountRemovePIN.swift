import ArgumentParser
import AuthFlows

/// Takes an account's PIN away.
struct AccountRemovePIN: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-pin",
        abstract: "Take the account's PIN away; sessions that it opened end, and the person is told.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.removePIN(try account.reference))
    }
}
