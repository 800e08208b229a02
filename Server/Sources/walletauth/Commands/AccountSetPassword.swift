import ArgumentParser
import AuthAdministration

struct AccountSetPassword: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password", abstract: "Set a new password; every session ends.",
        discussion: """
            The terminal asks for it twice; otherwise it is the first line of standard input. A password is never an \
            argument, since the list of processes and the shell history would show it.
            """)

    @OptionGroup var account: AccountOptions

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input, in a script.")
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
