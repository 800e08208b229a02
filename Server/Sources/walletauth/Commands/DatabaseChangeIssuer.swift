import ArgumentParser
import AuthAdministration

/// Changes the issuer that the database belongs to.
struct DatabaseChangeIssuer: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-issuer", abstract: "Serve this database under another issuer from the next start on.",
        discussion: """
            The first start records its issuer in the database, and later starts under another one are refused. After \
            a change \(PinnedIssuer.consequences). Sessions stay in the database, but an app that compares the issuer \
            signs its people in again.
            """)

    @Argument(help: "The new issuer, exactly as clients will see it.")
    var issuer: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.changeIssuer(to: issuer))
    }
}
