internal import ArgumentParser
internal import Kernel
internal import Operations
internal import WalletAuthWire

struct ProviderAddApple: CommandWithInput {
    static let title = "provider add apple"
    static let abstract = "Add Sign in with Apple."
    static let discussion = """
        docs/sign-in-with-apple.md walks through Apple's console. The key is sealed in the database: keep the .p8 file \
        offline, since Apple lets you download it only once.
        """

    @Argument(help: "The id that apps use for it.")
    var id = "apple"

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Option(
        help: ArgumentHelp(
            "The team id, ten characters, from the membership page of your developer account.", valueName: "id"))
    var teamID: String

    @Option(help: ArgumentHelp("The key id, ten characters, from the page of the key.", valueName: "id"))
    var keyID: String

    @Option(help: ArgumentHelp("The .p8 file of the key.", valueName: "file"))
    var privateKey: String

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(
            "The bundle id of an app grouped under the key's primary App ID; may be repeated.", valueName: "bundle-id"))
    var clientIDs: [String] = []

    @Option(
        help: ArgumentHelp("The Services ID for hosted pages; without it, they do not offer Apple.", valueName: "id"))
    var servicesID: String?

    @Option(help: ArgumentHelp("The URL of a stand-in for Apple, in a sandbox.", valueName: "url"))
    var baseURL: String?

    @OptionGroup(title: "Loyalty") var loyalty: Loyalty

    struct Loyalty: ParsableArguments {
        @Option(
            name: .customLong("loyalty-merchant"),
            help: ArgumentHelp(
                "The number of the merchant whose backend calls the loyalty endpoints.", valueName: "number"))
        var merchant: Int64?

        @Option(
            name: .customLong("loyalty-integration"),
            help: ArgumentHelp("The id that the merchant's backend uses for the provider.", valueName: "id"))
        var integration: String?

        @Option(
            name: .customLong("loyalty-card-template"),
            help: ArgumentHelp("The cardTemplateCode that an enrollment must name; any if omitted.", valueName: "code"))
        var cardTemplate: Int64?

        @Option(
            name: .customLong("loyalty-activation-store"),
            help: ArgumentHelp(
                "The activationStoreCode that an enrollment must name; any if omitted.", valueName: "code"))
        var activationStore: String?
    }

    static let inputOption: String? = "private-key"
    /// The key.
    var input: String?

    /// The server takes its word for who people are.
    var target: CommandTarget { .administration(nil) }

    /// A key has a few hundred bytes.
    func readInput(from reader: any CommandInputReader) throws -> String? {
        try reader.file(privateKey, named: "", upTo: 16 * 1024)
    }

    func execute(in providers: NewAppleProviders, input key: String) async throws -> AdministrationAnswer {
        var registration = AppleRegistration(
            id: id, teamID: teamID, keyID: keyID, privateKey: Array(key.utf8), clientIDs: clientIDs)
        registration.privateKeyName = privateKey.split(separator: "/").last.map(String.init)
        registration.brand = brand
        registration.servicesID = servicesID
        registration.base = baseURL
        registration.merchantID = loyalty.merchant
        registration.integrationID = loyalty.integration
        registration.cardTemplate = loyalty.cardTemplate
        registration.activationStore = loyalty.activationStore
        return try await providers.add(registration)
    }
}

/// Prepares accounts for the transfer of an app to another team at Apple.
struct ProviderTransfer: AdminCommand {
    static let title = "provider transfer"
    static let abstract = "Prepare people who sign in with Apple for the transfer of the app to another team."
    static let discussion = """
        Run it before the transfer, while the app still belongs to the old team, until it reports that everyone is \
        prepared. Apple gives everyone a new identifier in the new team; people who were prepared keep their \
        accounts.
        """

    @OptionGroup var options: ProviderOptions

    @Option(help: ArgumentHelp("The id of the new team, ten characters.", valueName: "team-id"))
    var toTeam: String

    func execute(in transfer: AppleTransfer) async throws -> AdministrationAnswer {
        try AppleRegistration.requireAppleID(toTeam, field: "to-team")
        return try await transfer.prepare(
            ProviderID(options.provider.id), brand: BrandID(options.brand ?? BrandSettings.defaultBrand),
            to: toTeam)
    }
}
