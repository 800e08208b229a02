internal import ArgumentParser
internal import Kernel
internal import WalletAuthWire

/// Changes to a client; omitted members stay. Everything else would end or alter sessions in use: the client's id, its
/// way to authenticate, its brand, the merchants of sessions. For that, register another client.
struct ClientChange: ParsableArguments, Sendable {
    @Option(help: "The name that people see on the sign-in page.")
    var name: String?

    @Option(
        name: .customLong("add-scope"),
        help: ArgumentHelp(
            "Add scopes that the client may request, separated by spaces; may be repeated.", valueName: "scopes"))
    var addedScopes: [String] = []

    @Option(
        name: .customLong("remove-scope"),
        help: ArgumentHelp(
            "Remove scopes, separated by spaces; sessions keep theirs until they end. May be repeated.",
            valueName: "scopes"))
    var removedScopes: [String] = []

    @Option(
        name: .customLong("add-resource"),
        help: ArgumentHelp("Add a resource that its tokens may be for (RFC 8707); may be repeated.", valueName: "url"))
    var addedResources: [String] = []

    @Option(
        name: .customLong("remove-resource"),
        help: ArgumentHelp("Remove such a resource; may be repeated.", valueName: "url"))
    var removedResources: [String] = []

    @Option(help: ArgumentHelp("The confidential client that redeems its codes.", valueName: "client-id"))
    var redeemer: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            """
            Whether it is the operator's own app: it may sign in natively, enroll devices and ask for consent to \
            payments, and people are not asked for consent to it.
            """
    )
    var firstParty: Bool?

    @Flag(
        inversion: .prefixedNo, help: "Whether the app may keep long-lived sessions with device authentication tokens.")
    var deviceTokens: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether people may sign in on its devices that have no browser, with a code that they type elsewhere.")
    var deviceGrant: Bool?

    @Flag(
        name: .customLong("verify-app-installation"), inversion: .prefixedNo,
        help: "Whether devices enrolled from now on must have their installation confirmed with a code to sign in.")
    var verifiesAppInstallation: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it may introspect every token.")
    var introspection: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether it may exchange people's access tokens for its resources (RFC 8693), to call other services for them."
    )
    var tokenExchange: Bool?

    @Flag(
        name: .customLong("transactions-without-account"), inversion: .prefixedNo,
        help: "Whether it may create transactions without an account: the first device that scans the code signs.")
    var allowsTransactionsWithoutAccount: Bool?

    @OptionGroup(title: ClientOptionTitle.requests) var requests: ClientRequestChange

    @OptionGroup(title: ClientOptionTitle.requests) var pkce: PKCEOptions

    @OptionGroup(title: ClientOptionTitle.requests) var backchannel: ClientBackchannelOptions

    @OptionGroup(title: ClientOptionTitle.pages) var pages: ClientPageChange

    @OptionGroup(title: ClientOptionTitle.pages) var stores: AppStoreOptions

    @OptionGroup(title: ClientOptionTitle.signOut) var signOut: ClientSignOutChange

    @OptionGroup(title: ClientOptionTitle.attestation) var attestation: ClientAttestationPolicy

    @OptionGroup(title: ClientOptionTitle.guests) var guests: ClientGuestChange

    @OptionGroup(title: ClientOptionTitle.authentication) var keys: KeySetOptions

    @OptionGroup(title: ClientOptionTitle.authentication) var binding: TokenBindingOptions

    @OptionGroup(title: ClientOptionTitle.tokens) var tokens: ClientTokenOptions

    mutating func validate() {
        addedScopes = addedScopes.flatMap { $0.split(separator: " ").map(String.init) }
        removedScopes = removedScopes.flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// What a developer changes at a client of the operator's own as well, as in ``details``: nothing of it decides who gets codes, tokens,
    /// links or messages, and what protects them. Another option is not harmless until it is listed.
    private static let harmless: Set = [
        "name", "removedScopes", "idTokenAlgorithm", "accessTokenLifetime", "refreshIdleLifetime",
        "refreshAbsoluteLifetime",
    ]

    var concern: ClientConcern {
        var concern: ClientConcern = []
        if introspection == true || tokenExchange == true { concern.insert(.everyBrand) }
        // To end it as well: a third party's app is any developer's to change.
        if firstParty != nil || guests.guestTokens != nil || guests.guestPasswords != nil { concern.insert(.ownership) }
        if !Set(details.names).isSubset(of: Self.harmless) { concern.insert(.credentials) }
        return concern
    }

    var isEmpty: Bool { details.names.isEmpty }

    /// The change for the audit log. Nothing in it is secret.
    var details: JSONObject {
        var details = JSONObject()
        details.set("name", name)
        details.set("redeemer", redeemer)
        details.set("siteUrl", pages.siteURL)
        details.set(logoutURI: signOut.backchannelLogoutURI)
        details.set("ciba", backchannel.mode)
        details.set(notificationEndpoint: backchannel.notificationEndpoint)
        details.set("idTokenAlgorithm", tokens.idTokenAlgorithm)
        for (name, seconds) in [
            ("accessTokenLifetime", tokens.accessTokenLifetime), ("refreshIdleLifetime", tokens.refreshIdleLifetime),
            ("refreshAbsoluteLifetime", tokens.refreshAbsoluteLifetime),
        ] {
            if let seconds { details.set(name, Int64(seconds)) }
        }
        if keys.jwks != nil { details["keySetReplaced"] = true }
        details.set("jwksUri", keys.jwksURI)
        details.set("appStoreUrl", stores.appStoreURL)
        details.set("playStoreUrl", stores.playStoreURL)
        details.set("pushTopic", stores.pushTopic)
        details.set("attestation", attestation.attest)
        for (name, values) in [
            ("addedRedirectUris", pages.addedRedirectURIs), ("removedRedirectUris", pages.removedRedirectURIs),
            ("addedScopes", addedScopes), ("removedScopes", removedScopes),
            ("addedResetCredentialsUrls", pages.addedResetCredentialsURLs),
            ("addedConsentReturnUrls", pages.addedConsentReturnURLs),
            ("removedConsentReturnUrls", pages.removedConsentReturnURLs),
            ("addedPostLogoutRedirectUris", signOut.addedPostLogoutRedirectURIs),
            ("removedPostLogoutRedirectUris", signOut.removedPostLogoutRedirectURIs),
            ("addedAppleAppIds", pages.addedAppleAppIDs), ("removedAppleAppIds", pages.removedAppleAppIDs),
            ("addedAndroidApps", pages.addedAndroidApps), ("removedAndroidApps", pages.removedAndroidApps),
            ("addedPasskeyOrigins", pages.addedPasskeyOrigins), ("removedPasskeyOrigins", pages.removedPasskeyOrigins),
            ("removedResetCredentialsUrls", pages.removedResetCredentialsURLs),
            ("addedAuthorizationDetailsTypes", requests.addedAuthorizationDetailsTypes),
            ("removedAuthorizationDetailsTypes", requests.removedAuthorizationDetailsTypes),
            ("addedResources", addedResources), ("removedResources", removedResources),
            ("addedMetadataHosts", requests.addedMetadataHosts),
            ("removedMetadataHosts", requests.removedMetadataHosts),
            ("addedLoyaltyMerchants", guests.addedLoyaltyMerchants.map { String($0) }),
            ("removedLoyaltyMerchants", guests.removedLoyaltyMerchants.map { String($0) }),
        ] where !values.isEmpty {
            details.set(name, values)
        }
        for (name, value) in [
            ("firstParty", firstParty), ("requiresDpop", binding.requiresDPoP), ("requiresPar", requests.requirePar),
            ("requiresSignedRequests", requests.requireSignedRequests), ("fapi", requests.fapi),
            ("deviceTokens", deviceTokens), ("deviceGrant", deviceGrant),
            ("guestTokens", guests.guestTokens), ("guestPasswords", guests.guestPasswords),
            ("verifiesAppInstallation", verifiesAppInstallation), ("introspection", introspection),
            ("tokenExchange", tokenExchange), ("transactionsWithoutAccount", allowsTransactionsWithoutAccount),
            ("attestationClaim", attestation.attestationClaim), ("withoutPkce", pkce.withoutPKCE),
        ] {
            if let value { details[name] = .bool(value) }
        }
        return details
    }
}

/// The headings in the help of the commands that create and change clients.
enum ClientOptionTitle {
    static let requests = "Authorization requests"
    static let pages = "Pages and links"
    static let signOut = "Sign-out"
    static let attestation = "Attestation"
    static let guests = "Guests"
    static let administration = "Administration"
    static let authentication = "Authentication"
    static let tokens = "Lifetimes and tokens"
}

/// Changes to where people come from and return to.
struct ClientPageChange: ParsableArguments, Sendable {
    @Option(
        name: .customLong("add-redirect-uri"),
        help: ArgumentHelp("Add a redirect URI; may be repeated.", valueName: "uri"))
    var addedRedirectURIs: [String] = []

    @Option(
        name: .customLong("remove-redirect-uri"),
        help: ArgumentHelp("Remove a redirect URI; may be repeated.", valueName: "uri"))
    var removedRedirectURIs: [String] = []

    @Option(
        name: .customLong("add-reset-credentials-url"),
        help: ArgumentHelp("Add a URL that “Forgot your password?” may open; may be repeated.", valueName: "url"))
    var addedResetCredentialsURLs: [String] = []

    @Option(
        name: .customLong("remove-reset-credentials-url"),
        help: ArgumentHelp("Remove a URL that “Forgot your password?” may open; may be repeated.", valueName: "url"))
    var removedResetCredentialsURLs: [String] = []

    @Option(
        name: .customLong("add-consent-return-url"),
        help: ArgumentHelp(
            "Add a URL that the page on which people approve operations may return to; may be repeated.",
            valueName: "url"))
    var addedConsentReturnURLs: [String] = []

    @Option(
        name: .customLong("remove-consent-return-url"),
        help: ArgumentHelp("Remove such a URL; may be repeated.", valueName: "url"))
    var removedConsentReturnURLs: [String] = []

    @Option(
        name: .customLong("add-apple-app-id"),
        help: ArgumentHelp(
            """
            Add the Apple App ID of an app that opens links, and may use passkeys and be attested: team id, dot, bundle id; may \
            be repeated.
            """, valueName: "id")
    )
    var addedAppleAppIDs: [String] = []

    @Option(
        name: .customLong("remove-apple-app-id"),
        help: ArgumentHelp("Remove such an Apple App ID; may be repeated.", valueName: "id"))
    var removedAppleAppIDs: [String] = []

    @Option(
        name: .customLong("add-android-app"),
        help: ArgumentHelp(
            """
            Add an Android app that may use passkeys and be attested: package, =, and the SHA-256 of its signing certificate in \
            hexadecimal; may be repeated.
            """, valueName: "app")
    )
    var addedAndroidApps: [String] = []

    @Option(
        name: .customLong("remove-android-app"),
        help: ArgumentHelp("Remove such an app; may be repeated.", valueName: "app"))
    var removedAndroidApps: [String] = []

    @Option(
        name: .customLong("add-passkey-origin"),
        help: ArgumentHelp("Add the origin of a website that may use passkeys; may be repeated.", valueName: "origin"))
    var addedPasskeyOrigins: [String] = []

    @Option(
        name: .customLong("remove-passkey-origin"),
        help: ArgumentHelp("Remove such an origin; may be repeated.", valueName: "origin"))
    var removedPasskeyOrigins: [String] = []

    @Option(
        name: .customLong("site-url"),
        help: ArgumentHelp("The base URL of all its https redirect URIs.", valueName: "url"))
    var siteURL: String?
}

/// Changes to what a backend may do for guests.
struct ClientGuestChange: ParsableArguments, Sendable {
    @Flag(inversion: .prefixedNo, help: "Whether the backend may request tokens for guests (loyalty API).")
    var guestTokens: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it may also request them with a guest's user name and password.")
    var guestPasswords: Bool?

    @Option(
        name: .customLong("add-loyalty-merchant"),
        help: ArgumentHelp(
            "Add a merchant whose guests the backend may speak for, by its number; may be repeated.",
            valueName: "number"))
    var addedLoyaltyMerchants: [Int64] = []

    @Option(
        name: .customLong("remove-loyalty-merchant"),
        help: ArgumentHelp("Remove such a merchant; may be repeated.", valueName: "number"))
    var removedLoyaltyMerchants: [Int64] = []
}

/// The public keys of a client, in a file or where it publishes them, or of its attester.
struct KeySetOptions: ParsableArguments {
    static let option = "jwks"

    @Option(
        help: ArgumentHelp(
            """
            A file with the client's JWK set, for private_key_jwt or signed requests; with its attester's, for \
            attest_jwt_client_auth_dpop.
            """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var jwks: String?

    @Option(
        name: .customLong("jwks-uri"),
        help: ArgumentHelp(
            "Where the client publishes its JWK set instead, for private_key_jwt: an https URL.", valueName: "uri"))
    var jwksURI: String?

    func validate() throws {
        guard jwks == nil || jwksURI == nil else { throw ValidationError("use either --jwks or --jwks-uri, not both") }
    }

    func read(from reader: any CommandInputReader) throws -> String? {
        try jwks.map { try reader.file($0, named: "the key set ", upTo: 64 * 1024) }
    }
}

/// What a client's tokens are like.
struct ClientTokenOptions: ParsableArguments {
    @Option(
        name: .customLong("id-token-algorithm"),
        help: ArgumentHelp("The algorithm of its ID tokens: RS256, ES256 or EdDSA.", valueName: "algorithm"),
        completion: .list(SigningAlgorithm.allCases.map(\.rawValue)))
    var idTokenAlgorithm: String?

    @Option(help: ArgumentHelp("The lifetime of access tokens in seconds; 300 by default.", valueName: "seconds"))
    var accessTokenLifetime: Int?

    @Option(
        help: ArgumentHelp("How long a session may go unused, in seconds; 30 days by default.", valueName: "seconds"))
    var refreshIdleLifetime: Int?

    @Option(
        help: ArgumentHelp("The maximum lifetime of a session in seconds; 90 days by default.", valueName: "seconds"))
    var refreshAbsoluteLifetime: Int?

    /// Sets what was specified; the rest stays.
    func apply(to settings: inout ClientSettings) {
        settings.idTokenAlgorithm = idTokenAlgorithm ?? settings.idTokenAlgorithm
        settings.accessTokenLifetime = accessTokenLifetime ?? settings.accessTokenLifetime
        settings.refreshIdleLifetime = refreshIdleLifetime ?? settings.refreshIdleLifetime
        settings.refreshAbsoluteLifetime = refreshAbsoluteLifetime ?? settings.refreshAbsoluteLifetime
    }
}

/// Whether a client's token requests need a DPoP proof, by one of two flags.
struct TokenBindingOptions: ParsableArguments {
    @Flag var flags: [TokenBindingFlag] = []

    func validate() throws {
        guard Set(flags).count <= 1 else {
            throw ValidationError("use either --require-dpop or --allow-bearer, not both")
        }
    }

    /// `nil` if neither flag is given.
    var requiresDPoP: Bool? { flags.first.map { $0 == .requireDPoP } }
}

enum TokenBindingFlag: EnumerableFlag {
    case requireDPoP
    case allowBearer

    static func name(for value: TokenBindingFlag) -> NameSpecification {
        switch value {
        case .requireDPoP: .customLong("require-dpop")
        case .allowBearer: .customLong("allow-bearer")
        }
    }

    static func help(for value: TokenBindingFlag) -> ArgumentHelp? {
        switch value {
        case .requireDPoP: "Every token request needs a DPoP proof; the default for a public first-party app."
        case .allowBearer: "Tokens without a key are allowed: anyone who copies one can use it."
        }
    }
}
