import ArgumentParser
import AuthAdministration

struct AccountCreate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an account.",
        discussion: "A password is never an argument, since the list of processes and the shell history would show it.")

    @OptionGroup var person: UsernameOptions

    @Flag(name: .customLong("password-stdin"), help: "Read the password from the first line of standard input.")
    var passwordFromInput = false

    @Option(help: "The e-mail address.")
    var email: String?

    @Flag(help: "Mark the e-mail address as confirmed: you know that it is the person's.")
    var emailVerified = false

    @Option(help: "The phone number.")
    var phone: String?

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?

    @OptionGroup var profile: ProfileOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try person.name
    }

    func command() throws -> AdministrationCommand {
        let password = passwordFromInput ? try Terminal.read(.password) : nil
        var account = AccountRegistration(username: try person.name, password: password)
        account.email = email
        account.emailVerified = emailVerified
        account.phone = phone
        account.brand = brand
        account.profile = profile.change
        return .account(.create(account))
    }
}
