import ArgumentParser
import AuthAdministration

/// Lists the apps with access to an account, or removes the access of one.
struct AccountConsents: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "consents", abstract: "List the apps that a person gave access, or withdraw it.",
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
