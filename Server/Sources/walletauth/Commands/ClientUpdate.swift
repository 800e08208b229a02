import ArgumentParser
import AuthFlows

/// Changes a client.
struct ClientUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a client; what is left out stays as it is.",
        discussion: """
            Nothing that is taken here ends a session or alters one that is under way, with two exceptions: by --require-dpop a \
            public client's sessions that were opened without a key are no longer renewed, and by --remove-resource those \
            that are for nothing else. An empty --redeemer or --site-url takes it away. What else would (its kind, its way to prove \
            itself, --first-party, --require-merchant, --fapi, its brand, fewer scopes) takes a client of its own: make \
            another with `walletauth client create`.
            """)

    @OptionGroup var client: IDOptions

    @Option(help: "What people read on the sign-in page.")
    var name: String?

    @Option(
        name: .customLong("add-redirect-uri"), help: "A redirect URI beside those that there are; may be repeated.")
    var addedRedirectURIs: [String] = []

    @Option(
        name: .customLong("remove-redirect-uri"),
        help: "A redirect URI to which nobody is sent back any more; may be repeated.")
    var removedRedirectURIs: [String] = []

    @Option(
        name: .customLong("add-scope"),
        help: "Further scopes that the client may ask for, separated by spaces; may be repeated.")
    var addedScopes: [String] = []

    @Option(
        name: .customLong("add-reset-credentials-url"),
        help: "One more place to which “Forgot your password?” may lead; may be repeated.")
    var addedResetCredentialsURLs: [String] = []

    @Option(
        name: .customLong("remove-reset-credentials-url"),
        help: "A place to which “Forgot your password?” leads no more; may be repeated.")
    var removedResetCredentialsURLs: [String] = []

    @Option(
        name: .customLong("add-return-url"),
        help: "One more place to which the page comes back on which people agree to operations; may be repeated.")
    var addedReturnURLs: [String] = []

    @Option(
        name: .customLong("remove-return-url"),
        help: "A return URL to which no page comes back any more; may be repeated.")
    var removedReturnURLs: [String] = []

    @Option(
        name: .customLong("add-app-id"),
        help: "One more app that opens links to transactions: team id, dot, bundle id (iOS); may be repeated.")
    var addedAppIDs: [String] = []

    @Option(
        name: .customLong("remove-app-id"), help: "An app that opens links to transactions no more; may be repeated.")
    var removedAppIDs: [String] = []

    @Option(
        name: .customLong("add-resource"),
        help: "One more resource that its tokens may be for (RFC 8707); may be repeated.")
    var addedResources: [String] = []

    @Option(
        name: .customLong("remove-resource"), help: "A resource for which it gets no tokens any more; may be repeated.")
    var removedResources: [String] = []

    @Option(help: "The confidential client that redeems its codes.")
    var redeemer: String?

    @Option(name: .customLong("site-url"), help: "The site under which its https redirect URIs have to lie.")
    var siteURL: String?

    @OptionGroup var binding: TokenBindingOptions

    @Flag(inversion: .prefixedNo, help: "Whether the app may keep long-lived sessions by device authentication tokens.")
    var deviceTokens: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether the backend may request tokens for guests (loyalty API).")
    var guestTokens: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it may request them by a guest's user name and password, too.")
    var guestPasswords: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether a device that is enrolled from now on signs in only after its installation confirmed a code.")
    var verifiesInstances: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it may ask the introspection endpoint about every token.")
    var introspects: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether it may create transactions without an account: the first device that scans the code signs.")
    var unaddressedTransactions: Bool?

    @OptionGroup var output: OutputOptions

    private var change: ClientChange {
        var change = ClientChange()
        change.name = name
        change.addedRedirectURIs = addedRedirectURIs
        change.removedRedirectURIs = removedRedirectURIs
        change.addedScopes = addedScopes.flatMap { $0.split(separator: " ").map(String.init) }
        change.addedResetCredentialsURLs = addedResetCredentialsURLs
        change.addedReturnURLs = addedReturnURLs
        change.removedReturnURLs = removedReturnURLs
        change.addedAppIDs = addedAppIDs
        change.removedResetCredentialsURLs = removedResetCredentialsURLs
        change.removedAppIDs = removedAppIDs
        change.addedResources = addedResources
        change.removedResources = removedResources
        change.redeemer = redeemer
        change.siteURL = siteURL
        change.requiresDPoP = binding.requiresDPoP
        change.deviceTokens = deviceTokens
        change.guestTokens = guestTokens
        change.guestPasswords = guestPasswords
        change.verifiesInstances = verifiesInstances
        change.introspects = introspects
        change.allowsUnaddressedTransactions = unaddressedTransactions
        return change
    }

    func validate() throws {
        guard !change.isEmpty else {
            throw ValidationError("nothing is named that is to change")
        }
    }

    func command() throws -> AdministrationCommand {
        .client(.update(id: try client.value, change))
    }
}
