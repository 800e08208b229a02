import ArgumentParser
import AuthFlows

/// Makes an account.
struct AccountCreate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an account.",
        discussion: "A password is never an argument, where it would show in the list of processes and in the history.")

    @OptionGroup var person: UsernameOptions

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input: its first line.")
    var passwordFromInput = false

    @Option(help: "The e-mail address.")
    var email: String?

    @Flag(help: "You know the e-mail address to be the person's.")
    var emailVerified = false

    @Option(help: "The telephone number.")
    var phone: String?

    @Option(help: "The brand; `default` where it is left out.")
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
