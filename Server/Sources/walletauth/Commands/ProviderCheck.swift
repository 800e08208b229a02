import ArgumentParser
import AuthAdministration

/// Checks whether people can sign in with a provider.
struct ProviderCheck: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether people can sign in with a provider, and report what it would refuse.",
        discussion: """
            This reads what an OpenID provider publishes. For Apple, it also requests tokens with a code that cannot \
            exist: the answer shows whether team id, key and client ids belong together.
            """)

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.check(id: try options.provider.value, brand: options.brand))
    }
}
