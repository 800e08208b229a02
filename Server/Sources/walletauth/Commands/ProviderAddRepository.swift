import ArgumentParser
import AuthAdministration

/// Adds the issuer's own user repository.
struct ProviderAddRepository: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "repository", abstract: "Add your own user repository, which verifies names and passwords.",
        discussion: "docs/protocol.md describes the server's requests, their signature and the answers.")

    @OptionGroup var common: ProviderTrustOptions

    @Option(help: "The https URL that verifies a name and a password.")
    var endpoint: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        var registration = RepositoryRegistration(id: common.id, endpoint: endpoint)
        registration.brand = common.brand
        registration.trustsEmail = common.trustsEmail
        registration.isInternal = common.isInternal
        registration.countsEmail = common.countsEmail
        return .provider(.addRepository(registration))
    }
}
