import ArgumentParser
import AuthFlows

/// Lists what the last restore brought back.
struct DatabaseRestored: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract: "What the last restore brought back: passkeys, identities, apps and devices.",
        discussion: """
            A factor that was taken away after the backup was made is in the copy still. It counts as new for \
            devices.coolingPeriod: look for those that should be gone, and take them away by `passkey remove` and `device remove`; for \
            the others `account deactivate` closes the account until its holder has been in touch.
            """)

    @Option(help: ArgumentHelp("The last account of the page before.", valueName: "account"))
    var after: String?

    @Option(help: "How many accounts at most, from 1 to 1000.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.restored(after: after, limit: limit))
    }
}
