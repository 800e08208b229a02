import ArgumentParser
import AuthAdministration

struct AccountRemovePIN: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-pin",
        abstract: "Remove the account's PIN; sessions signed in with it end, and the person gets a message.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.removePIN(try account.reference))
    }
}
