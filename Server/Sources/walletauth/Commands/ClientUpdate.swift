import ArgumentParser
import Operations

struct ClientUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a client; omitted options stay as they are.",
        discussion: """
            These options end or alter no existing session, with two exceptions: after --require-dpop, a public \
            client's sessions without a key can no longer be renewed, and after --remove-resource, neither can \
            sessions for that resource alone. An empty --redeemer or --site-url removes the value. Changes that would \
            affect sessions (its kind, its authentication method, --require-merchant, --fapi, its brand, fewer scopes) \
            need a new client: create one with `walletauth client create`.
            """)

    @OptionGroup var client: IDOptions

    @Option(help: "The name that people see on the sign-in page.")
    var name: String?

    @Option(
        name: .customLong("add-redirect-uri"), help: "Add a redirect URI; may be repeated.")
    var addedRedirectURIs: [String] = []

    @Option(
        name: .customLong("remove-redirect-uri"),
        help: "Remove a redirect URI; may be repeated.")
    var removedRedirectURIs: [String] = []

    @Option(
        name: .customLong("add-scope"),
        help: "Add scopes that the client may request, separated by spaces; may be repeated.")
    var addedScopes: [String] = []

    @Option(
        name: .customLong("add-reset-credentials-url"),
        help: "Add a URL that “Forgot your password?” may open; may be repeated.")
    var addedResetCredentialsURLs: [String] = []

    @Option(
        name: .customLong("remove-reset-credentials-url"),
        help: "Remove a URL that “Forgot your password?” may open; may be repeated.")
    var removedResetCredentialsURLs: [String] = []

    @Option(
        name: .customLong("add-consent-return-url"),
        help: "Add a URL that the page on which people approve operations may return to; may be repeated.")
    var addedConsentReturnURLs: [String] = []

    @Option(
        name: .customLong("remove-consent-return-url"),
        help: "Remove such a URL; may be repeated.")
    var removedConsentReturnURLs: [String] = []

    @Option(
        name: .customLong("add-apple-app-id"),
        help:
            """
            Add the Apple App ID of an app that opens links to transactions: team id, dot, bundle id; may be repeated.
            """
    )
    var addedAppleAppIDs: [String] = []

    @Option(
        name: .customLong("remove-apple-app-id"), help: "Remove such an Apple App ID; may be repeated.")
    var removedAppleAppIDs: [String] = []

    @Option(
        name: .customLong("add-resource"),
        help: "Add a resource that its tokens may be for (RFC 8707); may be repeated.")
    var addedResources: [String] = []

    @Option(
        name: .customLong("remove-resource"), help: "Remove such a resource; may be repeated.")
    var removedResources: [String] = []

    @Option(
        name: .customLong("add-loyalty-merchant"),
        help: "Add a merchant whose guests the backend may speak for, by its number; may be repeated.")
    var addedLoyaltyMerchants: [Int64] = []

    @Option(
        name: .customLong("remove-loyalty-merchant"), help: "Remove such a merchant; may be repeated.")
    var removedLoyaltyMerchants: [Int64] = []

    @Option(help: "The confidential client that redeems its codes.")
    var redeemer: String?

    @Option(name: .customLong("site-url"), help: "The base URL of all its https redirect URIs.")
    var siteURL: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            """
            Whether it is the operator's own app: it may sign in natively, enroll devices and ask for consent to \
            payments, and people are not asked for consent to it.
            """
    )
    var firstParty: Bool?

    @OptionGroup var binding: TokenBindingOptions

    @Flag(
        inversion: .prefixedNo, help: "Whether the app may keep long-lived sessions with device authentication tokens.")
    var deviceTokens: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether the backend may request tokens for guests (loyalty API).")
    var guestTokens: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it may also request them with a guest's user name and password.")
    var guestPasswords: Bool?

    @Flag(
        name: .customLong("verify-app-installation"), inversion: .prefixedNo,
        help: "Whether devices enrolled from now on must have their installation confirmed with a code to sign in.")
    var verifiesAppInstallation: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it may introspect every token.")
    var introspection: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether it may create transactions without an account: the first device that scans the code signs.")
    var transactionsWithoutAccount: Bool?

    @OptionGroup var output: OutputOptions

    private var change: ClientChange {
        var change = ClientChange()
        change.name = name
        change.addedRedirectURIs = addedRedirectURIs
        change.removedRedirectURIs = removedRedirectURIs
        change.addedScopes = addedScopes.flatMap { $0.split(separator: " ").map(String.init) }
        change.addedResetCredentialsURLs = addedResetCredentialsURLs
        change.addedConsentReturnURLs = addedConsentReturnURLs
        change.removedConsentReturnURLs = removedConsentReturnURLs
        change.addedAppleAppIDs = addedAppleAppIDs
        change.removedResetCredentialsURLs = removedResetCredentialsURLs
        change.removedAppleAppIDs = removedAppleAppIDs
        change.addedResources = addedResources
        change.removedResources = removedResources
        change.addedLoyaltyMerchants = addedLoyaltyMerchants
        change.removedLoyaltyMerchants = removedLoyaltyMerchants
        change.redeemer = redeemer
        change.siteURL = siteURL
        change.firstParty = firstParty
        change.requiresDPoP = binding.requiresDPoP
        change.deviceTokens = deviceTokens
        change.guestTokens = guestTokens
        change.guestPasswords = guestPasswords
        change.verifiesAppInstallation = verifiesAppInstallation
        change.introspection = introspection
        change.allowsTransactionsWithoutAccount = transactionsWithoutAccount
        return change
    }

    func checkRequest() throws {
        guard !change.isEmpty else {
            throw ValidationError("nothing to change: use at least one option")
        }
    }

    func command() throws -> AdministrationCommand {
        .client(.update(id: try client.value, change))
    }
}
