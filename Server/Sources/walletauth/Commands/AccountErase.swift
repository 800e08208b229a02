import ArgumentParser
import AuthFlows

/// Erases a person.
struct AccountErase: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase what identifies the person; every session ends. There is no way back.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.erase(try account.reference))
    }
}
