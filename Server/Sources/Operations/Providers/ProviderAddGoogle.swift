internal import ArgumentParser
internal import Kernel

/// Adds Google, an OpenID provider with known settings.
struct ProviderAddGoogle: CommandWithInput {
    static let title = "provider add google"
    static let abstract = "Add Google, shown on the brand's sign-in page."
    static let discussion = """
        In the Google Cloud console, create an OAuth client of the type "Web application", and enter the redirect \
        URI that this command prints. Equivalent to `provider add oidc --issuer https://accounts.google.com \
        --on-sign-in-page --label Google`.
        """

    @Argument(help: "The id that apps use for it.")
    var id = "google"

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Option(help: ArgumentHelp("The id of the OAuth client.", valueName: "id"))
    var clientID: String

    @Flag(name: .customLong("client-secret-stdin"), help: "Read the client's secret from standard input.")
    var secretFromInput = false

    @Flag(
        name: .customLong("trust-email"),
        help: """
            Trust Google when it reports that an e-mail address is verified. Without this flag, the person confirms the \
            address with a code.
            """)
    var trustsEmail = false

    static let inputOption: String? = "client-secret-stdin"
    /// The client secret.
    var input: String?

    /// As for ``ProviderAddOIDC``.
    var target: CommandTarget { .administration(nil) }

    func validate() throws {
        guard secretFromInput else {
            throw ValidationError(
                "a Google client has a secret: use --client-secret-stdin and pass it on standard input")
        }
    }

    func precondition(isTyped: Bool) -> AdminRequest? { isTyped ? .show(brand: brand) : nil }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        try reader.secret("client secret", isChosen: false)
    }

    func execute(in providers: ProviderAdministration, input secret: String) async throws -> AdministrationAnswer {
        try await providers.add(registration(secret: secret))
    }

    func registration(secret: String) -> OpenIDRegistration {
        var registration = OpenIDRegistration(id: id, issuer: "https://accounts.google.com", clientID: clientID)
        registration.brand = brand
        registration.clientSecret = secret
        registration.trustsEmail = trustsEmail
        registration.isOnSignInPage = true
        registration.label = "Google"
        return registration
    }
}
