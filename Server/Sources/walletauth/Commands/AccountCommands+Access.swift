import ArgumentParser
import Operations

struct AccountDeactivate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "End every session and refuse every sign-in until the account is reactivated.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.deactivate(try account.reference))
    }
}

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

struct AccountVerifyEmail: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-email", abstract: "Mark the e-mail address as confirmed.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.verifyEmail(try account.reference))
    }
}

struct AccountExpirePassword: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire-password", abstract: "Require a new password at the next sign-in; every session ends.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.expirePassword(try account.reference))
    }
}

struct AccountSetPassword: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password", abstract: "Set a new password; every session ends.",
        discussion: """
            The terminal asks for it twice; otherwise it is the first line of standard input. A password is never an \
            argument, because the process list and the shell history would show it.
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

struct AccountRemovePIN: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-pin",
        abstract: "Remove the account PIN; sessions signed in with it end, and the person gets a message.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.removePIN(try account.reference))
    }
}

/// Lists the apps with access to an account, or removes the access of one.
struct AccountConsents: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "consents", abstract: "List the apps that a person gave access to, or withdraw that access.",
        discussion: """
            First-party clients need no consent and are not listed. An app whose access is withdrawn is signed out at \
            once and has to ask the person again at the next sign-in.
            """)

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("Withdraw this client's access; its sessions end.", valueName: "client"))
    var withdraw: String?

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        if let withdraw { return .account(.withdrawConsent(try account.reference, client: withdraw)) }
        return .account(.consents(try account.reference))
    }
}
