import ArgumentParser
import AuthFlows

/// Lists the accounts of a brand.
struct AccountList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "One line for each user name, a page at a time.",
        discussion: "An erased account has no name any more: `account show --account ID` finds it.")

    @Option(help: "The brand; `default` where it is left out.")
    var brand: String?

    @Option(help: "The last user name of the page before.")
    var after: String?

    @Option(help: "How many at most, from 1 to 1000.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .account(.list(brand: brand, after: after, limit: limit))
    }
}
