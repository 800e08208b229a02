import ArgumentParser
import AuthFlows

/// Gives the database to another issuer.
struct DatabaseChangeIssuer: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-issuer", abstract: "Let the next start serve this database under another issuer.",
        discussion: """
            The first start records its issuer in the database, and later ones are refused under another. After a change \
            \(IssuerPin.consequences). Sessions stay in the database, but an app that compares the issuer \
            signs its people in again.
            """)

    @Argument(help: "The new issuer, to the letter.")
    var issuer: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.changeIssuer(to: issuer))
    }
}
