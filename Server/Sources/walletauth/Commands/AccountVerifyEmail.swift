import ArgumentParser
import AuthAdministration

struct AccountVerifyEmail: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-email", abstract: "Mark the e-mail address as confirmed.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.verifyEmail(try account.reference))
    }
}
