import ArgumentParser
import AuthAdministration

struct PasskeyList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the passkeys of an account.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .passkey(.list(try account.reference))
    }
}
