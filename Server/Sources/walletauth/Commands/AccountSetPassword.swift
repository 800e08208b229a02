import ArgumentParser
import AuthFlows

/// Sets a password, as an operator.
struct AccountSetPassword: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password", abstract: "Set a new password from standard input; every session ends.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(
            .setPassword(try account.reference, password: try Terminal.readSecret(prompt: "New password: ")))
    }
}
