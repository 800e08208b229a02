import ArgumentParser
import Operations

struct PasskeyCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "List and remove people's passkeys.",
        discussion: LocatingSettings.discussion,
        subcommands: [PasskeyList.self, PasskeyRemove.self])
}

struct PasskeyList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the passkeys of an account.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .passkey(.list(try account.reference))
    }
}

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
