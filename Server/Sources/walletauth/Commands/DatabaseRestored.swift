import ArgumentParser
import AuthAdministration

/// Lists the passkeys, identities, apps and devices that the last restore brought back.
struct DatabaseRestored: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract: "List what the last restore brought back: passkeys, identities, apps and devices.",
        discussion: """
            A factor that was removed after the backup is still in the copy. It counts as new for \
            devices.coolingPeriod: look for those that should be gone, and remove them with `passkey remove` and \
            `device remove`; for the others, `account deactivate` closes the account until its holder has been in \
            touch.
            """)

    @Option(help: ArgumentHelp("The last account of the previous page.", valueName: "account"))
    var after: String?

    @Option(help: "The page size, from 1 to 1000.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.restored(after: after, limit: limit))
    }
}
