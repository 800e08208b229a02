import ArgumentParser
import AuthFlows

/// Lists the messages.
struct OutboxList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "One line for each of the latest messages; no content and no address.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .outbox(.list)
    }
}
