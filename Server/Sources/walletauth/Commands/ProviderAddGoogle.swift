import ArgumentParser
import AuthAdministration

/// Adds Google, an OpenID provider with known settings.
struct ProviderAddGoogle: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "google", abstract: "Add Google, shown on the brand's sign-in pages.",
        discussion: """
            In the Google Cloud console, create an OAuth client of the type "Web application", and enter the redirect \
            URI that this command prints. The same as `provider add oidc --issuer https://accounts.google.com \
            --on-pages --label Google`.
            """)

    @Option(help: "The id that apps use for it.")
    var id = "google"

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Option(help: "The id of the OAuth client.")
    var clientID: String

    @Flag(name: .customLong("client-secret-stdin"), help: "Read the client's secret from standard input.")
    var secretFromInput = false

    @Flag(
        name: .customLong("trust-email"),
        help: """
            Trust Google when it says that an e-mail address is verified. Without this flag, the person confirms the \
            address with a code.
            """)
    var trustsEmail = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard secretFromInput else {
            throw ValidationError(
                "Google's clients have a secret: add --client-secret-stdin, and give it on standard input.")
        }
    }

    func command() throws -> AdministrationCommand {
        var registration = registration
        registration.clientSecret = try Terminal.read(.clientSecret)
        return .provider(.addOpenID(registration))
    }

    /// The registration without its secret.
    var registration: OpenIDRegistration {
        var registration = OpenIDRegistration(id: id, issuer: "https://accounts.google.com", clientID: clientID)
        registration.brand = brand
        registration.trustsEmail = trustsEmail
        registration.isOnPages = true
        registration.label = "Google"
        return registration
    }
}
