import ArgumentParser
import AuthFlows

/// Shows an account.
struct AccountShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "What is known of an account, and what stands between it and a sign-in.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.show(try account.reference))
    }
}
