internal import ArgumentParser

/// Adds the issuer's own user repository.
struct ProviderAddRepository: AdminCommand {
    static let title = "provider add repository"
    static let abstract = "Add your own user repository, which verifies names and passwords."
    static let discussion = """
        docs/protocol.md describes the server's requests, their signature and the responses.

        With --adopt-passwords it is the system that people come from: it is asked, at a sign-in here, about an imported \
        account that has no password yet, until one is right. That one is stored here, and the account is never asked about \
        again. Its `subject` has to be the account's externalId. Apps cannot use such a repository as a provider, a brand has \
        one, and each wrong password on a new device takes three seconds meanwhile.

          walletauth provider add repository old --endpoint https://old.example.com/verify \\
              --adopt-passwords --until 2027-03-31
        """

    @OptionGroup var common: ProviderTrustOptions

    @Option(help: ArgumentHelp("The https URL that verifies a name and a password.", valueName: "url"))
    var endpoint: String

    @Flag(help: "Take over the passwords of imported accounts that have none, until --until.")
    var adoptPasswords = false

    @Option(help: ArgumentHelp("With --adopt-passwords, the last day in UTC, such as 2027-03-31.", valueName: "day"))
    var until: String?

    func validate() throws {
        guard adoptPasswords == (until != nil) else {
            throw ValidationError("--adopt-passwords needs --until, and --until needs --adopt-passwords")
        }
    }

    /// As trusted as an administrator: the server takes its word for who people are.
    var target: CommandTarget { .administration(nil) }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        var registration = RepositoryRegistration(id: common.id, endpoint: endpoint)
        registration.brand = common.brand
        registration.adoptsUntil = until
        registration.trustsEmail = common.trust.trustsEmail
        registration.isInternal = common.trust.isInternal
        registration.emailIsSecondFactor = common.trust.emailIsSecondFactor
        return try await providers.add(registration)
    }
}
