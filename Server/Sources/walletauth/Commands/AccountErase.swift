import ArgumentParser
import AuthAdministration

struct AccountErase: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase all personal data and end every session. This is permanent.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.erase(try account.reference))
    }
}
