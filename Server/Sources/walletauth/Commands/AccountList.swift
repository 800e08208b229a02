import ArgumentParser
import AuthAdministration

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
