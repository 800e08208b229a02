import ArgumentParser
import AuthAdministration

struct ProviderAddOIDC: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "oidc", abstract: "Add an OpenID provider; its endpoints and keys are found by discovery.",
        discussion: """
            The client secret is never an argument, since the list of processes and the shell history would show it. \
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

    @Option(help: "The claim that says whether it is verified; email_verified if omitted.")
    var emailVerifiedClaim: String?

    @Flag(
        name: .customLong("on-pages"),
        help:
            "Show it on the brand's sign-in pages, under --label; this server's redirect URI must be registered there.")
    var isOnPages = false

    @Option(help: "Its name on the pages, such as Google.")
    var label: String?

    @Flag(
        help: """
            Its authorization endpoint forwards browsers to other hosts before it shows a page, as brokers do. Pages \
            then lead there in one more step.
            """)
    var forwards = false

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
        registration.countsEmail = common.countsEmail
        registration.isOnPages = isOnPages
        registration.label = label
        registration.forwards = forwards
        return .provider(.addOpenID(registration))
    }
}
