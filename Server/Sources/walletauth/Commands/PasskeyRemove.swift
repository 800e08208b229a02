import ArgumentParser
import AuthAdministration

/// Removes a passkey permanently: sessions signed in with passkeys end, and its holder gets a message.
struct PasskeyRemove: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a passkey permanently: sessions signed in with passkeys end, and its holder gets a message.")

    @Argument(help: "The passkey's id, as `passkey list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .passkey(.remove(id: id))
    }
}
