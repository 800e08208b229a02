import ArgumentParser
import Operations

struct AccountCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Create, change, close and erase people's accounts.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            AccountCreate.self, AccountList.self, AccountShow.self, AccountUpdate.self, AccountDeactivate.self,
            AccountReactivate.self, AccountSetEmail.self, AccountVerifyEmail.self, AccountSetPhone.self,
            AccountExpirePassword.self, AccountSetPassword.self, AccountRemovePIN.self, AccountConsents.self,
            AccountExport.self, AccountErase.self,
        ])
}

struct AccountCreate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an account.",
        discussion: "A password is never an argument, because the process list and the shell history would show it.")

    @OptionGroup var person: UsernameOptions

    @Flag(
        name: .customLong("password-stdin"),
        help: "Set a password: the terminal asks for it twice; otherwise it is the first line of standard input.")
    var passwordFromInput = false

    @Option(help: "The e-mail address.")
    var email: String?

    @Flag(help: "Mark the e-mail address as confirmed, because you know that it is the person's.")
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

struct AccountList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the user names, a page at a time.",
        discussion: "An erased account no longer has a name: find it with `account show --account ID`.")

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?

    @Option(help: "The last user name of the previous page.")
    var after: String?

    @Option(help: "The page size, from 1 to 1000.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.list(brand: brand, after: after, limit: limit))
    }
}

struct AccountShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an account, and what keeps it from signing in.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.show(try account.reference))
    }
}

struct AccountUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change an account's personal data; omitted fields stay as they are.",
        discussion: """
            Apps that sign people in with OpenID Connect read it at the userinfo endpoint, as far as their scopes \
            allow. An empty string removes a value.
            """)

    @OptionGroup var account: AccountOptions

    @OptionGroup var profile: ProfileOptions

    @OptionGroup var output: OutputOptions

    func checkRequest() throws {
        guard profile.change != ProfileChange() else {
            throw ValidationError(
                """
                nothing to change: use --name, --given-name, --family-name, --locale, --address or --[no-]phone-verified
                """)
        }
    }

    func command() throws -> AdministrationCommand {
        .account(.update(try account.reference, profile.change))
    }
}

/// The profile claims of an account, for relying apps (OpenID Connect Core §5.1).
struct ProfileOptions: ParsableArguments {
    @Option(help: "The full name.")
    var name: String?

    @Option(help: "The given names.")
    var givenName: String?

    @Option(help: "The family names.")
    var familyName: String?

    @Option(help: "The preferred language, such as de-AT.")
    var locale: String?

    @Option(help: "The postal address; line breaks separate its lines.")
    var address: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Mark the phone number as confirmed, because you know that it is the person's, or as not confirmed.")
    var phoneVerified: Bool?

    var change: ProfileChange {
        ProfileChange(
            name: name, givenName: givenName, familyName: familyName, locale: locale, address: address,
            phoneVerified: phoneVerified)
    }
}

struct AccountExport: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export everything that is stored about a person, as JSON.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.export(try account.reference))
    }
}

struct AccountErase: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase all personal data and end every session. This is permanent.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.erase(try account.reference))
    }
}
