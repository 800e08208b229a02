import ArgumentParser
import AuthAdministration

struct AccountExpirePassword: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire-password", abstract: "Require a new password at the next sign-in; every session ends.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.expirePassword(try account.reference))
    }
}
