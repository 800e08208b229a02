import ArgumentParser
import AuthFlows

/// Tries to deliver a message.
struct OutboxRetry: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try a message at once, also one that was given up.")

    @OptionGroup var message: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .outbox(.retry(id: try message.value))
    }
}
