import ArgumentParser
import AuthAdministration

struct AccountReactivate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactivate", abstract: "Let a deactivated account sign in again; failure counters are reset."
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.reactivate(try account.reference))
    }
}
