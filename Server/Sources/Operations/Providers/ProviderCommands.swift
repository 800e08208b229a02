internal import ArgumentParser

enum ProviderCommands: CommandNoun {
    static let title = "provider"
    static let abstract = "Add, check and remove the identity providers that people may sign in with."
    static let commands: [any AdminCommand.Type] = [
        ProviderList.self, ProviderShow.self, ProviderCheck.self, ProviderRemove.self, ProviderExamine.self,
    ]
}

enum ProviderAddCommands: CommandNoun {
    static let title = "provider add"
    static let abstract = "Add a provider."
    static let commands: [any AdminCommand.Type] = [
        ProviderAddOIDC.self, ProviderAddGoogle.self, ProviderAddRepository.self,
    ]
}

struct ProviderList: AdminCommand {
    static let title = "provider list"
    static let abstract = "List the providers."

    var effect: CommandEffect { .reads }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        try await administration.listProviders()
    }
}

struct ProviderShow: AdminCommand {
    static let title = "provider show"
    static let abstract = "Show everything about a provider, except its secret."

    @OptionGroup var options: ProviderOptions

    var effect: CommandEffect { .reads }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        try await administration.showProvider(options.provider.value, brand: options.brand)
    }
}

struct ProviderCheck: AdminCommand {
    static let title = "provider check"
    static let abstract = "Check whether people can sign in with a provider, and report what it would refuse."
    static let discussion = """
        This reads what an OpenID provider publishes. For Apple, it also requests tokens with a code that cannot \
        exist: the response shows whether team id, key and client ids belong together.
        """

    @OptionGroup var options: ProviderOptions

    var effect: CommandEffect { .reads }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        try await administration.checkProvider(options.provider.value, brand: options.brand)
    }
}

/// Linked identities stay linked but cannot sign in.
struct ProviderRemove: AdminCommand {
    static let title = "provider remove"
    static let abstract =
        "Remove a provider. Links to it stay, but people cannot sign in with it until it is added again."

    @OptionGroup var options: ProviderOptions

    var effect: CommandEffect { .changes }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        try await administration.removeProvider(options.provider.value, brand: options.brand)
    }
}

/// For the doctor.
struct ProviderExamine: AdminCommand {
    static let title = "provider examine"
    static let abstract = "Fetch every provider's published metadata, and report what prevents sign-ins."
    static let isListed = false

    var effect: CommandEffect { .reads }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        try await administration.examineProviders()
    }
}

/// The options that every kind of provider has.
struct ProviderTrustOptions: ParsableArguments {
    @Option(help: "The id that apps use for it.")
    var id: String

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Flag(
        name: .customLong("trust-email"),
        help: """
            Trust the provider when it reports that an e-mail address is verified. Without this flag, the person \
            confirms the address with a code.
            """)
    var trustsEmail = false

    @Flag(
        name: .customLong("email-second-factor"),
        help: """
            Count a code by e-mail as a second factor after a sign-in with it. This is right only if its accounts do \
            not open your people's mailboxes; without this flag, such a code does not count.
            """)
    var emailIsSecondFactor = false

    @Flag(
        name: .customLong("internal"),
        help: "The provider is in your own network: let the server connect to private addresses for it.")
    var isInternal = false
}

struct ProviderAddOIDC: AdminCommand {
    static let title = "provider add oidc"
    static let abstract = "Add an OpenID provider; its endpoints and keys are found by discovery."
    static let discussion = """
        The client secret is never an argument, because the process list and the shell history would show it. \
        An account is found by the provider's issuer and subject, never by an e-mail address.
        """

    @OptionGroup var common: ProviderTrustOptions

    @Option(help: "Its issuer, exactly as in its discovery document.")
    var issuer: String

    @Option(help: "The id of the client that the provider registered for this server.")
    var clientID: String

    @Flag(name: .customLong("client-secret-stdin"), help: "Read the client's secret from standard input.")
    var secretFromInput = false

    @Option(
        help: "client_secret_basic (the default with a secret), client_secret_post, or none (the default without).")
    var authMethod: String?

    @Option(help: "The claim with the e-mail address; email if omitted.")
    var emailClaim: String?

    @Option(help: "The claim that states whether it is verified; email_verified if omitted.")
    var emailVerifiedClaim: String?

    @Flag(
        name: .customLong("on-sign-in-page"),
        help:
            "Show it on the brand's sign-in page, under --label; this server's redirect URI must be registered there.")
    var isOnSignInPage = false

    @Option(help: "Its name on the sign-in page, such as Google.")
    var label: String?

    @Flag(
        help: """
            Its authorization endpoint redirects browsers to other hosts before it shows a page, as brokers do. The \
            sign-in page then leads there through one extra step.
            """)
    var redirectsToOtherHosts = false

    /// The client secret.
    var input: String?

    var effect: CommandEffect { .changes }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        secretFromInput ? try reader.secret("client secret", isChosen: false) : nil
    }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        var registration = OpenIDRegistration(id: common.id, issuer: issuer, clientID: clientID)
        registration.brand = common.brand
        registration.clientSecret = input
        registration.authentication = authMethod
        registration.emailClaim = emailClaim
        registration.emailVerifiedClaim = emailVerifiedClaim
        registration.trustsEmail = common.trustsEmail
        registration.isInternal = common.isInternal
        registration.emailIsSecondFactor = common.emailIsSecondFactor
        registration.isOnSignInPage = isOnSignInPage
        registration.label = label
        registration.redirectsToOtherHosts = redirectsToOtherHosts
        return try await administration.addProvider(registration)
    }
}

/// Adds Google, an OpenID provider with known settings.
struct ProviderAddGoogle: AdminCommand {
    static let title = "provider add google"
    static let abstract = "Add Google, shown on the brand's sign-in page."
    static let discussion = """
        In the Google Cloud console, create an OAuth client of the type "Web application", and enter the redirect \
        URI that this command prints. Equivalent to `provider add oidc --issuer https://accounts.google.com \
        --on-sign-in-page --label Google`.
        """

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
            Trust Google when it reports that an e-mail address is verified. Without this flag, the person confirms the \
            address with a code.
            """)
    var trustsEmail = false

    /// The client secret.
    var input: String?

    var effect: CommandEffect { .changes }

    func validate() throws {
        guard secretFromInput else {
            throw ValidationError(
                "a Google client has a secret: use --client-secret-stdin and pass it on standard input")
        }
    }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        try reader.secret("client secret", isChosen: false)
    }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        try await administration.addProvider(registration)
    }

    var registration: OpenIDRegistration {
        var registration = OpenIDRegistration(id: id, issuer: "https://accounts.google.com", clientID: clientID)
        registration.brand = brand
        registration.clientSecret = input
        registration.trustsEmail = trustsEmail
        registration.isOnSignInPage = true
        registration.label = "Google"
        return registration
    }
}

/// Adds the issuer's own user repository.
struct ProviderAddRepository: AdminCommand {
    static let title = "provider add repository"
    static let abstract = "Add your own user repository, which verifies names and passwords."
    static let discussion =
        "docs/protocol.md describes the server's requests, their signature and the responses."

    @OptionGroup var common: ProviderTrustOptions

    @Option(help: "The https URL that verifies a name and a password.")
    var endpoint: String

    var effect: CommandEffect { .changes }

    func execute(in administration: Administration) async throws -> AdministrationAnswer {
        var registration = RepositoryRegistration(id: common.id, endpoint: endpoint)
        registration.brand = common.brand
        registration.trustsEmail = common.trustsEmail
        registration.isInternal = common.isInternal
        registration.emailIsSecondFactor = common.emailIsSecondFactor
        return try await administration.addProvider(registration)
    }
}
