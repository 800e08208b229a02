import ArgumentParser
import AuthFlows

/// Sets a password, as an operator.
struct AccountSetPassword: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password", abstract: "Set a new password; every session ends.",
        discussion: """
            It is asked for on the terminal, twice, or is the first line of standard input. A password is never an argument, \
            where it would show in the list of processes and in the history.
            """)

    @OptionGroup var account: AccountOptions

    @Flag(name: .customLong("password-stdin"), help: "Say in a script that the password comes by standard input.")
    var passwordFromInput = false

    @OptionGroup var output: OutputOptions

    var precondition: AdministrationCommand? {
        get throws { .account(.show(try account.reference)) }
    }

    func command() throws -> AdministrationCommand {
        .account(
            .setPassword(try account.reference, password: try Terminal.read(.newPassword)))
    }
}
