import ArgumentParser
import AuthFlows

/// Asks a provider whether people could sign in by it.
struct ProviderCheck: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Ask a provider whether people could sign in by it, and say what it would refuse.",
        discussion: """
            An OpenID provider is asked what it publishes. Apple is also asked for tokens by a code that cannot exist, so that \
            its answer shows whether team id, key and client ids belong together.
            """)

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.check(id: try options.provider.value, brand: options.brand))
    }
}
