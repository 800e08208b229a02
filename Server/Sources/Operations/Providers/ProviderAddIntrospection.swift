internal import ArgumentParser

/// Adds the introspection endpoint of the system that people come from.
struct ProviderAddIntrospection: AdminCommand {
    static let title = "provider add introspection"
    static let abstract =
        "Let apps exchange refresh tokens of a former system, which its introspection endpoint confirms."
    static let discussion = """
        An app that was updated sends the refresh token that it still has, once, and gets a session of this server. The \
        person is found by the `sub` in the answer, which has to be the externalId of the import, and gets a message. The \
        answer must also identify the token as a refresh token (`typ`, `token_use` or `token_type`) and name its client \
        (`client_id`), one of --former-client. No one signs in with such a provider.

          walletauth provider add introspection old --endpoint https://old.example.com/introspect \\
              --client-id wallet-server --client-secret-stdin --client com.example.wallet \\
              --former-client wallet-app --until 2027-03-31 < secret.txt
        """

    @Argument(help: "Its id, for `provider check` and `provider remove`.")
    var id: String

    @Option(help: "The brand of its people; `default` if omitted.")
    var brand: String?

    @Option(help: ArgumentHelp("Its introspection endpoint (RFC 7662).", valueName: "url"))
    var endpoint: String

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The id of the client that it registered for this server.", valueName: "id"))
    var ownClientID: String

    @Flag(name: .customLong("client-secret-stdin"), help: "Read the client's secret from standard input.")
    var secretFromInput = false

    @Option(help: ArgumentHelp("A client here that may exchange its tokens. Repeatable.", valueName: "id"))
    var client: [String] = []

    @Option(help: ArgumentHelp("A client there whose tokens are exchanged. Repeatable.", valueName: "id"))
    var formerClient: [String] = []

    @Option(help: ArgumentHelp("The last day in UTC, such as 2027-03-31.", valueName: "day"))
    var until: String

    @Flag(
        name: .customLong("internal"),
        help: "It is in your own network: let the server connect to private addresses for it.")
    var isInternal = false

    static let inputOption: String? = "client-secret-stdin"
    /// The secret of its client for this server.
    var input: String?

    /// As trusted as an administrator: the server takes its word for who people are.
    var target: CommandTarget { .administration(nil) }

    func precondition(isTyped: Bool) -> AdminRequest? {
        isTyped && secretFromInput ? .show(brand: brand) : nil
    }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        secretFromInput ? try reader.secret("client secret", isChosen: false) : nil
    }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        try await providers.add(
            IntrospectionRegistration(
                id: id, brand: brand, endpoint: endpoint, clientID: ownClientID, clientSecret: input, clients: client,
                formerClients: formerClient, until: until, isInternal: isInternal))
    }
}
