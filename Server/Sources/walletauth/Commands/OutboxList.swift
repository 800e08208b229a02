import ArgumentParser
import AuthAdministration

struct OutboxList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the latest messages, without content or address.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .outbox(.list)
    }
}
