import ArgumentParser
import AuthAdministration

struct OutboxRetry: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try a message again at once, even if it was given up.")

    @OptionGroup var message: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .outbox(.retry(id: try message.value))
    }
}
