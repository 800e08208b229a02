import Apple
import ArgumentParser
import Operations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProviderAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider.",
        subcommands: [
            ProviderAddOIDC.self, ProviderAddApple.self, ProviderAddGoogle.self, ProviderAddRepository.self,
        ]
    )
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

struct ProviderAddOIDC: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "oidc", abstract: "Add an OpenID provider; its endpoints and keys are found by discovery.",
        discussion: """
            The client secret is never an argument, because the process list and the shell history would show it. \
            An account is found by the provider's issuer and subject, never by an e-mail address.
            """)

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

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        var registration = OpenIDRegistration(id: common.id, issuer: issuer, clientID: clientID)
        registration.brand = common.brand
        registration.clientSecret = secretFromInput ? try Terminal.read(.clientSecret) : nil
        registration.authentication = authMethod
        registration.emailClaim = emailClaim
        registration.emailVerifiedClaim = emailVerifiedClaim
        registration.trustsEmail = common.trustsEmail
        registration.isInternal = common.isInternal
        registration.emailIsSecondFactor = common.emailIsSecondFactor
        registration.isOnSignInPage = isOnSignInPage
        registration.label = label
        registration.redirectsToOtherHosts = redirectsToOtherHosts
        return .provider(.addOpenID(registration))
    }
}

/// Adds Google, an OpenID provider with known settings.
struct ProviderAddGoogle: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "google", abstract: "Add Google, shown on the brand's sign-in page.",
        discussion: """
            In the Google Cloud console, create an OAuth client of the type "Web application", and enter the redirect \
            URI that this command prints. Equivalent to `provider add oidc --issuer https://accounts.google.com \
            --on-sign-in-page --label Google`.
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
            Trust Google when it reports that an e-mail address is verified. Without this flag, the person confirms the \
            address with a code.
            """)
    var trustsEmail = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard secretFromInput else {
            throw ValidationError(
                "a Google client has a secret: use --client-secret-stdin and pass it on standard input")
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
        registration.isOnSignInPage = true
        registration.label = "Google"
        return registration
    }
}

struct ProviderAddApple: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple", abstract: "Add Sign in with Apple.",
        discussion: """
            docs/sign-in-with-apple.md walks through Apple's console. The key is sealed in the database: keep the .p8 file \
            offline, since Apple lets you download it only once.
            """)

    @Option(help: "The id that apps use for it.")
    var id: String

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Option(help: "The team id, ten characters, from the membership page of your developer account.")
    var teamID: String

    @Option(help: "The key id, ten characters, from the page of the key.")
    var keyID: String

    @Option(help: ArgumentHelp("The .p8 file of the key.", valueName: "file"))
    var privateKey: String

    @Option(
        name: .customLong("client-id"),
        help: "The bundle id of an app grouped under the key's primary App ID; may be repeated.")
    var clientIDs: [String] = []

    @Option(help: "The Services ID for hosted pages; without it, they do not offer Apple.")
    var servicesID: String?

    @Option(help: "The URL of a stand-in for Apple, in a sandbox.")
    var baseURL: String?

    @Option(
        name: .customLong("loyalty-merchant"),
        help: "The number of the merchant whose backend calls the loyalty endpoints.")
    var loyaltyMerchant: Int64?

    @Option(
        name: .customLong("loyalty-integration"), help: "The id that the merchant's backend uses for the provider.")
    var loyaltyIntegration: String?

    @Option(
        name: .customLong("loyalty-card-template"),
        help: "The cardTemplateCode that an enrollment must name; any if omitted.")
    var loyaltyCardTemplate: Int64?

    @Option(
        name: .customLong("loyalty-activation-store"),
        help: "The activationStoreCode that an enrollment must name; any if omitted.")
    var loyaltyActivationStore: String?

    @OptionGroup var output: OutputOptions

    /// A key has a few hundred bytes.
    private static let longestFile = 16 * 1024

    func command() throws -> AdministrationCommand {
        let file: [UInt8]
        do { file = try ReadableFile.bytes(privateKey, upTo: Self.longestFile) } catch {
            throw Refusal("\(privateKey) \(error.reason)")
        }
        var registration = AppleRegistration(
            id: id, teamID: teamID, keyID: keyID, privateKey: file, clientIDs: clientIDs)
        registration.privateKeyName = privateKey.split(separator: "/").last.map(String.init)
        registration.brand = brand
        registration.servicesID = servicesID
        registration.base = baseURL
        registration.merchantID = loyaltyMerchant
        registration.integrationID = loyaltyIntegration
        registration.cardTemplate = loyaltyCardTemplate
        registration.activationStore = loyaltyActivationStore
        return .flow(name: AppleVendor.kind, command: Array(try JSONEncoder().encode(AppleCommand.add(registration))))
    }
}

/// Adds the issuer's own user repository.
struct ProviderAddRepository: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "repository", abstract: "Add your own user repository, which verifies names and passwords.",
        discussion: "docs/protocol.md describes the server's requests, their signature and the responses.")

    @OptionGroup var common: ProviderTrustOptions

    @Option(help: "The https URL that verifies a name and a password.")
    var endpoint: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        var registration = RepositoryRegistration(id: common.id, endpoint: endpoint)
        registration.brand = common.brand
        registration.trustsEmail = common.trustsEmail
        registration.isInternal = common.isInternal
        registration.emailIsSecondFactor = common.emailIsSecondFactor
        return .provider(.addRepository(registration))
    }
}
