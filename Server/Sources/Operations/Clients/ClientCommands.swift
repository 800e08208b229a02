internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum ClientCommands: CommandNoun {
    static let title = "client"
    static let abstract = "Register and change the apps and backends that sign people in."
    static let commands: [any AdminCommand.Type] = [
        ClientCreate.self, ClientList.self, ClientShow.self, ClientUpdate.self, ClientRotateSecret.self,
        ClientDelete.self,
    ]
}

struct ClientCreate: AdminCommand {
    static let title = "client create"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Register a client; the secret of a confidential one is shown only once."
    static let discussion = """
        Your own app, your backend that asks for consent to payments, and another company's app:

          walletauth client create com.example.wallet --name "Example Wallet" \\
              --public --first-party --redirect-uri com.example.wallet:/callback \\
              --scope "openid profile offline_access"
          walletauth client create backend --name Backend --confidential \\
              --scope wallet_operations
          walletauth client create aurora --name Aurora --confidential \\
              --redirect-uri https://aurora.example.com/callback \\
              --scope "openid email"
        """

    @Argument(help: "The client id; generated if omitted.")
    var id: String?

    @Option(help: "The name that people see on the sign-in page.")
    var name: String

    @Flag(help: "An app in people's hands (PKCE, no secret), or a backend that can keep a secret.")
    var kind: Kind = .public

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp(
            "Scopes that the client may request, separated by spaces; may be repeated.", valueName: "scopes"))
    var scopes: [String] = []

    @Flag(help: "The operator's own app: it may sign in natively, and people are not asked for consent.")
    var firstParty = false

    @Flag(help: "Every sign-in needs a merchant_id.")
    var requireMerchant = false

    @Flag(help: "The client may introspect every token.")
    var introspection = false

    @Flag(
        help:
            "The client may exchange people's access tokens for its resources (RFC 8693), to call other services for them."
    )
    var tokenExchange = false

    @Flag(help: "The client may create transactions without an account: the first device that scans the code signs.")
    var transactionsWithoutAccount = false

    @Flag(
        name: .customLong("verify-app-installation"),
        help: "An enrolled device can sign in only after its installation has been confirmed with a code.")
    var verifiesAppInstallation = false

    @Option(help: "The brand whose people sign in; `default` if omitted.")
    var brand: String?

    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp("A resource (RFC 8707) that may be requested; may be repeated.", valueName: "url"))
    var resources: [String] = []

    @Flag(help: "The app may keep long-lived sessions with device authentication tokens.")
    var deviceTokens = false

    @Flag(
        help: "People may sign in on its devices that have no browser, with a code that they type elsewhere (RFC 8628)."
    )
    var deviceGrant = false

    @Option(help: ArgumentHelp("The confidential client that may redeem this client's codes.", valueName: "client-id"))
    var redeemer: String?

    @OptionGroup(title: ClientOptionTitle.requests) var requests: ClientRequestOptions

    @OptionGroup(title: ClientOptionTitle.requests) var pkce: PKCEOptions

    @OptionGroup(title: ClientOptionTitle.requests) var backchannel: ClientBackchannelOptions

    @OptionGroup(title: ClientOptionTitle.pages) var pages: Pages

    @OptionGroup(title: ClientOptionTitle.pages) var stores: AppStoreOptions

    @OptionGroup(title: ClientOptionTitle.signOut) var signOut: ClientSignOutOptions

    @OptionGroup(title: ClientOptionTitle.attestation) var attestation: ClientAttestationPolicy

    @OptionGroup(title: ClientOptionTitle.guests) var guests: Guests

    @OptionGroup(title: ClientOptionTitle.administration) var administration: ClientAdministrationOptions

    @OptionGroup(title: ClientOptionTitle.authentication) var method: Method

    @OptionGroup(title: ClientOptionTitle.authentication) var keys: KeySetOptions

    @OptionGroup(title: ClientOptionTitle.authentication) var binding: TokenBindingOptions

    @OptionGroup(title: ClientOptionTitle.tokens) var tokens: ClientTokenOptions

    static let inputOption: String? = KeySetOptions.option
    /// The JWK set.
    var input: String?

    /// Where people come from and return to.
    struct Pages: ParsableArguments {
        @Option(
            name: .customLong("redirect-uri"),
            help: ArgumentHelp(
                """
                A redirect URI, compared exactly; may be repeated. Claimed https, a private-use scheme in reverse-DNS \
                form (com.example.app:/callback), or http on 127.0.0.1 or [::1] with any port.
                """, valueName: "uri")
        )
        var redirectURIs: [String] = []

        @Option(
            name: .customLong("site-url"),
            help: ArgumentHelp("The base URL of all https redirect URIs.", valueName: "url"))
        var siteURL: String?

        @Option(
            name: .customLong("reset-credentials-url"),
            help: ArgumentHelp("A URL that “Forgot your password?” may open; may be repeated.", valueName: "url"))
        var resetCredentialsURLs: [String] = []

        @Option(
            name: .customLong("consent-return-url"),
            help: ArgumentHelp(
                """
                Where the page for approving operations returns to, in the form of a redirect URI; may be repeated. Without \
                one, people cannot approve on a page.
                """, valueName: "url")
        )
        var consentReturnURLs: [String] = []

        @Option(
            name: .customLong("apple-app-id"),
            help: ArgumentHelp(
                """
                The Apple App ID of the app: team id, dot, bundle id. It opens links, and may use passkeys and be attested. May be \
                repeated.
                """, valueName: "id")
        )
        var appleAppIDs: [String] = []

        @Option(
            name: .customLong("android-app"),
            help: ArgumentHelp(
                """
                An Android app that may use passkeys and be attested: package, =, and the SHA-256 of its signing certificate in \
                hexadecimal; may be repeated.
                """, valueName: "app")
        )
        var androidApps: [String] = []

        @Option(
            name: .customLong("passkey-origin"),
            help: ArgumentHelp(
                """
                The origin of a website that may use passkeys, such as https://shop.example.com; may be repeated. For the \
                terminal wallet, https:// and the server's own host, without a port.
                """, valueName: "origin")
        )
        var passkeyOrigins: [String] = []
    }

    /// What a backend may do for guests.
    struct Guests: ParsableArguments {
        @Flag(help: "The backend may request tokens for guests (loyalty API); it counts as one of the operator's own.")
        var guestTokens = false

        @Flag(help: "The backend may also request them with a guest's user name and password.")
        var guestPasswords = false

        @Option(
            name: .customLong("loyalty-merchant"),
            help: ArgumentHelp(
                "The number of a merchant whose guests the backend may speak for, with --guest-tokens; may be repeated.",
                valueName: "number")
        )
        var loyaltyMerchants: [Int64] = []
    }

    struct Method: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                """
                How it authenticates: client_secret_basic, client_secret_post or private_key_jwt; an app none, or \
                attest_jwt_client_auth_dpop (a draft) with what its attester signs for each instance's key.
                """,
                valueName: "method"),
            completion: .list(ClientAuthenticationMethod.allCases.map(\.rawValue)))
        var authMethod: String?
    }

    enum Kind: String, EnumerableFlag {
        case `public`
        case confidential
    }

    private var requestedScopes: [String] { scopes.flatMap { $0.split(separator: " ").map(String.init) } }

    var target: CommandTarget {
        if administration.isRequested || PrivilegedScopes.isAny(of: requestedScopes) { return .administration(nil) }
        // Operators sign in at the operator's own clients too.
        if firstParty || guests.guestTokens || guests.guestPasswords { return .administration(nil) }
        // It would read or use the tokens of every brand.
        return introspection || tokenExchange ? .everything : .brand(brand)
    }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        try keys.read(from: reader)
    }

    func execute(in clients: ClientAdministration) async throws -> AdministrationAnswer {
        var client = ClientRegistration(name: name, kind: kind == .public ? .public : .confidential)
        client.id = id
        client.authenticationMethod = method.authMethod
        client.keySet = input
        client.jwksURI = keys.jwksURI
        client.redirectURIs = pages.redirectURIs
        client.scopes = requestedScopes
        client.brand = brand
        client.firstParty = firstParty
        client.requiresDPoP = binding.requiresDPoP
        client.withoutPKCE = pkce.withoutPKCE ?? false
        client.siteURL = pages.siteURL
        client.resetCredentialsURLs = pages.resetCredentialsURLs
        client.consentReturnURLs = pages.consentReturnURLs
        client.postLogoutRedirectURIs = signOut.postLogoutRedirectURIs
        client.backchannelLogoutURI = signOut.backchannelLogoutURI
        client.appleAppIDs = pages.appleAppIDs
        client.androidApps = pages.androidApps
        client.passkeyOrigins = pages.passkeyOrigins
        client.settings.setStores(stores)
        client.attestation = try attestation.value ?? .off
        client.attestationClaim = attestation.attestationClaim ?? false
        client.resources = resources
        client.requiresMerchant = requireMerchant
        client.requiresPushedRequests = requests.requirePar
        client.requiresSignedRequests = requests.requireSignedRequests
        client.authorizationDetailsTypes = requests.authorizationDetailsTypes
        client.redeemer = redeemer
        client.fapi = requests.fapi
        client.metadataHosts = requests.metadataHosts
        client.introspection = introspection
        client.tokenExchange = tokenExchange
        client.allowsTransactionsWithoutAccount = transactionsWithoutAccount
        client.verifiesAppInstallation = verifiesAppInstallation
        client.deviceTokens = deviceTokens
        client.settings.deviceGrant = deviceGrant
        client.settings.backchannelMode = backchannel.mode
        client.notificationEndpoint = backchannel.notificationEndpoint
        client.guestTokens = guests.guestTokens
        client.guestPasswords = guests.guestPasswords
        client.loyaltyMerchants = guests.loyaltyMerchants
        client.adminRole = administration.adminRole
        client.adminAllBrands = administration.adminAllBrands
        tokens.apply(to: &client.settings)
        return try await clients.create(client)
    }
}

struct ClientUpdate: AdminCommand {
    static let title = "client update"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Change a client; omitted options stay as they are."
    static let discussion = """
        For example, another redirect URI and another scope:

          walletauth client update com.example.wallet --add-scope payments \\
              --add-redirect-uri https://app.example.com/callback

        These options end no existing session. After --require-dpop, a public client's sessions without a key can no longer \
        be renewed; after --remove-resource, neither can sessions for that resource alone. After --remove-scope, sessions \
        keep the scope until they end. --access-token-lifetime and --refresh-idle-lifetime apply to a session from its next \
        renewal, --refresh-absolute-lifetime only to new ones. An empty --redeemer, --site-url, --backchannel-logout-uri \
        or --ciba removes the value. What would change sessions under the people who use them (--public or --confidential, \
        --auth-method, --require-merchant, --brand) needs a new client, and so does what a backend administers \
        (--admin-role, --admin-all-brands): create one with `walletauth client create`.
        """

    @OptionGroup var client: IDOptions

    @OptionGroup var change: ClientChange

    static let inputOption: String? = KeySetOptions.option
    /// The new JWK set.
    var input: String?

    var target: CommandTarget {
        if PrivilegedScopes.isAny(of: change.addedScopes) { return .administration(nil) }
        return .client(client.id, change.concern)
    }

    func readInput(from reader: any CommandInputReader) throws -> String? { try change.keys.read(from: reader) }

    func checkRequest() throws {
        guard !change.isEmpty else {
            throw ValidationError("nothing to change: use at least one option")
        }
    }

    func execute(in clients: ClientAdministration) async throws -> AdministrationAnswer {
        try await clients.update(client.id, change, keySet: input)
    }
}

struct ClientDelete: AdminCommand {
    static let title = "client delete"
    static let access = CommandAccess.changing(.developer)
    static let abstract =
        "Close a client for good: its sessions end, its devices are removed, its open requests are cancelled."

    @OptionGroup var client: IDOptions
    @OptionGroup var confirmed: ConfirmationOptions

    func precondition(isTyped: Bool) -> AdminRequest? {
        confirmed.yes ? nil : AdminRequest(["client", "show", "--", client.id])
    }

    var confirmation: Confirmation? {
        confirmed.unlessGiven(
            "This closes the client for good, with its sessions and devices; the id cannot be used again.",
            typing: client.id)
    }

    var target: CommandTarget { .client(client.id) }

    func execute(in clients: ClientAdministration) async throws -> AdministrationAnswer {
        try await clients.delete(client.id)
    }
}
